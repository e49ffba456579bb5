//! `checkdam compare`: what several jobs make of the same savepoint and the
//! same input, side by side.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::{Value as Json, json};

use super::args::{Compare, Format};
use super::columns::columns;
use super::output::Output;
use super::problem::{CANNOT_TELL, Problem};
use super::words::pick;
use super::{input, starts};
use crate::cluster::Detail;
use crate::model::{Language, Scenario, SplitIndex, StateValue, SubtaskIndex, Time};
use crate::narrate::Names;
use crate::render::duration;
use crate::sim::{Ending, Simulation};
use crate::trace::{Fact, Tail, View};
use crate::verify::{self, Judge, Judgement, Outcome, Verdict};

/// Runs the jobs and prints them side by side.
pub(super) fn compare(
    arguments: &Compare,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let seed = arguments.seed;
    let job = |word: &String| {
        let scenario = input::scenario(word, output)?;
        match &arguments.from {
            Some(file) => starts::from_file(&scenario, file),
            None => starts::chained(scenario, word, seed, output),
        }
    };
    let jobs = arguments.scenarios.iter().map(job).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<Run<'_>> = jobs.iter().map(|scenario| run(scenario, seed)).collect();
    let comparison = Comparison {
        language,
        seed,
        runs: &runs,
        state: rows(runs.iter().map(|run| run.state(language))),
        output: rows(runs.iter().map(|run| run.results(&runs))),
    };
    output.print(&match arguments.format {
        Format::Text => comparison.text(),
        Format::Json => format!("{:#}\n", comparison.json()),
    })?;
    let all_ended = runs.iter().all(|run| run.over.is_some());
    Ok(if all_ended { ExitCode::SUCCESS } else { ExitCode::from(CANNOT_TELL) })
}

/// What became of one job.
struct Run<'a> {
    scenario: &'a Scenario,
    ending: Ending,
    /// When it was over; none: it does not end.
    over: Option<Time>,
    n_read: u64,
    view: View,
    verdict: Verdict,
}

fn run(scenario: &Scenario, seed: u64) -> Run<'_> {
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let mut judge = Judge::new(scenario, Some(seed));
    let (mut n_read, mut over) = (0, None);
    while let Some(step) = simulation.step() {
        judge.observe_facts(step.number, step.facts);
        for fact in step.facts {
            match fact {
                Fact::Read { .. } => n_read += 1,
                Fact::JobFinished | Fact::JobFailed { .. } | Fact::JobCanceled => {
                    over = Some(step.at);
                }
                _ => {}
            }
        }
    }
    let view = simulation.cluster().view(scenario, simulation.n_steps(), simulation.now());
    let ending = simulation.ending().cloned().expect("a run without a next step has ended");
    let is_over = matches!(ending, Ending::Finished | Ending::Failed | Ending::Canceled);
    let verdict = judge.finish(verify::Ending::Whole);
    Run { scenario, ending, over: over.filter(|_| is_over), n_read, view, verdict }
}

/// A place in a table, in order: where it comes, and what it is called.
type Place = (Vec<u64>, String);

impl Run<'_> {
    fn tasks(&self) -> impl Iterator<Item = SubtaskIndex> {
        self.scenario.graph.subtask_indices()
    }

    fn splits(&self) -> impl Iterator<Item = &str> {
        let graph = &self.scenario.graph;
        let splits = (0..graph.splits.len() as u32).map(SplitIndex);
        splits.map(|split| graph.split(split).name.as_str())
    }

    /// The state at the end, by operator and key, whichever subtask has it.
    /// Operators are called by their names, since labels may tell jobs apart.
    fn state(&self, language: Language) -> BTreeMap<Place, Vec<String>> {
        let (graph, names) = (&self.scenario.graph, Names::new(self.scenario, language));
        let mut state = BTreeMap::new();
        for task in self.tasks() {
            let operator = graph.subtasks[task.index()].operator;
            let name = &graph.operator(task).name;
            let entries: Vec<_> = self.view.tasks[task.index()].state.iter().collect();
            let mut entry = |key, value: &StateValue| {
                let label = format!("{name} {}", names.key(operator, key));
                state.insert((vec![], label), vec![names.state_value(value)]);
            };
            entries.into_iter().for_each(|(key, value)| entry(*key, value));
        }
        state
    }

    /// What was published, by the record that caused it, in the order of the
    /// splits of all jobs.
    fn results(&self, all: &[Run<'_>]) -> BTreeMap<Place, Vec<String>> {
        let splits: Vec<&str> = all.iter().flat_map(Run::splits).collect();
        let mut results: BTreeMap<Place, Vec<String>> = BTreeMap::new();
        let sinks = self.tasks().filter_map(|task| self.view.tasks[task.index()].sink.as_ref());
        for record in sinks.flat_map(|sink| &sink.published.last) {
            let split = &self.scenario.graph.split(record.id.split).name;
            let rank = splits.iter().position(|own| own == split).unwrap_or(splits.len());
            let place = vec![rank as u64, u64::from(record.id.offset)];
            let label = format!("{split} {}", record.id.offset);
            results.entry((place, label)).or_default().push(record.value.to_string());
        }
        results
    }

    /// Results of which only the number is known.
    fn n_earlier(&self) -> u64 {
        let sinks = self.tasks().filter_map(|task| self.view.tasks[task.index()].sink.as_ref());
        let earlier = |tail: &Tail| tail.count - tail.last.len() as u64;
        sinks.map(|sink| earlier(&sink.published)).sum()
    }
}

/// A line of a table: its name, and what each job has there.
struct Row {
    name: String,
    cells: Vec<Vec<String>>,
}

impl Row {
    fn differs(&self) -> bool {
        self.cells.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// Puts what each job has side by side.
fn rows(jobs: impl Iterator<Item = BTreeMap<Place, Vec<String>>>) -> Vec<Row> {
    let jobs: Vec<_> = jobs.collect();
    let mut places: Vec<&Place> = jobs.iter().flat_map(BTreeMap::keys).collect();
    places.sort();
    places.dedup();
    let row = |place: &Place| {
        let cells = jobs.iter().map(|job| job.get(place).cloned().unwrap_or_default());
        Row { name: place.1.clone(), cells: cells.collect() }
    };
    places.into_iter().map(row).collect()
}

struct Comparison<'a> {
    language: Language,
    seed: u64,
    runs: &'a [Run<'a>],
    state: Vec<Row>,
    output: Vec<Row>,
}

impl Comparison<'_> {
    /// More results than these are counted, not shown.
    const SHOWN_MAX: usize = 40;

    fn pick(&self, en: &'static str, zh: &'static str) -> &'static str {
        pick(self.language, en, zh)
    }

    fn text(&self) -> String {
        let (n, seed) = (self.runs.len(), self.seed);
        let starts: Vec<String> = self.runs.iter().map(|run| self.start(run)).collect();
        let is_one_start = starts.iter().all(|start| *start == starts[0]);
        let start = if is_one_start { &starts[0] } else { self.pick("each its own", "各自") };
        let mut text = match self.language {
            Language::En => {
                format!("{n} jobs side by side, started from {start} · seed {seed}\n\n")
            }
            Language::Zh => format!("{n} 个作业并排，启动自 {start} · 种子 {seed}\n\n"),
        };
        let mut lines = vec![self.line("", |run| run.scenario.name.clone())];
        if !is_one_start {
            lines.push(self.line(self.pick("started from", "启动自"), |run| self.start(run)));
        }
        lines.push(
            self.line(self.pick("records read", "读取的记录"), |run| run.n_read.to_string()),
        );
        lines.push(self.line(self.pick("ends", "结束"), |run| self.end(run)));
        let state = |run: &Run<'_>| self.once(&run.verdict.state);
        lines.push(self.line(self.pick("state exactly once", "状态精确一次"), state));
        let output = |run: &Run<'_>| self.once(&run.verdict.output);
        lines.push(self.line(self.pick("output exactly once", "输出精确一次"), output));
        self.section(self.pick("state", "状态"), &self.state, &mut lines);
        self.section(self.pick("results of", "结果"), &self.output, &mut lines);
        text += &columns(&lines, 1);
        text.push('\n');
        text += &self.differences(is_one_start);
        text
    }

    fn line(&self, name: &str, cell: impl Fn(&Run<'_>) -> String) -> Vec<String> {
        std::iter::once(name.to_owned()).chain(self.runs.iter().map(cell)).collect()
    }

    fn section(&self, head: &str, rows: &[Row], lines: &mut Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        lines.extend([Vec::new(), vec![head.to_owned()]]);
        for row in rows.iter().take(Self::SHOWN_MAX) {
            let cell = |values: &Vec<String>| match values.is_empty() {
                true => "–".to_owned(),
                false => values.join(" "),
            };
            let name = std::iter::once(format!("  {}", row.name));
            let mark = row.differs().then(|| "≠".to_owned());
            lines.push(name.chain(row.cells.iter().map(cell)).chain(mark).collect());
        }
        if let Some(more) = rows.len().checked_sub(Self::SHOWN_MAX).filter(|more| *more > 0) {
            lines.push(vec![match self.language {
                Language::En => format!("  … and {more} more"),
                Language::Zh => format!("  ……另有 {more} 项"),
            }]);
        }
    }

    /// How much differs; and where that comes from, if there was one beginning.
    fn differences(&self, is_one_start: bool) -> String {
        let counted = |rows: &[Row]| {
            let n = rows.iter().filter(|row| row.differs()).count();
            (n, rows.len())
        };
        let ((keys, of_keys), (results, of_results)) =
            (counted(&self.state), counted(&self.output));
        let mut text = match self.language {
            Language::En => format!(
                "differs: {keys} of {of_keys} keys of the state, {results} of {of_results} results\n"
            ),
            Language::Zh => format!(
                "不同：状态 {of_keys} 个键中的 {keys} 个，{of_results} 条结果中的 {results} 条\n"
            ),
        };
        let n_earlier: u64 = self.runs.iter().map(Run::n_earlier).sum();
        if n_earlier > 0 {
            text += &match self.language {
                Language::En => format!("not compared: {n_earlier} earlier results\n"),
                Language::Zh => format!("未比较：更早的 {n_earlier} 条结果\n"),
            };
        }
        let from_one = is_one_start && self.runs[0].scenario.start.is_some();
        if from_one && keys + results > 0 {
            text += self.pick(
                "what differs comes from the jobs: they started from one savepoint\n",
                "不同之处来自作业本身：它们从同一个保存点启动\n",
            );
        }
        text
    }

    fn start(&self, run: &Run<'_>) -> String {
        let Some(start) = &run.scenario.start else {
            return self.pick("nothing", "空状态").to_owned();
        };
        let (id, job) = (start.savepoint.id, &start.savepoint.job);
        match (self.language, start.savepoint.snapshot.is_savepoint()) {
            (Language::En, true) => format!("savepoint {id} of {job}"),
            (Language::En, false) => format!("checkpoint {id} of {job}"),
            (Language::Zh, true) => format!("{job} 的保存点 {id}"),
            (Language::Zh, false) => format!("{job} 的检查点 {id}"),
        }
    }

    fn end(&self, run: &Run<'_>) -> String {
        let how = match &run.ending {
            Ending::Finished => "FINISHED",
            Ending::Failed => "FAILED",
            Ending::Canceled => "CANCELED",
            Ending::Stuck(_) | Ending::OutOfSteps(_) | Ending::OutOfTime(_) => {
                self.pick("does not end", "不结束")
            }
        };
        run.over.map_or_else(|| how.to_owned(), |at| format!("{how} {}", duration(at.0)))
    }

    fn once(&self, judgement: &Judgement) -> String {
        let sign = match judgement.outcome {
            Outcome::Holds => "✓",
            Outcome::Violated => "✗",
            Outcome::CannotTell => "?",
        };
        match self.language {
            Language::En => format!("{sign} {} of {}", judgement.n_once, judgement.n),
            Language::Zh => format!("{sign} {}/{}", judgement.n_once, judgement.n),
        }
    }

    fn json(&self) -> Json {
        let outcome = |judgement: &Judgement| match judgement.outcome {
            Outcome::Holds => Json::Bool(true),
            Outcome::Violated => Json::Bool(false),
            Outcome::CannotTell => Json::Null,
        };
        let job = |run: &Run<'_>| {
            let from = run.scenario.start.as_ref().map(
                |start| json!({ "job": start.savepoint.job, "savepoint": start.savepoint.id }),
            );
            json!({
                "scenario": run.scenario.name,
                "from": from,
                "records_read": run.n_read,
                "ended_at": run.over,
                "state_exactly_once": outcome(&run.verdict.state),
                "output_exactly_once": outcome(&run.verdict.output),
                "results_not_compared": run.n_earlier(),
            })
        };
        let table = |rows: &[Row]| {
            let row = |row: &Row| json!({ "of": row.name, "values": row.cells, "differs": row.differs() });
            rows.iter().map(row).collect::<Vec<_>>()
        };
        json!({
            "seed": self.seed,
            "jobs": self.runs.iter().map(job).collect::<Vec<_>>(),
            "state": table(&self.state),
            "output": table(&self.output),
        })
    }
}

//! What happens to a run: checkpoints that are asked for, TaskManagers that
//! tasks are in, faults.

use std::collections::BTreeMap;
use std::ops::Range;

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::limits::TIMES_MAX;
use super::names::{NameOf, Names};
use super::places::{Places, TaskPlace, Word};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Fields, Quoted, get, key};
use super::vocabulary::{CANCEL, CHECKPOINT, CRASH, SLOW};
use super::when::{Here, WhenReader};
use super::words::clip;
use crate::model::{Fault, FaultKind, Micros, TaskManager, TaskManagerIndex, When};

/// Reads what stands under `checkpoints`.
pub(super) fn checkpoints(
    value: &Value<'_>,
    places: &Places<'_>,
    problems: &mut Problems,
) -> Vec<When> {
    let expected = "a list as [{ \"at\": \"10 ms\" }]";
    let Some(array) = problems.list(value, "`checkpoints`", expected) else { return Vec::new() };
    let mut triggers = Vec::new();
    for element in &array.elements {
        let expected = "an object with `at` or `when`";
        let Some(object) = problems.object(element, "a checkpoint", expected) else { continue };
        let fields = problems.fields(object, "a checkpoint".into(), CHECKPOINT);
        let mut reader = WhenReader { places, problems: &mut *problems, here: Here::Nobody };
        triggers.extend(reader.when(&fields, "a checkpoint"));
    }
    triggers
}

/// Reads what stands under `cancel`.
pub(super) fn cancel(
    value: &Value<'_>,
    places: &Places<'_>,
    problems: &mut Problems,
) -> Option<When> {
    let expected = "an object with `at` or `when`";
    let object = problems.object(value, "`cancel`", expected)?;
    let fields = problems.fields(object, "`cancel`".into(), CANCEL);
    WhenReader { places, problems, here: Here::Nobody }.when(&fields, "`cancel`")
}

/// Reads what stands under `taskmanagers`.
pub(super) fn task_managers(
    value: &Value<'_>,
    places: &Places<'_>,
    problems: &mut Problems,
) -> Vec<TaskManager> {
    let expected = "an object from the name of a TaskManager to the tasks in it";
    let Some(object) = problems.object(value, "`taskmanagers`", expected) else {
        return Vec::new();
    };
    let mut homes: BTreeMap<TaskPlace, Range<usize>> = BTreeMap::new();
    let mut managers = Vec::new();
    for property in &object.properties {
        let name = key(property);
        problems.name(&name, NameOf::TaskManager);
        if places.operator(name.text).is_some() {
            let message =
                format!("a TaskManager has the name of an operator, `{}`", clip(name.text));
            let problem = Diagnostic::error("duplicate-name", message);
            problems.add(problem.at(name.range, "choose another name"));
        }
        let expected = "a list of tasks, as [\"sum[even]\", \"sink[even]\"]";
        let mut subtasks = Vec::new();
        if let Some(array) = problems.list(&property.value, "a TaskManager", expected) {
            for element in &array.elements {
                let Some(task) = problems.string(element, "a task", "a text") else { continue };
                let place = places.task(&Word::whole(&task), "", problems);
                let Some(place) = place else { continue };
                if let Some(first) = homes.get(&place) {
                    let message = format!("`{}` is in two TaskManagers", places.full_name(place));
                    problems.add(
                        Diagnostic::error("given-twice", message)
                            .at(task.range, "again here")
                            .at(first.clone(), "first here"),
                    );
                    continue;
                }
                homes.insert(place, task.range);
                subtasks.push(places.subtask(place));
            }
        }
        managers.push(TaskManager { name: name.text.to_owned(), subtasks });
    }
    managers
}

/// Reads what stands under `faults`.
pub(super) fn faults(
    value: &Value<'_>,
    places: &Places<'_>,
    managers: &[TaskManager],
    problems: &mut Problems,
) -> Vec<Fault> {
    let expected = "a list as [{ \"crash\": \"sum[even]\", \"at\": \"3 s\" }]";
    let Some(array) = problems.list(value, "`faults`", expected) else { return Vec::new() };
    let managers =
        managers.iter().zip(0..).map(|(manager, place)| (manager.name.as_str(), place)).collect();
    let mut reader = FaultReader { places, managers, problems };
    array.elements.iter().filter_map(|fault| reader.fault(fault)).collect()
}

struct FaultReader<'r, 'j> {
    places: &'r Places<'j>,
    managers: BTreeMap<&'r str, u32>,
    problems: &'r mut Problems,
}

impl FaultReader<'_, '_> {
    fn fault(&mut self, value: &Value<'_>) -> Option<Fault> {
        let expected = "an object with `crash` or `slow`";
        let object = self.problems.object(value, "a fault", expected)?;
        let (fields, (kind, here)) = match (get(object, "crash"), get(object, "slow")) {
            (Some(crash), None) => {
                let fields = self.problems.fields(object, "a crash".into(), CRASH);
                (fields, self.crash(&crash.value))
            }
            (None, Some(slow)) => {
                let fields = self.problems.fields(object, "a slowness".into(), SLOW);
                let found = self.slow(&slow.value, &fields);
                (fields, found)
            }
            (Some(crash), Some(slow)) => {
                self.problems.add(
                    Diagnostic::error("two-kinds", "a fault cannot crash and slow at once")
                        .at(key(slow).range, "and this")
                        .at(key(crash).range, "this")
                        .help("make two faults of it"),
                );
                return None;
            }
            (None, None) => {
                let near = object.properties.iter().find_map(|property| {
                    let word = key(property);
                    let near = self.problems.nearest(word.text, ["crash", "slow"]);
                    near.map(|near| (word.range, near))
                });
                let open = object.range.start..object.range.start + 1;
                let problem = Diagnostic::error("missing-kind", "a fault does not say what breaks");
                let problem = match near {
                    Some((range, near)) => problem.at(range, "").did_you_mean(Some(near)),
                    None => problem.at(open, "`crash` or `slow` is missing here"),
                };
                self.problems.add(problem.help("a fault is a `crash` or `slow`"));
                return None;
            }
        };
        let mut reader = WhenReader { places: self.places, problems: &mut *self.problems, here };
        let when = reader.when(&fields, "a fault");
        Some(Fault { kind: kind?, when: when? })
    }

    fn crash(&mut self, value: &Value<'_>) -> (Option<FaultKind>, Here) {
        let expected = "a task as \"sum[even]\", or a TaskManager";
        let Some(target) = self.problems.string(value, "`crash`", expected) else {
            return (None, Here::Unclear);
        };
        if let Some(manager) = self.managers.get(target.text) {
            let manager = TaskManagerIndex(*manager);
            return (Some(FaultKind::CrashTaskManager(manager)), Here::Nobody);
        }
        if self.tell_manager(&target, "nothing to crash: ") {
            return (None, Here::Unclear);
        }
        let sorry = "nothing to crash: ";
        let task = self.places.task(&Word::whole(&target), sorry, self.problems);
        let kind = task.map(|task| FaultKind::CrashSubtask(self.places.subtask(task)));
        (kind, task.map_or(Here::Unclear, Here::Task))
    }

    /// Tells a name that is nearer to a TaskManager's than to any operator's.
    fn tell_manager(&mut self, target: &Quoted<'_>, sorry: &str) -> bool {
        let names: Vec<&str> = self.managers.keys().copied().collect();
        if self.places.operator(target.text).is_some() || target.text.contains('[') {
            return false;
        }
        let Some(near) = self.problems.nearest(target.text, names) else { return false };
        let message = format!("{sorry}there is no TaskManager `{}`", clip(target.text));
        let problem = Diagnostic::error("unknown-taskmanager", message);
        let problem = problem.at(target.range.clone(), "").did_you_mean(Some(near));
        self.problems.add(problem);
        true
    }

    fn slow(&mut self, value: &Value<'_>, fields: &Fields<'_, '_>) -> (Option<FaultKind>, Here) {
        let times = self.problems.required(fields, "a slowness", "times");
        let times = times.and_then(|times| self.problems.whole(times, "`times`", 2..=TIMES_MAX));
        let lasts = self.problems.required(fields, "a slowness", "for").and_then(|lasts| {
            let duration = self.problems.duration(lasts, "`for`")?;
            if duration == Micros::ZERO {
                let problem = Diagnostic::error("no-time", "a slowness of no time changes nothing");
                self.problems.add(problem.at(range_of(lasts), "longer than 0"));
            }
            Some(duration)
        });
        let expected = "a task as \"sum[even]\", or a channel as \"numbers->sum[even]\"";
        let Some(target) = self.problems.string(value, "`slow`", expected) else {
            return (None, Here::Unclear);
        };
        let (word, sorry) = (Word::whole(&target), "nothing to slow: ");
        if target.text.contains("->") {
            let channel = self.places.channel(&word, sorry, self.problems);
            let kind = channel.zip(times).zip(lasts).map(|((channel, times), lasts)| {
                FaultKind::SlowChannel { channel, times: times as u32, lasts }
            });
            return (kind, Here::Nobody);
        }
        if self.managers.contains_key(target.text) {
            let message = format!("{sorry}`{}` is a TaskManager", clip(target.text));
            let problem = Diagnostic::error("slow-taskmanager", message);
            self.problems.add(problem.at(target.range, "name its tasks, one fault each"));
            return (None, Here::Unclear);
        }
        let task = self.places.task(&word, sorry, self.problems);
        let kind =
            task.zip(times).zip(lasts).map(|((task, times), lasts)| FaultKind::SlowSubtask {
                subtask: self.places.subtask(task),
                times: times as u32,
                lasts,
            });
        (kind, task.map_or(Here::Unclear, Here::Task))
    }
}

/// Reads the names of the rules that a scenario breaks on purpose.
pub(super) fn broken(value: &Value<'_>, problems: &mut Problems) -> Vec<crate::model::Mutation> {
    use crate::model::Mutation;
    let all = || Mutation::ALL.into_iter().map(Mutation::name);
    let expected = "a list of rules, as [\"process-after-first-barrier\"]";
    let Some(array) = problems.list(value, "`break`", expected) else { return Vec::new() };
    let mut taken = Names::new(NameOf::Mutation);
    let mut broken = Vec::new();
    for element in &array.elements {
        let Some(word) = problems.string(element, "a rule", "a text") else { continue };
        let Some(mutation) = Mutation::of_name(word.text) else {
            let near = problems.nearest(word.text, all());
            let message = format!("`{}` is no rule that can be broken", clip(word.text));
            let problem = Diagnostic::error("unknown-mutation", message);
            let help = format!("the rules: {}", super::words::names(all()));
            problems.add(problem.at(word.range, "unknown").did_you_mean(near).help(help));
            continue;
        };
        if taken.claim(word.text, word.range.clone(), problems) {
            broken.push(mutation);
        }
    }
    broken.sort();
    broken
}

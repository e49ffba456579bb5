//! `checkdam page`: one HTML file that shows a run and what might have become
//! of it. Chooses what goes into it, so that it stays small enough to send.

mod sinks;
mod variants;

use super::args::PageOf;
use super::draw::write;
use super::explain::Explainer;
use super::output::Output;
use super::problem::{Problem, headline};
use super::progress::Progress;
use super::story::story;
use crate::lab::crash_branches;
use crate::model::{Language, Scenario};
use crate::narrate::{Story, Window};
use crate::page::{Judged, Page, Verdicts, make_room, n_common};
use crate::trace::{Driver, Trace};
use crate::verify::{Outcome, Promised, Property, Verdict, verify};
use sinks::{OtherSinks, other_verdict};
use variants::{Shown, variants};

/// A page of more bytes keeps fewer branches.
const BYTES_MAX: usize = 5_000_000;
/// Steps of all branches together: of more, only those at moments are run.
const STEPS_MAX: u64 = 400_000;
/// A longer run is no page: the browser would hold all of its pictures.
const RUN_STEPS_MAX: u64 = 20_000;

/// At which steps a page can crash a task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crashes {
    Everywhere,
    AtMoments,
    Nowhere,
}

/// Writes a page.
pub(super) fn page(arguments: &PageOf, language: Language, output: Output) -> Result<(), Problem> {
    let story = story(&arguments.input, (arguments.seed, Window::WHOLE), output)?;
    if story.n_steps() > RUN_STEPS_MAX {
        let what = format!("the run has {} steps, too many for a page", story.n_steps());
        let help = format!(
            "at most {RUN_STEPS_MAX}; checkdam walk shows any step, checkdam draw --steps a part"
        );
        return Err(Problem::input("too-long", what, help));
    }
    let (text, note) = made(story, language);
    if let Some([en, zh]) = note {
        let note = super::words::pick(language, &en, &zh).to_owned();
        output.complain(&headline("note[page]", &note, "", &output));
    }
    write(arguments.out.as_deref(), text.as_bytes())
}

/// The page of a story, and what had to be left out.
pub(super) fn made(story: Story, language: Language) -> (String, Option<[String; 2]>) {
    let n = story.n_steps();
    let n_tasks = story.scenario.graph.subtasks.len() as u64;
    let all = n * n_tasks * n;
    let seed = match story.trace.driver {
        Driver::Seed(seed) if story.damage.is_none() && story.trace.complete => Some(seed),
        _ => None,
    };
    let Some(seed) = seed else {
        return (assemble(story, (0, language), Crashes::Nowhere), Some(no_dice()));
    };
    if all <= STEPS_MAX {
        let page = assemble(story.clone(), (seed, language), Crashes::Everywhere);
        if page.len() <= BYTES_MAX {
            return (page, None);
        }
    }
    let at_moments = n * n_tasks * story.spans.len() as u64;
    if at_moments > 0 && at_moments <= STEPS_MAX {
        let page = assemble(story.clone(), (seed, language), Crashes::AtMoments);
        if page.len() <= BYTES_MAX {
            return (page, Some(only_moments()));
        }
    }
    (assemble(story, (seed, language), Crashes::Nowhere), Some(no_crashes()))
}

fn only_moments() -> [String; 2] {
    [
        "With a crash at every step the page would be too large: it holds those at the moments."
            .to_owned(),
        "若每一步都能崩溃，页面会太大：这里只有各时刻的崩溃。".to_owned(),
    ]
}

fn no_crashes() -> [String; 2] {
    [
        "The run is too long: the page would be too large with any crash.".to_owned(),
        "这次运行太长：加上任何崩溃，页面都会太大。".to_owned(),
    ]
}

fn no_dice() -> [String; 2] {
    [
        "This trace cannot be run anew from a seed, so the page has no crashes.".to_owned(),
        "这条轨迹不能由种子重新运行，所以页面里没有崩溃。".to_owned(),
    ]
}

fn assemble(mut story: Story, (seed, language): (u64, Language), crashes: Crashes) -> String {
    // A run that goes on and on after a crash is cut where it is clear enough.
    let mut scenario = story.scenario.clone();
    scenario.steps_max = scenario.steps_max.min(4 * story.n_steps() + 1000);
    let trace = story.trace.clone();
    let ends: Vec<u64> = story.spans.iter().map(|span| span.last).collect();
    let is_wanted = |step: u64| match crashes {
        Crashes::Everywhere => true,
        Crashes::AtMoments => ends.contains(&step),
        Crashes::Nowhere => false,
    };
    let mut shown = match crashes {
        Crashes::Nowhere => Vec::new(),
        Crashes::Everywhere | Crashes::AtMoments => variants(&scenario, seed, &trace),
    };
    if crashes != Crashes::Nowhere {
        crash_branches(&scenario, seed, is_wanted, |own| {
            let made = make_room(&mut story, own.step, after(&own.trace, own.step));
            made.expect("a run of the engine, with no rule broken, can be told");
        });
    }
    shown.retain(|own| {
        let from = n_common(&story, &own.trace);
        make_room(&mut story, from, after(&own.trace, from)).is_ok()
    });
    let mut page = Page::new(&story);
    // Every step twice: with the job's own sinks, and with others.
    let mut progress = Progress::new(Some(2 * story.n_steps()), "steps");
    let mut told = (0, 0);
    let mut tell = |round: u64, step: u64| {
        while told < (round, step) {
            told = if told.0 < round { (round, 0) } else { (round, told.1 + 1) };
            progress.one();
        }
    };
    let mut other = None;
    if crashes != Crashes::Nowhere {
        let told = (is_wanted, |step| tell(0, step));
        other = OtherSinks::of(&mut page, (&scenario, seed), &trace, told);
        crash_branches(&scenario, seed, is_wanted, |own| {
            tell(1, own.step);
            let verdict = verify(&scenario, &own.trace);
            let place = (own.step, own.task);
            let said = Verdicts {
                own: page.judge(&Judged { verdict: &verdict, findings: &[] }),
                other_sinks: other.as_ref().and_then(|all| all.crashes.get(&place).copied()),
            };
            page.crash(place, (&own.trace, &verdict), said);
        });
    }
    for Shown { variant, scenario, trace, verdict } in &shown {
        let findings = findings(scenario, seed, verdict);
        let said = Verdicts {
            own: page.judge(&Judged { verdict, findings: &findings }),
            other_sinks: other_verdict(&mut page, (scenario, seed), (trace, variant.crash)),
        };
        page.variant(variant, (scenario, trace), said);
    }
    progress.end();
    match crashes {
        Crashes::Everywhere => {}
        Crashes::AtMoments => page.leave_out(only_moments()),
        Crashes::Nowhere => page.leave_out(no_crashes()),
    }
    let verdict = verify(&scenario, &trace);
    let findings = findings(&scenario, seed, &verdict);
    let own = page.judge(&Judged { verdict: &verdict, findings: &findings });
    let said = Verdicts { own, other_sinks: other.map(|all| all.main) };
    page.finish((&verdict, said), language)
}

fn after(trace: &Trace, step: u64) -> &[crate::trace::Step] {
    let from = trace.steps.partition_point(|own| own.number <= step);
    &trace.steps[from..]
}

/// What of a verdict is wrong, in both languages: some sentences of each
/// property that is broken although it is promised.
fn findings(scenario: &Scenario, seed: u64, verdict: &Verdict) -> Vec<[String; 2]> {
    const EACH_MAX: usize = 3;
    let explainers =
        [Language::En, Language::Zh].map(|language| Explainer::new(scenario, language, Some(seed)));
    let is_broken = |property: &Property| {
        let own = verdict.property(*property);
        own.outcome == Outcome::Violated && own.promised == Promised::Yes
    };
    let sentences = |property: Property| {
        let [en, zh] =
            explainers.each_ref().map(|own| super::verify::findings(own, verdict, property));
        en.into_iter().zip(zh).map(|(en, zh)| [en, zh]).take(EACH_MAX)
    };
    Property::ALL.into_iter().filter(is_broken).flat_map(sentences).collect()
}

//! Questions to predict what comes: there are some about every run, what is
//! right is what the lecture, Flink and arithmetic say, and they come out whole
//! on paper.

mod answers;
mod every_scenario;
mod paper;

use checkdam::lab::crash_branches;
use checkdam::narrate::Story;
use checkdam::questions::{Question, asked_about, of_a_restart, of_a_run};
use checkdam::verify::verify;

/// The questions about a built-in scenario, with those about a crash.
pub(crate) fn questions(name: &str) -> Vec<Question> {
    let (scenario, trace) = crate::story::run(name);
    let verdict = verify(&scenario, &trace);
    let story = Story::new(scenario.clone(), trace);
    let mut about_a_restart = Vec::new();
    if let Some((step, task)) = asked_about(&story) {
        crash_branches(
            &scenario,
            1,
            |own| own == step,
            |branch| {
                if branch.task == task {
                    let verdict = verify(&scenario, &branch.trace);
                    about_a_restart = of_a_restart(&story, (step, task), (&branch.trace, &verdict));
                }
            },
        );
    }
    of_a_run(&story, &verdict, about_a_restart)
}

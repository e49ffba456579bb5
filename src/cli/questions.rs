//! `checkdam questions`: what comes next, and why? For a class, a book, a quiz.

use unicode_width::UnicodeWidthStr;

use super::args::{FormName, QuestionsOf};
use super::output::Output;
use super::problem::Problem;
use super::story::story;
use crate::lab::crash_branches;
use crate::model::Language;
use crate::narrate::{Story, Window};
use crate::questions::paper::{Form, Source, paper};
use crate::questions::{Question, asked_about, of_a_restart, of_a_run};
use crate::trace::Driver;
use crate::verify::verify;

/// Prints the questions of a run.
pub(super) fn questions(
    arguments: &QuestionsOf,
    language: Language,
    output: Output,
) -> Result<(), Problem> {
    let story = story(&arguments.input, (arguments.seed, Window::WHOLE), output)?;
    let all = of(&story);
    let chosen = chosen(all, &arguments.only)?;
    if arguments.list {
        return Ok(output.print(&list(&chosen, language))?);
    }
    let scenario = &story.scenario;
    let title = match scenario.title.of(language) {
        "" => scenario.name.as_str(),
        title => title,
    };
    let form = match arguments.form {
        FormName::Text => Form::Text,
        FormName::Worksheet => Form::Worksheet,
        FormName::Book => Form::Book,
        FormName::Gift => Form::Gift,
        FormName::Quiz => Form::Quiz,
    };
    let name = match arguments.input.as_str() {
        "-" => &scenario.name,
        typed => typed,
    };
    let source = Source { name, title };
    Ok(output.print(&paper(source, &chosen, (form, language)))?)
}

/// The questions of a run, and those about a crash where it can be run anew.
fn of(story: &Story) -> Vec<Question> {
    let scenario = &story.scenario;
    let verdict = verify(scenario, &story.trace);
    let mut about_a_restart = Vec::new();
    let seed = match story.trace.driver {
        Driver::Seed(seed) if story.damage.is_none() && story.trace.complete => Some(seed),
        _ => None,
    };
    if let (Some(seed), Some((step, task))) = (seed, asked_about(story)) {
        // As on a page: what goes on and on after a crash is cut.
        let mut scenario = scenario.clone();
        scenario.steps_max = scenario.steps_max.min(4 * story.n_steps() + 1000);
        crash_branches(
            &scenario,
            seed,
            |own| own == step,
            |branch| {
                if branch.task == task {
                    let verdict = verify(&scenario, &branch.trace);
                    about_a_restart = of_a_restart(story, (step, task), (&branch.trace, &verdict));
                }
            },
        );
    }
    of_a_run(story, &verdict, about_a_restart)
}

/// Those of these names, in their order; all, if there are none.
fn chosen(all: Vec<Question>, names: &[String]) -> Result<Vec<Question>, Problem> {
    if names.is_empty() {
        return Ok(all);
    }
    let found = names.iter().map(|name| {
        let own = all.iter().find(|own| own.id == *name).cloned();
        own.ok_or_else(|| {
            let near = all.iter().map(|own| (strsim::jaro_winkler(&own.id, name), &own.id));
            let near = near.max_by(|one, other| one.0.total_cmp(&other.0));
            let help = match near {
                Some((_, id)) => format!("did you mean `{id}`? --list prints all names"),
                None => "this run has no questions".to_owned(),
            };
            Problem::input(
                "no-question",
                format!("no question of this run is called `{name}`"),
                help,
            )
        })
    });
    found.collect()
}

fn list(questions: &[Question], language: Language) -> String {
    let widest = questions.iter().map(|own| own.id.width()).max().unwrap_or(0);
    let place = match language {
        Language::En => 0,
        Language::Zh => 1,
    };
    let line =
        |own: &Question| format!("{:widest$}  {}\n", own.id, own.ask[place].replace('\u{a0}', " "));
    questions.iter().map(line).collect()
}

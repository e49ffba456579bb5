//! What happens to a run: checkpoints that are asked for, TaskManagers that
//! tasks are in, faults.

use std::collections::BTreeMap;
use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::limits::{COUNTER_MAX, TIMES_MAX};
use super::message_faults::MessageFaultReader;
use super::names::{NameOf, Names};
use super::places::{Places, TaskPlace, Word};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Fields, Quoted, get, key};
use super::vocabulary::{
    CANCEL, CHECKPOINT, CRASH, DISPOSE, FAULTS, JOB_MANAGER_CRASH, SLOW, STALL, STORAGE_FAULT,
};
use super::when::{Here, WhenReader};
use super::words::{clip, list, quote};
use crate::model::{
    CheckpointId, FactPattern, Fault, FaultKind, MessageFault, Micros, TaskManager,
    TaskManagerIndex, When,
};

/// The name that faults call the JobManager by.
const JOB_MANAGER: &str = "jobmanager";

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
    let when = WhenReader { places, problems: &mut *problems, here: Here::Nobody }
        .when(&fields, "`cancel`");
    if let Some(When::Upon {
        pattern: FactPattern::JobFinished | FactPattern::JobCanceled, ..
    }) = when
    {
        let problem = Diagnostic::warning("nothing-to-cancel", "then there is nothing to cancel");
        problems.add(problem.at(range_of(value), "the job is over by then"));
    }
    when
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

/// What goes wrong in a run: at some time, and to a message.
pub(super) type Faults = (Vec<Fault>, Vec<MessageFault>);

/// Reads what stands under `faults`.
pub(super) fn faults(
    value: &Value<'_>,
    places: &Places<'_>,
    managers: &[TaskManager],
    problems: &mut Problems,
) -> Faults {
    let expected = "a list as [{ \"crash\": \"sum[even]\", \"at\": \"3 s\" }]";
    let Some(array) = problems.list(value, "`faults`", expected) else { return Faults::default() };
    let managers =
        managers.iter().zip(0..).map(|(manager, place)| (manager.name.as_str(), place)).collect();
    let mut faults = Faults::default();
    for element in &array.elements {
        let expected = "an object with `crash`, `slow` or another fault";
        let Some(object) = problems.object(element, "a fault", expected) else { continue };
        let Some((kind, value)) = kind_of_fault(object, problems) else { continue };
        if matches!(kind, "lose" | "delay") {
            let mut reader = MessageFaultReader { places, problems: &mut *problems };
            faults.1.extend(reader.read(object, (kind, value)));
        } else {
            let (problems, managers) = (&mut *problems, &managers);
            let mut reader = FaultReader { places, managers, problems };
            faults.0.extend(reader.fault(object, (kind, value)));
        }
    }
    faults
}

/// The one key that says what breaks, and its value.
fn kind_of_fault<'v, 'a>(
    object: &'v Object<'a>,
    problems: &mut Problems,
) -> Option<(&'static str, &'v Value<'a>)> {
    let mut given = FAULTS.into_iter().filter_map(|kind| Some((kind, get(object, kind)?)));
    match (given.next(), given.next()) {
        (Some((kind, property)), None) => Some((kind, &property.value)),
        (Some((one, first)), Some((other, second))) => {
            let message = format!("a fault cannot {one} and {other} at once");
            problems.add(
                Diagnostic::error("two-kinds", message)
                    .at(key(second).range, "and this")
                    .at(key(first).range, "this")
                    .help("make two faults of it"),
            );
            None
        }
        (None, _) => {
            let near = object.properties.iter().find_map(|property| {
                let word = key(property);
                let near = problems.nearest(word.text, FAULTS);
                near.map(|near| (word.range, near))
            });
            let open = object.range.start..object.range.start + 1;
            let problem = Diagnostic::error("missing-kind", "a fault does not say what breaks");
            let kinds = list(&FAULTS.map(quote), "or");
            let problem = match near {
                Some((range, near)) => problem.at(range, "").did_you_mean(Some(near)),
                None => problem.at(open, format!("{kinds} is missing here")),
            };
            problems.add(problem.help(format!("what a fault can do: {kinds}")));
            None
        }
    }
}

/// How long there is no JobManager, unless a scenario says so.
const JOB_MANAGER_GONE: Micros = Micros(1_000_000);

struct FaultReader<'r, 'j> {
    places: &'r Places<'j>,
    managers: &'r BTreeMap<&'r str, u32>,
    problems: &'r mut Problems,
}

impl FaultReader<'_, '_> {
    fn fault(&mut self, object: &Object<'_>, what: (&str, &Value<'_>)) -> Option<Fault> {
        let (fields, (kind, here)) = match what {
            ("crash", name @ Value::StringLit(word)) if self.is_job_manager(&word.value) => {
                let what = "a crash of the JobManager";
                let fields = self.problems.fields(object, what.into(), JOB_MANAGER_CRASH);
                let lasts = match fields.get("for") {
                    Some(_) => self.lasts(&fields, what),
                    None => Some(JOB_MANAGER_GONE),
                };
                if word.value != JOB_MANAGER {
                    let message = format!("nothing to crash: there is no `{}`", clip(&word.value));
                    let problem = Diagnostic::error("unknown-operator", message);
                    let near = Some(JOB_MANAGER.to_owned());
                    self.problems.add(problem.at(range_of(name), "").did_you_mean(near));
                }
                let kind = lasts.map(|lasts| FaultKind::CrashJobManager { lasts });
                (fields, (kind, Here::Nobody))
            }
            ("crash", crash) => {
                let fields = self.problems.fields(object, "a crash".into(), CRASH);
                (fields, self.crash(crash))
            }
            ("storage", storage) => {
                let what = "a fault of the storage";
                let fields = self.problems.fields(object, what.into(), STORAGE_FAULT);
                let kind = self.storage(storage, &fields);
                (fields, (kind, Here::Nobody))
            }
            ("stall", stall) => {
                let fields = self.problems.fields(object, "a stall".into(), STALL);
                let kind = self.stall(stall, &fields);
                (fields, (kind, Here::Nobody))
            }
            ("dispose", checkpoint) => {
                let what = "the deletion of a checkpoint";
                let fields = self.problems.fields(object, what.into(), DISPOSE);
                let id = self.problems.whole(checkpoint, "`dispose`", 1..=COUNTER_MAX);
                let kind = id.map(|id| FaultKind::Dispose { checkpoint: CheckpointId(id) });
                (fields, (kind, Here::Nobody))
            }
            (_, slow) => {
                let fields = self.problems.fields(object, "a slowness".into(), SLOW);
                let found = self.slow(slow, &fields);
                (fields, found)
            }
        };
        let mut reader = WhenReader { places: self.places, problems: &mut *self.problems, here };
        let when = match fields.get("mean-time-between") {
            Some(_) => reader.random(&fields),
            None => reader.when(&fields, "a fault"),
        };
        Some(Fault { kind: kind?, when: when? })
    }

    /// How long something lasts.
    fn lasts(&mut self, fields: &Fields<'_, '_>, what: &str) -> Option<Micros> {
        let lasts = self.problems.required(fields, what, "for")?;
        let duration = self.problems.duration(lasts, "`for`")?;
        if duration == Micros::ZERO {
            let message = format!("{what} of no time changes nothing");
            let problem = Diagnostic::error("no-time", message);
            self.problems.add(problem.at(range_of(lasts), "longer than 0"));
        }
        Some(duration)
    }

    fn stall(&mut self, value: &Value<'_>, fields: &Fields<'_, '_>) -> Option<FaultKind> {
        let lasts = self.lasts(fields, "a stall");
        let expected = "a channel as \"numbers->sum[even]\"";
        let target = self.problems.string(value, "`stall`", expected)?;
        if !target.text.contains("->") {
            let message = format!("{} is no channel", quote(target.text));
            let problem = Diagnostic::error("unknown-channel", message);
            self.problems.add(problem.at(target.range, format!("expected {expected}")));
            return None;
        }
        let (word, sorry) = (Word::whole(&target), "nothing to stall: ");
        let channel = self.places.channel(&word, sorry, self.problems)?;
        if self.places.is_local(channel) {
            let message = "a local channel has no network that could stall";
            let problem = Diagnostic::error("no-network", message);
            self.problems.add(problem.at(target.range, "both ends are in one process"));
            return None;
        }
        Some(FaultKind::StallChannel { channel, lasts: lasts? })
    }

    /// Whether a name means the JobManager, however it is spelled: a job may
    /// have something else of that name.
    fn is_job_manager(&self, name: &str) -> bool {
        let is_taken = self.managers.contains_key(name) || self.places.operator(name).is_some();
        name.eq_ignore_ascii_case(JOB_MANAGER) && !is_taken
    }

    fn crash(&mut self, value: &Value<'_>) -> (Option<FaultKind>, Here) {
        let expected = "a task as \"sum[even]\", a TaskManager, or \"jobmanager\"";
        let Some(target) = self.problems.string(value, "`crash`", expected) else {
            return (None, Here::Unclear);
        };
        self.tell_job_manager(&target);
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

    /// Tells a name that the JobManager has as well.
    fn tell_job_manager(&mut self, target: &Quoted<'_>) {
        let other = match self.managers.contains_key(target.text) {
            true => "TaskManager",
            false if self.places.operator(target.text).is_some() => "operator",
            false => return,
        };
        if target.text == JOB_MANAGER {
            let message = format!("this crashes the {other} of that name, not the JobManager");
            let problem = Diagnostic::warning("two-jobmanagers", message);
            let help = format!("give the {other} another name");
            self.problems.add(problem.at(target.range.clone(), "both have it").help(help));
        }
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

    /// The storage is "down" or "slow".
    fn storage(&mut self, value: &Value<'_>, fields: &Fields<'_, '_>) -> Option<FaultKind> {
        let lasts = self.lasts(fields, "a fault of the storage");
        let what = self.problems.string(value, "`storage`", "\"down\" or \"slow\"")?;
        match (what.text, fields.get("times")) {
            ("down", None) => Some(FaultKind::StorageDown { lasts: lasts? }),
            ("down", Some(times)) => {
                let message = "what is down has no speed";
                let problem = Diagnostic::error("down-and-slow", message);
                self.problems.add(problem.at(key(times).range, "leave this out"));
                None
            }
            ("slow", _) => {
                let times = self.problems.required(fields, "a slow storage", "times")?;
                let times = self.problems.whole(times, "`times`", 2..=TIMES_MAX);
                Some(FaultKind::SlowStorage { times: times? as u32, lasts: lasts? })
            }
            (other, _) => {
                let message = format!("the storage cannot be `{}`", clip(other));
                let near = self.problems.nearest(other, ["down", "slow"]);
                let problem = Diagnostic::error("unknown-storage-fault", message);
                let problem = problem.at(what.range.clone(), "\"down\" or \"slow\"");
                self.problems.add(problem.did_you_mean(near));
                None
            }
        }
    }

    fn slow(&mut self, value: &Value<'_>, fields: &Fields<'_, '_>) -> (Option<FaultKind>, Here) {
        let times = self.problems.required(fields, "a slowness", "times");
        let times = times.and_then(|times| self.problems.whole(times, "`times`", 2..=TIMES_MAX));
        let lasts = self.lasts(fields, "a slowness");
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
    let all = || Mutation::every().map(Mutation::name);
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

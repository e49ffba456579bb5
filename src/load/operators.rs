//! The operators of a job, one by one, as far as the file makes sense. What
//! they are to each other is looked at in `edges` and `graph`.

use std::collections::BTreeMap;
use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::kinds::KindDraft;
use super::limits::{KEY_GROUPS_MAX, OPERATORS_MAX, SUBTASKS_MAX};
use super::names::{NameOf, Names};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Fields, Owner, Quoted, get, key, place};
use super::vocabulary::{KindKey, SNAPSHOT};
use super::words::{clip, count, names};
use crate::model::{Delay, MaxParallelismOrigin, Micros, SnapshotState, default_max_parallelism};

/// An operator as it stands in the file. What is missing here was wrong there.
#[derive(Clone, Debug)]
pub(super) struct OperatorDraft {
    pub(super) name: String,
    /// Where the name stands.
    pub(super) range: Range<usize>,
    /// What it does, by name.
    pub(super) kind_key: Option<KindKey>,
    /// What it does.
    pub(super) kind: Option<KindDraft>,
    pub(super) parallelism: Option<u32>,
    /// Where that is said; else where the name stands.
    pub(super) parallelism_range: Range<usize>,
    pub(super) max_parallelism: u32,
    pub(super) max_parallelism_origin: MaxParallelismOrigin,
    /// What its state is found by in a savepoint, with the place.
    pub(super) uid: String,
    uid_range: Range<usize>,
    /// Names of the subtasks.
    pub(super) subtasks: Option<Vec<String>>,
    /// Positions of the subtasks by name.
    positions: BTreeMap<String, u32>,
    /// One for each subtask.
    pub(super) service: Vec<Delay>,
    /// Size of a key with its value.
    pub(super) bytes_per_key: u64,
    /// Of its snapshots: copying the state, and storing the copy.
    pub(super) sync: Delay,
    pub(super) store: Delay,
}

impl OperatorDraft {
    /// The position of a subtask by name or by number.
    pub(super) fn position(&self, word: &str) -> Option<u32> {
        let n_subtasks = self.parallelism?;
        let by_name = self.positions.get(word).copied();
        by_name.or_else(|| subtask_number(word).filter(|number| *number < n_subtasks))
    }

    /// As [`OperatorDraft::position`] where the operator is clear: its only
    /// subtask may be called by the operator's name.
    pub(super) fn own_position(&self, word: &str) -> Option<u32> {
        let alone = || (self.parallelism == Some(1) && word == self.name).then_some(0);
        self.position(word).or_else(alone)
    }

    /// The full name of a subtask.
    pub(super) fn full_name(&self, position: u32) -> String {
        match self.subtasks.as_deref() {
            Some([only]) if only == "0" => self.name.clone(),
            Some(subtasks) => format!("{}[{}]", self.name, subtasks[position as usize]),
            None => self.name.clone(),
        }
    }

    /// "`total` has 2 subtasks".
    pub(super) fn has_subtasks(&self) -> String {
        let n = self.parallelism.unwrap_or_default();
        format!("`{}` has {}", clip(&self.name), count(n.into(), "subtask"))
    }
}

/// Reads everything under `job`.
pub(super) fn read(value: &Value<'_>, problems: &mut Problems) -> Vec<OperatorDraft> {
    let expected = "an object from the name of each operator to what it does";
    let Some(job) = problems.object(value, "`job`", expected) else { return Vec::new() };
    if job.properties.is_empty() {
        let help = "the smallest job: { \"numbers\": { \"source\": [1, 2, 3] }, \
                    \"out\": { \"sink\": \"publish\" } }";
        let problem = Diagnostic::error("empty-job", "the job has no operators");
        problems.add(problem.at(range_of(value), "nothing to run").help(help));
    }
    if job.properties.len() > OPERATORS_MAX {
        let (n, one_too_many) = (job.properties.len(), &job.properties[OPERATORS_MAX]);
        let message = format!("a job has at most {OPERATORS_MAX} operators, not {n}");
        let problem = Diagnostic::error("too-many-operators", message);
        problems.add(problem.at(key(one_too_many).range, "one too many"));
    }
    let mut operators: Vec<OperatorDraft> = Vec::new();
    let mut seen = BTreeMap::new();
    let mut n_subtasks = 0;
    for property in job.properties.iter().take(OPERATORS_MAX) {
        let name = key(property);
        problems.name(&name, NameOf::Operator);
        let operator = Reader { problems: &mut *problems, name: &name }.operator(&property.value);
        // An operator of the same name is told as a duplicate elsewhere.
        if seen.insert(name.text.to_owned(), ()).is_some() {
            continue;
        }
        n_subtasks += u64::from(operator.parallelism.unwrap_or(1));
        operators.push(operator);
    }
    // The state of two operators could not be told apart.
    let mut uids = Names::new(NameOf::Uid);
    for operator in &operators {
        uids.claim(&operator.uid, operator.uid_range.clone(), problems);
    }
    if n_subtasks > SUBTASKS_MAX {
        let message = format!("a job has at most {SUBTASKS_MAX} subtasks, not {n_subtasks}");
        let largest = operators.iter().max_by_key(|operator| operator.parallelism);
        let at = largest.map_or(0..0, |operator| operator.parallelism_range.clone());
        problems.add(Diagnostic::error("too-many-subtasks", message).at(at, "most are here"));
    }
    operators
}

/// Reads one operator.
struct Reader<'r, 't> {
    problems: &'r mut Problems,
    name: &'r Quoted<'t>,
}

impl Reader<'_, '_> {
    fn operator(&mut self, value: &Value<'_>) -> OperatorDraft {
        let mut operator = OperatorDraft {
            name: self.name.text.to_owned(),
            range: self.name.range.clone(),
            kind_key: None,
            kind: None,
            parallelism: None,
            parallelism_range: self.name.range.clone(),
            max_parallelism: default_max_parallelism(1),
            max_parallelism_origin: MaxParallelismOrigin::Derived,
            uid: self.name.text.to_owned(),
            uid_range: self.name.range.clone(),
            subtasks: None,
            positions: BTreeMap::new(),
            service: Vec::new(),
            bytes_per_key: SnapshotState::KEY_BYTES,
            sync: Delay::NONE,
            store: Delay::NONE,
        };
        let name = clip(self.name.text);
        let what = format!("the operator `{name}`");
        let expected = "an object as { \"sum\": \"parity\", \"parallelism\": 2 }";
        let Some(object) = self.problems.object(value, &what, expected) else { return operator };
        let Some(kind_key) = self.kind_key(object, &what) else { return operator };
        operator.kind_key = Some(kind_key);
        let taker = format!("`{name}` is {}; it", kind_key.article());
        let owner = Owner { subject: &what, taker: &taker };
        let fields = self.problems.fields(object, owner, kind_key.keys());
        operator.kind = self.problems.operator_kind(&fields, kind_key);
        self.parallelism(&fields, &mut operator);
        self.names(&fields, &mut operator);
        self.service(&fields, &mut operator);
        self.snapshot(&fields, &mut operator);
        if let Some(value) = fields.value("uid")
            && let Some(uid) = self.problems.string(value, "`uid`", "a text")
        {
            self.problems.name(&uid, NameOf::Uid);
            operator.uid = uid.text.to_owned();
            operator.uid_range = uid.range.clone();
        }
        if let Some(value) = fields.value("bytes-per-key")
            && let Some(bytes) = self.problems.size(value, "`bytes-per-key`")
        {
            operator.bytes_per_key = bytes;
        }
        operator
    }

    /// The one key that says what an operator does.
    fn kind_key(&mut self, object: &Object<'_>, what: &str) -> Option<KindKey> {
        let all = KindKey::ALL.map(KindKey::name);
        let found: Vec<KindKey> =
            KindKey::ALL.into_iter().filter(|kind| get(object, kind.name()).is_some()).collect();
        match found.as_slice() {
            [one] => Some(*one),
            [] => {
                // A misspelt kind is the likely cause.
                let near = object.properties.iter().find_map(|property| {
                    let key = key(property);
                    self.problems.nearest(key.text, all).map(|near| (key.range, near))
                });
                let open = object.range.start..object.range.start + 1;
                let message = format!("{what} does not say what it does");
                let problem = Diagnostic::error("missing-kind", message);
                let problem = match near {
                    Some((range, near)) => problem.at(range, "").did_you_mean(Some(near)),
                    None => problem.at(open, "a key is missing here"),
                };
                self.problems.add(problem.help(format!("it is one of {}", names(all))));
                None
            }
            [first, second, ..] => {
                let at = |kind: &KindKey| key(get(object, kind.name()).expect("it is there")).range;
                let message = format!(
                    "{what} cannot be {} and {} at once",
                    first.article(),
                    second.article()
                );
                self.problems.add(
                    Diagnostic::error("two-kinds", message)
                        .at(at(second), "and this")
                        .at(at(first), "this")
                        .help("make two operators of it, and an edge between them"),
                );
                None
            }
        }
    }

    fn parallelism(&mut self, fields: &Fields<'_, '_>, operator: &mut OperatorDraft) {
        let n_splits = match &operator.kind {
            Some(KindDraft::Source { splits, .. }) => Some(splits.all().len() as u64),
            _ => None,
        };
        match fields.get("parallelism") {
            Some(property) => {
                operator.parallelism_range = place(property);
                operator.parallelism = self.at_least_one(&property.value);
            }
            // What a source has by default is not known if its splits are wrong.
            None if operator.kind_key == Some(KindKey::Source) => {
                if let Some(n) = n_splits.filter(|n| *n > SUBTASKS_MAX) {
                    let message = format!("{n} splits would need as many subtasks");
                    self.problems.add(
                        Diagnostic::error("too-many-subtasks", message)
                            .at(operator.range.clone(), format!("at most {SUBTASKS_MAX}"))
                            .help("set its `parallelism`: a subtask can read several splits"),
                    );
                } else {
                    operator.parallelism = n_splits.map(|n| n as u32);
                }
            }
            None => operator.parallelism = Some(1),
        }
        let least = operator.parallelism.unwrap_or(1);
        operator.max_parallelism = default_max_parallelism(least);
        if let Some(value) = fields.value("max-parallelism") {
            let bounds = u64::from(least)..=KEY_GROUPS_MAX;
            if let Some(max) = self.problems.whole(value, "`max-parallelism`", bounds) {
                operator.max_parallelism = max as u32;
                operator.max_parallelism_origin = MaxParallelismOrigin::Configured;
            }
        }
    }

    fn at_least_one(&mut self, value: &Value<'_>) -> Option<u32> {
        if matches!(value, Value::NumberLit(literal) if literal.value == "0") {
            let name = clip(self.name.text);
            self.problems.add(
                Diagnostic::error("no-subtasks", format!("`{name}` would have no subtasks"))
                    .at(range_of(value), "at least 1"),
            );
            return None;
        }
        self.problems.whole(value, "`parallelism`", 1..=SUBTASKS_MAX).map(|n| n as u32)
    }

    fn names(&mut self, fields: &Fields<'_, '_>, operator: &mut OperatorDraft) {
        let given = fields.value("names");
        let Some(n) = operator.parallelism else { return };
        let subtasks = match (given, &operator.kind) {
            (Some(value), _) => self.given_names(value, operator),
            (None, Some(KindDraft::Source { splits, .. })) => match splits {
                super::splits::SplitsDraft::Named(splits) if splits.len() == n as usize => {
                    Some(splits.iter().filter_map(|split| split.name.clone()).collect())
                }
                _ => Some(numbers(n)),
            },
            (None, _) => Some(numbers(n)),
        };
        if let Some(subtasks) = &subtasks {
            operator.positions = subtasks.iter().cloned().zip(0..).collect();
        }
        operator.subtasks = subtasks;
    }

    fn given_names(&mut self, value: &Value<'_>, operator: &OperatorDraft) -> Option<Vec<String>> {
        let array = self.problems.list(value, "`names`", "a list of the subtasks' names")?;
        let n = operator.parallelism?;
        if array.elements.len() != n as usize {
            let n_names = count(array.elements.len() as u64, "name");
            let message = format!("{}, but here is {n_names}", operator.has_subtasks());
            self.problems.add(
                Diagnostic::error("wrong-number-of-names", message)
                    .at(range_of(value), n_names)
                    .at(operator.parallelism_range.clone(), count(n.into(), "subtask"))
                    .help("each subtask needs one name"),
            );
            return None;
        }
        let mut taken = Names::new(NameOf::Subtask);
        let mut subtasks = Vec::new();
        for (element, position) in array.elements.iter().zip(0_u32..) {
            let Some(name) = self.problems.string(element, "a subtask's name", "a text") else {
                continue;
            };
            self.problems.name(&name, NameOf::Subtask);
            if taken.claim(name.text, name.range.clone(), self.problems)
                && subtask_number(name.text).is_some_and(|number| number != position)
            {
                let message = format!("subtask {position} cannot be called `{}`", clip(name.text));
                self.problems.add(
                    Diagnostic::error("bad-name", message)
                        .at(name.range.clone(), "that is the number of another subtask"),
                );
            }
            subtasks.push(name.text.to_owned());
        }
        (subtasks.len() == n as usize).then_some(subtasks)
    }

    fn service(&mut self, fields: &Fields<'_, '_>, operator: &mut OperatorDraft) {
        let n = operator.parallelism.unwrap_or(1) as usize;
        // A source that took no time at all would read everything in one step.
        let default = match operator.kind_key {
            Some(KindKey::Source) => Delay::Fixed(Micros::from_ms(1)),
            _ => Delay::NONE,
        };
        operator.service = vec![default; n];
        match fields.value("service") {
            None => {}
            Some(Value::Object(each)) if !super::delays::is_uniform(each) => {
                self.service_of_each(each, operator);
            }
            Some(value) => {
                if let Some(delay) = self.problems.delay(value, "`service`") {
                    operator.service.fill(delay);
                }
            }
        }
    }

    /// How long a snapshot takes: copying the state, and storing the copy.
    fn snapshot(&mut self, fields: &Fields<'_, '_>, operator: &mut OperatorDraft) {
        let Some(value) = fields.value("snapshot") else { return };
        let expected = "an object as { \"sync\": \"1 ms\", \"async\": \"20 ms\" }";
        let Some(object) = self.problems.object(value, "`snapshot`", expected) else { return };
        let parts = self.problems.fields(object, "`snapshot`".into(), SNAPSHOT);
        for (name, delay) in [("sync", &mut operator.sync), ("async", &mut operator.store)] {
            if let Some(value) = parts.value(name)
                && let Some(given) = self.problems.delay(value, &format!("`{name}`"))
            {
                *delay = given;
            }
        }
    }

    fn service_of_each(&mut self, each: &Object<'_>, operator: &mut OperatorDraft) {
        let mut given: BTreeMap<u32, Quoted<'_>> = BTreeMap::new();
        for property in &each.properties {
            let name = key(property);
            let delay = self.problems.delay(&property.value, "a service time");
            if operator.subtasks.is_none() {
                continue;
            }
            let Some(position) = operator.own_position(name.text) else {
                let problem = unknown_subtask(operator, name.text, name.range, self.problems);
                self.problems.add(problem);
                continue;
            };
            if let Some(first) = given.get(&position) {
                // Told as a duplicate key.
                if first.text == name.text {
                    continue;
                }
                let message = format!("`{}` has two service times", operator.full_name(position));
                self.problems.add(
                    Diagnostic::error("given-twice", message)
                        .at(name.range, "again here")
                        .at(first.range.clone(), "first here"),
                );
                continue;
            }
            given.insert(position, name);
            if let Some(delay) = delay {
                operator.service[position as usize] = delay;
            }
        }
    }
}

/// The number that a word is, written as numbers are.
pub(super) fn subtask_number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|number: &u32| number.to_string() == word)
}

fn numbers(n: u32) -> Vec<String> {
    (0..n).map(|number| number.to_string()).collect()
}

/// That an operator has no subtask of a name.
pub(super) fn unknown_subtask(
    operator: &OperatorDraft,
    word: &str,
    at: Range<usize>,
    problems: &mut Problems,
) -> Diagnostic {
    let subtasks = operator.subtasks.as_deref().unwrap_or_default();
    let name = clip(&operator.name);
    let message = format!("`{name}` has no subtask `{}`", clip(word));
    if problems.is_full() {
        return Diagnostic::error("unknown-subtask", message);
    }
    let near = problems.nearest(word, subtasks.iter().map(String::as_str));
    let numbered = subtasks.iter().zip(0..).all(|(name, place)| *name == place.to_string());
    let help = match subtasks {
        [only] if only == "0" => format!("it has only one, which is called `{name}`"),
        [_] => format!("its only subtask is {}", names(subtasks.iter().map(String::as_str))),
        [.., _] if numbered => {
            let last = subtasks.len() - 1;
            format!("its subtasks are {name}[0] to {name}[{last}]")
        }
        [_, _] => format!(
            "its subtasks are {} (also by number: {name}[0], {name}[1])",
            names(subtasks.iter().map(String::as_str))
        ),
        _ => format!(
            "its subtasks are {} (also by number, from {name}[0] on)",
            names(subtasks.iter().map(String::as_str))
        ),
    };
    Diagnostic::error("unknown-subtask", message)
        .at(at, "no such subtask")
        .did_you_mean(near)
        .help(help)
}

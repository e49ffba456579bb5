//! Cases of sinks: transactions that follow the checkpoints, and committers.

use std::collections::BTreeMap;

use checkdam::model::{Attempt, CheckpointId, Micros, SubtaskIndex, Time, TransactionId};
use checkdam::protocol::{
    CommitOutcome, CommitSignal, Committer, CommitterEffect, CommitterInput, ExternalTransactions,
    OnTransactionTimeout, TransactionTimeouts, TwoPhaseCommitEffect, TwoPhaseCommitInput,
    TwoPhaseCommitSink,
};
use serde_json::{Map, Value, json};

use super::coordinator_bench::time;
use super::coordinator_cases::object;
use super::json::{field, flag_or, list, millis, number, number_or, text};

/// Plays a case of a two-phase-commit sink.
///
/// # Errors
/// When it is not of the format.
pub(crate) fn two_phase_commit(case: &Value) -> Result<Map<String, Value>, String> {
    let config = field(case, "config")?;
    let duration = |key| config.get(key).map(|_| millis(config, key)).transpose();
    let age = duration("transaction_timeout_ms")?.unwrap_or(Micros::ZERO);
    let timeouts = TransactionTimeouts {
        external: duration("external_transaction_timeout_ms")?,
        on_timeout: match flag_or(config, "ignore_failures_after_timeout", false) {
            true => OnTransactionTimeout::IgnoreAfter(age),
            false => OnTransactionTimeout::FailJob,
        },
    };
    let mut play = Play::new(timeouts);
    for event in list(case, "events")? {
        let at = time(number(event, "at_ms")?);
        play.perform(at, event)?;
        play.now = at;
    }
    Ok(play.fields())
}

/// A sink with the system that it writes into.
struct Play {
    sink: TwoPhaseCommitSink,
    attempt: Attempt,
    external: ExternalTransactions,
    now: Time,
    /// What the case calls a transaction: by order of beginning.
    names: Vec<TransactionId>,
    current: Option<TransactionId>,
    written: BTreeMap<TransactionId, Vec<String>>,
    /// By checkpoint: the prepared transactions that it stores.
    snapshots: BTreeMap<CheckpointId, Vec<(TransactionId, CheckpointId)>>,
    log: Vec<String>,
    committed: Vec<String>,
    aborted: Vec<String>,
    lost: Vec<String>,
    failed: bool,
}

impl Play {
    fn new(timeouts: TransactionTimeouts) -> Self {
        Self {
            sink: TwoPhaseCommitSink::new(SubtaskIndex(0)),
            attempt: Attempt(1),
            external: ExternalTransactions::new(timeouts),
            now: Time::ZERO,
            names: Vec::new(),
            current: None,
            written: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            log: Vec::new(),
            committed: Vec::new(),
            aborted: Vec::new(),
            lost: Vec::new(),
            failed: false,
        }
    }

    fn name(&self, transaction: TransactionId) -> String {
        let place = self.names.iter().position(|known| *known == transaction);
        format!("t{}", place.map_or(0, |place| place + 1))
    }

    fn perform(&mut self, at: Time, event: &Value) -> Result<(), String> {
        let mut effects = Vec::new();
        let checkpoint = || number(event, "id").map(CheckpointId);
        match text(event, "what")? {
            // A sink has its first transaction from the start.
            "open" => effects.push(TwoPhaseCommitEffect::Begin(TransactionId {
                subtask: SubtaskIndex(0),
                attempt: self.attempt,
                number: 1,
            })),
            "write" => {
                let (value, current) = (text(event, "value")?, self.current.ok_or("none open")?);
                self.log.push(format!("write {} {value}", self.name(current)));
                self.written.entry(current).or_default().push(value.to_owned());
            }
            "snapshot" => {
                let checkpoint = checkpoint()?;
                self.sink.on(TwoPhaseCommitInput::Snapshot(checkpoint), &mut effects);
                self.snapshots.insert(checkpoint, self.sink.prepared().to_vec());
            }
            "notify_complete" => {
                self.sink.on(TwoPhaseCommitInput::Completed(checkpoint()?), &mut effects);
            }
            // Neither reaches the sink: an aborted checkpoint's transaction
            // is committed with the next one, and a crash says nothing.
            "notify_abort" | "crash" => {}
            "finish" => self.sink.on(TwoPhaseCommitInput::EndOfData, &mut effects),
            "restore" => {
                let from = CheckpointId(number(event, "from_checkpoint")?);
                self.attempt.0 += 1;
                let attempt = self.attempt;
                let prepared = self.snapshots.get(&from).cloned().unwrap_or_default();
                self.sink.on(TwoPhaseCommitInput::Restore { attempt, prepared }, &mut effects);
                return self.recover(at, &effects);
            }
            what => return Err(format!("unknown event {what}")),
        }
        effects.iter().for_each(|effect| self.carry_out(at, *effect));
        Ok(())
    }

    fn carry_out(&mut self, at: Time, effect: TwoPhaseCommitEffect) {
        match effect {
            TwoPhaseCommitEffect::Begin(transaction) => {
                self.names.push(transaction);
                self.external.begin(at, transaction);
                self.current = Some(transaction);
                self.log.push(format!("begin {}", self.name(transaction)));
            }
            TwoPhaseCommitEffect::Prepare(transaction, _) => {
                self.current = None;
                self.log.push(format!("precommit {}", self.name(transaction)));
            }
            TwoPhaseCommitEffect::Commit(transaction) => {
                self.log.push(format!("commit {}", self.name(transaction)));
                if self.external.recover_and_commit(at, transaction) == CommitOutcome::Committed {
                    self.committed.extend(self.written.remove(&transaction).unwrap_or_default());
                }
            }
            TwoPhaseCommitEffect::Abort(transaction) => {
                self.log.push(format!("abort {}", self.name(transaction)));
                self.external.abort(transaction);
            }
            TwoPhaseCommitEffect::Merge { .. } => unreachable!("no rule is broken here"),
        }
    }

    /// What a restored sink asks for, until a commit fails.
    fn recover(&mut self, at: Time, effects: &[TwoPhaseCommitEffect]) -> Result<(), String> {
        for effect in effects {
            match *effect {
                TwoPhaseCommitEffect::Commit(transaction) => {
                    let name = self.name(transaction);
                    let outcome = self.external.recover_and_commit(at, transaction);
                    let held = self.written.remove(&transaction).unwrap_or_default();
                    match outcome {
                        CommitOutcome::Committed => {
                            self.log.push(format!("recover_commit {name}"));
                            self.committed.extend(held);
                        }
                        CommitOutcome::Lost => {
                            self.log.push(format!("recover_commit {name} IGNORED_TIMEOUT"));
                            self.lost.extend(held);
                        }
                        CommitOutcome::Failed => {
                            self.log.push(format!("recover_commit {name} FAILED_TIMEOUT"));
                            self.failed = true;
                            return Ok(());
                        }
                    }
                }
                TwoPhaseCommitEffect::Abort(transaction) => {
                    let name = self.name(transaction);
                    self.log.push(format!("recover_abort {name}"));
                    self.external.abort(transaction);
                    self.aborted.push(name);
                }
                effect => self.carry_out(at, effect),
            }
        }
        Ok(())
    }

    fn fields(self) -> Map<String, Value> {
        let names = |ids: Vec<TransactionId>| ids.into_iter().map(|id| self.name(id)).collect();
        let open: Vec<String> = names(self.current.into_iter().collect());
        let prepared: Vec<String> =
            names(self.sink.prepared().iter().map(|(transaction, _)| *transaction).collect());
        object([
            ("open", json!(open)),
            ("precommitted", json!(prepared)),
            ("log", json!(self.log)),
            ("committed", json!(self.committed)),
            ("aborted", json!(self.aborted)),
            ("lost", json!(self.lost)),
            ("job", json!(if self.failed { "fails_and_restarts" } else { "continues" })),
        ])
    }
}

/// Plays a case of a committer.
///
/// # Errors
/// When it is not of the format.
pub(crate) fn committer(case: &Value) -> Result<Map<String, Value>, String> {
    let retries_max = number_or(field(case, "config")?, "retries", 10)? as u32;
    let mut machine = Committer::new(retries_max);
    let mut outside = Outside::default();
    for event in list(case, "events")? {
        let mut effects = Vec::new();
        match text(event, "what")? {
            "committables" => {
                let checkpoint = CheckpointId(number(event, "checkpoint")?);
                let items = texts(field(event, "items")?)?;
                machine.on(CommitterInput::Committables(checkpoint, items), &mut effects);
            }
            "notify_complete" => {
                let outcomes = event.get("outcome").and_then(Value::as_object);
                outside.outcomes.extend(outcomes.cloned().unwrap_or_default());
                let checkpoint = CheckpointId(number(event, "id")?);
                machine.on(CommitterInput::Completed(checkpoint), &mut effects);
            }
            "restore" => {
                if event.get("already_committed").is_some() {
                    outside.known = texts(field(event, "already_committed")?)?;
                }
                let mut state = BTreeMap::new();
                for (id, items) in field(event, "state")?.as_object().ok_or("no state")? {
                    let id = id.parse().map_err(|_| format!("no checkpoint id: {id}"))?;
                    state.insert(CheckpointId(id), texts(items)?);
                }
                let checkpoint = CheckpointId(number(event, "checkpoint")?);
                machine = Committer::restore(retries_max, checkpoint, state, &mut effects);
            }
            what => return Err(format!("unknown event {what}")),
        }
        outside.carry_out(&mut machine, effects)?;
    }
    let waiting = machine.waiting().iter();
    let remaining: BTreeMap<_, _> = waiting.map(|(id, items)| (id.to_string(), items)).collect();
    Ok(object([
        ("committed", json!(outside.committed)),
        ("already_committed", json!(outside.already_committed)),
        ("dropped", json!(outside.dropped)),
        ("remaining", json!(remaining)),
        ("commit_calls", json!(outside.n_calls)),
        ("job", json!(if outside.failed { "fails" } else { "continues" })),
    ]))
}

/// The system that the committer commits to.
#[derive(Default)]
struct Outside {
    /// What it says about a committable, if it has something to say.
    outcomes: Map<String, Value>,
    known: Vec<String>,
    committed: Vec<String>,
    already_committed: Vec<String>,
    dropped: Vec<String>,
    n_calls: u32,
    failed: bool,
}

impl Outside {
    fn carry_out(
        &mut self,
        machine: &mut Committer<String>,
        mut effects: Vec<CommitterEffect<String>>,
    ) -> Result<(), String> {
        while !effects.is_empty() {
            let mut more = Vec::new();
            for effect in effects {
                match effect {
                    CommitterEffect::Commit(items) => {
                        self.n_calls += 1;
                        let signals =
                            items.iter().map(|item| self.signal(item)).collect::<Result<_, _>>()?;
                        machine.on(CommitterInput::Tried(signals), &mut more);
                    }
                    CommitterEffect::Drop(item) => self.dropped.push(item),
                    CommitterEffect::FailJob => self.failed = true,
                }
            }
            effects = more;
        }
        Ok(())
    }

    fn signal(&mut self, item: &str) -> Result<CommitSignal, String> {
        let signal = match self.outcomes.get(item).and_then(Value::as_str) {
            _ if self.known.iter().any(|known| known == item) => CommitSignal::AlreadyCommitted,
            None => CommitSignal::Committed,
            Some("already_committed") => CommitSignal::AlreadyCommitted,
            Some("retry_later_forever") => CommitSignal::RetryLater,
            Some("failed_known_reason") => CommitSignal::FailedWithKnownReason,
            Some("failed_unknown_reason") => CommitSignal::FailedWithUnknownReason,
            Some(word) => return Err(format!("unknown outcome {word}")),
        };
        match signal {
            CommitSignal::Committed => self.committed.push(item.to_owned()),
            CommitSignal::AlreadyCommitted => self.already_committed.push(item.to_owned()),
            _ => {}
        }
        Ok(signal)
    }
}

fn texts(list: &Value) -> Result<Vec<String>, String> {
    let list = list.as_array().ok_or_else(|| format!("no list: {list}"))?;
    let text = |item: &Value| item.as_str().map(str::to_owned);
    list.iter().map(|item| text(item).ok_or_else(|| format!("no text: {item}"))).collect()
}

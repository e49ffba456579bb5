//! Questions about failures: from which checkpoint the job restarts, and how
//! it ends.

use super::{Both, Choice, Question, Run, both, choice, zh_time};
use crate::model::{Attempt, CheckpointId, RestartStrategy};
use crate::trace::{Fact, FailureCause, JobStatus, Rule};
use crate::verify::Outcome;

/// Of restarts at most so many.
const RESTARTS_MAX: usize = 2;

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    // Where a mistake has spoilt what is restored, the reason would be a lie.
    let is_spoilt = !run.story.scenario.broken.is_empty()
        && [run.verdict.cut.outcome(), run.verdict.state.outcome].contains(&Outcome::Violated);
    let mut all: Vec<Question> = restarts(run)
        .into_iter()
        .filter(|_| !is_spoilt)
        .filter_map(|own| starts_from(run, &own))
        .take(RESTARTS_MAX)
        .collect();
    all.extend(ends(run));
    all
}

/// A new attempt, and what it could have begun from.
struct Restart {
    failed: u64,
    step: u64,
    attempt: Attempt,
    from: Option<CheckpointId>,
    /// Checkpoints that are complete.
    completed: Vec<CheckpointId>,
    /// Savepoints that are complete.
    savepoints: Vec<CheckpointId>,
    /// The newest that was triggered.
    newest: Option<CheckpointId>,
    /// Whether another JobManager has taken over.
    is_taken_over: bool,
}

fn restarts(run: &Run<'_>) -> Vec<Restart> {
    let mut found = Vec::new();
    let (mut completed, mut savepoints, mut newest) = (Vec::new(), Vec::new(), None);
    let (mut failed, mut is_taken_over) = (None, false);
    for (step, fact) in run.facts() {
        match fact {
            Fact::CheckpointTriggered { checkpoint, .. } => newest = Some(*checkpoint),
            Fact::CheckpointCompleted { checkpoint } => {
                match run.story.savepoints.contains(checkpoint) {
                    true => savepoints.push(*checkpoint),
                    false => completed.push(*checkpoint),
                }
            }
            Fact::JobFailed { .. } => (failed, is_taken_over) = (Some(step), false),
            Fact::JobManagerCrashed { .. } => (failed, is_taken_over) = (Some(step), true),
            Fact::AttemptStarted { attempt, checkpoint, .. } => {
                let Some(failed) = failed else { continue };
                found.push(Restart {
                    failed,
                    step,
                    attempt: *attempt,
                    from: *checkpoint,
                    completed: completed.clone(),
                    savepoints: savepoints.clone(),
                    newest,
                    is_taken_over,
                });
            }
            _ => {}
        }
    }
    found
}

/// Which checkpoint does the job restart from?
fn starts_from(run: &Run<'_>, own: &Restart) -> Option<Question> {
    let name =
        |id: CheckpointId| run.both(|names| names.checkpoint(id), |names| names.checkpoint(id));
    let beginning = || both("the beginning", "从头开始");
    let mut what: Vec<Choice> = vec![choice(own.from.map_or_else(beginning, name))];
    let mut add = |text: Both| {
        if what.len() < 4 && what.iter().all(|seen| seen.text != text) {
            what.push(choice(text));
        }
    };
    let newer = |id: &CheckpointId| own.from.is_none_or(|from| *id > from);
    let savepoint = own.savepoints.iter().rev().find(|id| newer(id));
    savepoint.into_iter().for_each(|id| add(name(*id)));
    own.newest.iter().for_each(|id| add(name(*id)));
    own.completed.iter().rev().for_each(|id| add(name(*id)));
    add(beginning());
    let reason = match own.from {
        Some(_) => both(
            "it is the newest checkpoint that is complete: only that one is a whole cut",
            "它是最新的已完成检查点：只有它是完整的切面",
        ),
        None if own.completed.is_empty() => {
            both("no checkpoint is complete yet", "还没有已完成的检查点")
        }
        None => both(
            "the list of completed checkpoints was in the memory of the JobManager that died",
            "已完成检查点的列表在崩溃的 JobManager 的内存里",
        ),
    };
    let mut because = vec![
        reason,
        both("each task takes the newest snapshot that it has itself", "每个任务用自己最新的快照"),
    ];
    because.push(match savepoint {
        Some(_) => both(
            "a savepoint is newer, and as good as a checkpoint",
            "保存点更新，和检查点一样好用",
        ),
        None if own.from.is_some() => {
            both("after a failure a job begins anew", "故障之后作业从头再来")
        }
        None => both("what was triggered can be finished from the files", "触发过的都能用文件补完"),
    });
    let attempt = own.attempt;
    let ask = run.both(
        |names| {
            format!(
                "The job fails, and {} is to begin. What does it start from?",
                names.attempt(attempt)
            )
        },
        |names| format!("作业失败，{}即将开始。它从哪里恢复？", names.attempt(attempt)),
    );
    let step = own.step;
    let answer = run.both(
        |names| match own.from {
            Some(id) => format!(
                "{} starts from {}, in step {step}: state and offsets of one cut.",
                names.attempt(attempt),
                names.checkpoint(id)
            ),
            None => format!(
                "{} starts from the beginning, in step {step}: with empty state, at offset 0.",
                names.attempt(attempt)
            ),
        },
        |names| match own.from {
            Some(id) => format!(
                "{}在第 {step} 步从{}恢复：状态和偏移量属于同一个切面。",
                names.attempt(attempt),
                names.checkpoint(id)
            ),
            None => {
                format!("{}在第 {step} 步从头开始：状态为空，偏移量为 0。", names.attempt(attempt))
            }
        },
    );
    let rule = if own.is_taken_over { Rule::JobManagerFailover } else { Rule::RecoveryRestore };
    let id = format!("attempt-{attempt}-starts-from");
    Some(Question { id, at: own.failed, shows: own.step, ask, what, because, answer, rule })
}

/// How does a job end that has failed?
fn ends(run: &Run<'_>) -> Option<Question> {
    let failures: Vec<u64> = run
        .facts()
        .filter_map(|(step, fact)| matches!(fact, Fact::JobFailed { .. }).then_some(step))
        .collect();
    let first = *failures.first()?;
    let n_steps = run.story.n_steps();
    let (view, _) = run.story.at(n_steps);
    let cause = run.facts().filter_map(|(_, fact)| match fact {
        Fact::JobFailed { cause, .. } => Some(*cause),
        _ => None,
    });
    let cause = cause.last()?;
    let (n, attempt) = (failures.len(), view.attempt);
    let has_failed = match view.status {
        JobStatus::Failed => true,
        JobStatus::Finished => false,
        _ => return None,
    };
    let finishes = |attempt: Attempt| {
        run.both(
            |names| format!("it finishes, in {}", names.attempt(attempt)),
            |names| format!("在{}中正常结束", names.attempt(attempt)),
        )
    };
    let fails = |attempt: Attempt| {
        run.both(
            |names| format!("it ends FAILED, in {}", names.attempt(attempt)),
            |names| format!("在{}中以 FAILED 告终", names.attempt(attempt)),
        )
    };
    let next = Attempt(attempt.0 + 1);
    let what = match has_failed {
        true => vec![choice(fails(attempt)), choice(finishes(next)), choice(fails(next))],
        false => vec![choice(finishes(attempt)), choice(fails(attempt)), choice(finishes(next))],
    };
    let strategy = run.story.scenario.config.restart;
    let [said_en, said_zh] = said(strategy);
    let reason = match (has_failed, strategy) {
        (false, _) => [
            format!("failures so far: {n}, and the strategy allows them: {said_en}"),
            format!("共失败 {n} 次，策略允许：{said_zh}"),
        ],
        (true, RestartStrategy::None) => both(
            "without a restart strategy the first failure is the last",
            "没有重启策略，第一次失败就是终局",
        ),
        (true, _) => [
            format!("failure number {n} is one more than the strategy allows: {said_en}"),
            format!("第 {n} 次失败超出了策略允许的次数：{said_zh}"),
        ],
    };
    let because = vec![
        reason,
        both(
            "a job restarts as long as it has a completed checkpoint",
            "只要有已完成的检查点，作业就会重启",
        ),
        both(
            "what was restored from a checkpoint does not count as a failure",
            "从检查点恢复的就不算失败",
        ),
    ];
    let ask = run.both(
        |_| format!("The job fails for the first time. Its strategy: {said_en}. How does it end?"),
        |_| format!("作业第一次失败。它的重启策略：{said_zh}。最后会怎样？"),
    );
    let tolerable = |en: &mut String, zh: &mut String| {
        if let FailureCause::TooManyFailedCheckpoints { tolerable, .. } = cause {
            en.push_str(&format!(" More than {tolerable} checkpoints had failed in a row."));
            zh.push_str(&format!("连续失败的检查点超过了 {tolerable} 个。"));
        }
    };
    let [mut en, mut zh] = run.both(
        |names| match has_failed {
            true => format!(
                "The job ends FAILED in {}, after {n} {}.",
                names.attempt(attempt),
                if n == 1 { "failure" } else { "failures" }
            ),
            false => format!(
                "The job finishes in {}, after {n} {}.",
                names.attempt(attempt),
                if n == 1 { "failure" } else { "failures" }
            ),
        },
        |names| match has_failed {
            true => format!("失败 {n} 次之后，作业在{}中以 FAILED 告终。", names.attempt(attempt)),
            false => format!("失败 {n} 次之后，作业在{}中正常结束。", names.attempt(attempt)),
        },
    );
    tolerable(&mut en, &mut zh);
    Some(Question {
        id: "how-the-job-ends".to_owned(),
        at: first - 1,
        shows: n_steps,
        ask,
        what,
        because,
        answer: [en, zh],
        rule: if has_failed { Rule::JobFail } else { Rule::JobFinish },
    })
}

/// A restart strategy in a few words.
fn said(strategy: RestartStrategy) -> Both {
    match strategy {
        RestartStrategy::None => both("none", "不重启（none）"),
        RestartStrategy::FixedDelay { attempts, delay }
            if attempts == u32::MAX || attempts == i32::MAX as u32 =>
        {
            [
                format!("fixed-delay, any number of restarts, {delay} apart"),
                format!("fixed-delay，重启次数不限，相隔 {}", zh_time(delay)),
            ]
        }
        RestartStrategy::FixedDelay { attempts, delay } => [
            format!("fixed-delay, {}, {delay} apart", at_most(attempts)),
            format!("fixed-delay，最多重启 {attempts} 次，相隔 {}", zh_time(delay)),
        ],
        RestartStrategy::ExponentialDelay { initial, max, attempts, .. } => {
            let most = attempts != u32::MAX && attempts != i32::MAX as u32;
            let (en, zh) = match most {
                true => (at_most(attempts), format!("最多重启 {attempts} 次")),
                false => ("any number of restarts".to_owned(), "重启次数不限".to_owned()),
            };
            [
                format!("exponential-delay, {en}, from {initial} to {max} apart"),
                format!("exponential-delay，{zh}，相隔从 {} 到 {}", zh_time(initial), zh_time(max)),
            ]
        }
        RestartStrategy::FailureRate { max_failures, interval, delay } => [
            format!(
                "failure-rate, at most {max_failures} failures within {interval}, {delay} apart"
            ),
            format!(
                "failure-rate，{} 内最多失败 {max_failures} 次，相隔 {}",
                zh_time(interval),
                zh_time(delay)
            ),
        ],
    }
}

fn at_most(restarts: u32) -> String {
    match restarts {
        1 => "at most 1 restart".to_owned(),
        n => format!("at most {n} restarts"),
    }
}

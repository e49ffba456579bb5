//! Questions about how a checkpoint ends, and who acknowledges it last.

use super::lives::{End, Life, lives, telling};
use super::{Both, Choice, Question, Run, both, choice, zh_time};
use crate::model::{CheckpointFailureReason as Reason, Micros, SubtaskIndex};
use crate::trace::{Fact, Rule};

/// Ways to end that people tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Completes,
    Expires,
    Declined,
    Subsumed,
    Fails,
    Forgotten,
}

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let lives = lives(run);
    if lives.is_empty() {
        return vec![none(run)];
    }
    let own = telling(&lives);
    let mut asked: Vec<(&Life, Way)> = own.map(|own| (own, Way::Completes)).into_iter().collect();
    for own in &lives {
        let Some(way) = way(own) else { continue };
        if asked.iter().all(|(_, seen)| *seen != way) {
            asked.push((own, way));
        }
    }
    let mut all: Vec<Question> =
        asked.iter().filter_map(|(own, way)| ends(run, own, *way)).collect();
    all.extend(own.and_then(|own| last_acknowledgement(run, own)));
    all
}

/// What is stored where no checkpoint is ever begun?
fn none(run: &Run<'_>) -> Question {
    let is_rejected = run.facts().any(|(_, fact)| matches!(fact, Fact::TriggerRejected { .. }));
    let is_off = run.story.scenario.config.interval.is_none();
    let what = vec![
        choice(both("Nothing: not one checkpoint is begun", "什么也没有：一个检查点也没开始")),
        choice(both("What the tasks had at their end", "各任务结束时的状态")),
        choice(both("What the sinks have written", "汇写出的内容")),
    ];
    let because = vec![
        match (is_rejected, is_off) {
            (true, _) => both(
                "not every task runs, and without that no checkpoint begins here",
                "并非每个任务都在运行，而这里的检查点要求如此",
            ),
            (false, true) => both(
                "without an interval checkpointing is off, and nobody asks for one",
                "没有设间隔，检查点就是关闭的，也没有谁请求",
            ),
            (false, false) => both(
                "the job ends before its first interval is over",
                "第一个间隔还没过，作业就结束了",
            ),
        },
        both("a job always takes a checkpoint at its end", "作业在末尾总会做一个检查点"),
        both("a sink’s transactions are stored by themselves", "汇的事务会自己存下来"),
    ];
    let answer = run.both(
        |_| "The run has no checkpoint. After a failure there is nothing to go back to, and a transactional sink has nothing to commit with.".to_owned(),
        |_| "这次运行没有检查点。故障之后无处可退，事务性的汇也无从提交。".to_owned(),
    );
    let ask = both(
        "What lies in the checkpoint storage at the end of this run?",
        "这次运行结束时，检查点存储里有什么？",
    );
    Question {
        id: "no-checkpoint".to_owned(),
        at: 0,
        shows: run.story.n_steps(),
        ask,
        what,
        because,
        answer,
        rule: Rule::CheckpointTrigger,
    }
}

fn way(life: &Life) -> Option<Way> {
    Some(match life.end?.1 {
        End::Completed => Way::Completes,
        End::Forgotten => Way::Forgotten,
        End::Aborted(reason) => match reason {
            Reason::CheckpointExpired => Way::Expires,
            Reason::CheckpointSubsumed => Way::Subsumed,
            Reason::CheckpointCoordinatorSuspend
            | Reason::JobFailoverRegion
            | Reason::TaskFailure
            | Reason::CheckpointCoordinatorShutdown => Way::Fails,
            Reason::IoException
            | Reason::CheckpointAsyncException
            | Reason::CheckpointDeclined
            | Reason::CheckpointDeclinedTaskNotReady
            | Reason::CheckpointDeclinedTaskClosing
            | Reason::CheckpointDeclinedSubsumed
            | Reason::CheckpointDeclinedOnCancellationBarrier
            | Reason::CheckpointDeclinedInputEndOfStream
            | Reason::TaskCheckpointFailure => Way::Declined,
            _ => return None,
        },
    })
}

fn outcome(way: Way) -> Both {
    match way {
        Way::Completes => both("It completes", "它完成"),
        Way::Expires => both("It expires", "它超时"),
        Way::Declined => both("A task declines it", "有任务拒绝它"),
        Way::Subsumed => both(
            "A newer checkpoint completes first, and it is dropped",
            "更新的检查点先完成，它被取代",
        ),
        Way::Fails => both("It is given up with a failure", "随一次故障被放弃"),
        Way::Forgotten => both("It is forgotten with the JobManager", "随 JobManager 一起被遗忘"),
    }
}

fn true_reason(way: Way, timeout: Micros) -> Both {
    match way {
        Way::Completes => both("every task acknowledges it in time", "每个任务都及时确认"),
        Way::Expires => [
            format!(
                "the timeout of {timeout} counts from the trigger, and somebody is still missing when it is over"
            ),
            format!("超时 {}从触发算起，到时还有任务没确认", zh_time(timeout)),
        ],
        Way::Declined => both(
            "a task that cannot take or store its part says so at once",
            "不能存下自己那份的任务会马上说出来",
        ),
        Way::Subsumed => both(
            "of two complete cuts only the newer one is ever restored",
            "两个切面都完整时，只会恢复较新的",
        ),
        Way::Fails => both(
            "a task that must acknowledge it is gone, and its barriers with it",
            "该确认的任务没了，屏障也随之消失",
        ),
        Way::Forgotten => both(
            "pending checkpoints are known to the JobManager’s memory only",
            "进行中的检查点只在 JobManager 的内存里",
        ),
    }
}

/// What somebody believes who is wrong about it.
fn belief(way: Way) -> Both {
    match way {
        Way::Completes => both(
            "the sources have stored their offsets, and that is what counts",
            "源存好了偏移量，这就够了",
        ),
        Way::Expires => both(
            "what a task has begun it brings to its end: the timeout is only a warning",
            "任务开始了就会做完，超时只是提醒",
        ),
        Way::Declined => both(
            "the JobManager asks again until the task can",
            "JobManager 会一直重试，直到任务能存",
        ),
        Way::Subsumed => {
            both("checkpoints complete in the order of their triggers", "检查点按触发的顺序完成")
        }
        Way::Fails => both(
            "the tasks that still run complete it without the one that is gone",
            "其余任务会把它做完，不等失败的那个",
        ),
        Way::Forgotten => {
            both("the next JobManager goes on where this one was", "新的 JobManager 会接着做")
        }
    }
}

/// How does a checkpoint end?
fn ends(run: &Run<'_>, life: &Life, way: Way) -> Option<Question> {
    let (step, _) = life.end?;
    let (id, timeout) = (life.id, run.story.scenario.config.timeout);
    let is_set = timeout != crate::model::Config::default().timeout;
    let others = match way {
        Way::Completes => [Way::Expires, Way::Declined],
        Way::Expires => [Way::Completes, Way::Declined],
        Way::Declined => [Way::Completes, Way::Expires],
        Way::Subsumed => [Way::Completes, Way::Expires],
        Way::Fails => [Way::Completes, Way::Expires],
        Way::Forgotten => [Way::Completes, Way::Fails],
    };
    let mut what = vec![choice(outcome(way))];
    what.extend(others.iter().map(|own| choice(outcome(*own))));
    let wrong = if way == Way::Completes { Way::Expires } else { Way::Completes };
    let because = vec![
        true_reason(way, timeout),
        belief(way),
        match wrong {
            Way::Expires => {
                both("the last task needs longer than the timeout", "最后一个任务用的时间比期限长")
            }
            _ => true_reason(wrong, timeout),
        },
    ];
    let ask = run.both(
        |names| match is_set {
            true => format!(
                "{} is triggered, with a timeout of {timeout}. How does it end?",
                names.checkpoint(id)
            ),
            false => format!("{} is triggered. How does it end?", names.checkpoint(id)),
        },
        |names| match is_set {
            true => {
                format!("{}触发，期限 {}。它的结局如何？", names.checkpoint(id), zh_time(timeout))
            }
            false => format!("{}触发。它的结局如何？", names.checkpoint(id)),
        },
    );
    let (n, of) = (life.acknowledged.len(), run.story.scenario.graph.subtasks.len());
    let took = Micros(run.time(step).0 - run.time(life.triggered).0);
    let flink = match life.end {
        Some((_, End::Aborted(reason))) => reason.flink_name(),
        _ => "",
    };
    let answer = run.both(
        |names| match way {
            Way::Completes => format!("{} completes in step {step}, {took} after its trigger.", names.checkpoint(id)),
            Way::Forgotten => format!("The JobManager dies in step {step}: nobody knows of {} any more.", names.checkpoint(id)),
            _ => format!("{} is given up in step {step}, {took} after its trigger, with {n} of {of} acknowledgements: {flink}.", names.checkpoint(id)),
        },
        |names| match way {
            Way::Completes => format!("{}在第 {step} 步完成，距触发 {}。", names.checkpoint(id), zh_time(took)),
            Way::Forgotten => format!("JobManager 在第 {step} 步崩溃：再没有谁知道{}。", names.checkpoint(id)),
            _ => format!("{}在第 {step} 步被放弃，距触发 {}，收到 {of} 个确认中的 {n} 个：{flink}。", names.checkpoint(id), zh_time(took)),
        },
    );
    let rule = match way {
        Way::Completes => Rule::CheckpointComplete,
        Way::Subsumed => Rule::CheckpointSubsume,
        Way::Declined => Rule::CheckpointDecline,
        Way::Expires => Rule::CheckpointAbort,
        Way::Fails => Rule::JobFail,
        Way::Forgotten => Rule::JobManagerFailover,
    };
    // The id is printed beside the question: it must not say how it ends.
    Some(Question {
        id: format!("ends-{id}"),
        at: life.triggered,
        shows: step,
        ask,
        what,
        because,
        answer,
        rule,
    })
}

/// Which task acknowledges last?
fn last_acknowledgement(run: &Run<'_>, life: &Life) -> Option<Question> {
    let id = life.id;
    let (step, last) = *life.acknowledged.last()?;
    let (_, first) = *life.acknowledged.first()?;
    let middle = life.acknowledged[life.acknowledged.len() / 2].1;
    let mut tasks: Vec<SubtaskIndex> = vec![last];
    for own in [first, middle] {
        if !tasks.contains(&own) {
            tasks.push(own);
        }
    }
    let graph = &run.story.scenario.graph;
    let name = |task: SubtaskIndex| {
        choice(run.both(|names| names.task(task).to_owned(), |names| names.task(task).to_owned()))
    };
    let what: Vec<Choice> = tasks.into_iter().map(name).collect();
    let snapshots: Vec<(u64, SubtaskIndex)> = run
        .facts()
        .filter_map(|(at, fact)| match fact {
            Fact::SnapshotTaken { task, checkpoint, .. }
                if *checkpoint == id && at > life.triggered =>
            {
                Some((at, *task))
            }
            _ => None,
        })
        .collect();
    let (_, last_snapshot) = *snapshots.last()?;
    let is_last = last_snapshot == last;
    let reason = match (is_last, graph.is_source(last)) {
        (true, true) => both("the trigger reaches it last", "触发最后才到它"),
        (true, false) => both(
            "barriers travel with the records, and they are together there last",
            "屏障随记录前进，最后才在它那里到齐",
        ),
        (false, _) => both(
            "storing its snapshot and reporting it takes longest there",
            "它存快照、报确认用的时间最长",
        ),
    };
    let because = vec![
        reason,
        both(
            "the JobManager asks one task after the other, in the order of the job",
            "JobManager 按作业的顺序逐个询问任务",
        ),
        both("who begins a checkpoint also ends it", "谁开始检查点，谁就结束它"),
    ];
    let ask = run.both(
        |names| {
            format!(
                "{} is triggered. Which task’s acknowledgement completes it?",
                names.checkpoint(id)
            )
        },
        |names| format!("{}触发。哪个任务的确认让它完成？", names.checkpoint(id)),
    );
    let answer = run.both(
        |names| {
            format!(
                "{} is the last of {} to acknowledge, in step {step}.",
                names.task(last),
                life.acknowledged.len()
            )
        },
        |names| {
            format!(
                "共 {} 个任务确认，{}最后，在第 {step} 步。",
                life.acknowledged.len(),
                names.task(last)
            )
        },
    );
    Some(Question {
        id: format!("last-acknowledges-{id}"),
        at: life.triggered,
        shows: step,
        ask,
        what,
        because,
        answer,
        rule: Rule::CheckpointAcknowledge,
    })
}

//! When checkpoints are taken, and when they are given up.

use super::super::keys;
use super::super::option::{Bounds, EnumKind, FlinkOption, Kind, option};

const RETENTION: EnumKind = EnumKind {
    class: "ExternalizedCheckpointRetention",
    class_2: "ExternalizedCheckpointRetention",
    words: &["DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"],
};

pub(super) const OPTIONS: &[FlinkOption] = &[
    // Flink 1.20: CheckpointConfig.setCheckpointInterval
    option(keys::INTERVAL, Kind::Duration, None)
        .within(Bounds::LeastMs(10))
        .means(
            "time between two periodic checkpoints; without it there are none",
            "两次周期性检查点之间的时间；不设则没有周期性检查点",
        )
        .followed(
            "the coordinator triggers after one interval, then at every further one",
            "协调器在第一个间隔之后触发，之后每个间隔触发一次",
        ),
    // Flink 1.20: CheckpointConfig.setCheckpointIntervalDuringBacklog
    option(keys::BACKLOG_INTERVAL, Kind::Duration, None)
        .within(Bounds::ZeroOrLeastMs(10))
        .means(
            "the interval while a source works off a backlog; 0: no checkpoints then",
            "源处理积压期间的间隔；0 表示其间不做检查点",
        )
        .followed(
            "while a source works off its `backlog`; 0: nothing begins but what is armed already",
            "有源在处理 `backlog` 期间生效；0 表示除已排定的一次外不再开始",
        ),
    // Flink 1.20: CheckpointConfig.setCheckpointTimeout
    option(keys::TIMEOUT, Kind::Duration, Some("10 min"))
        .within(Bounds::LeastMs(10))
        .means(
            "a checkpoint that is not complete by then is aborted",
            "到时仍未完成的检查点会被中止",
        )
        .followed(
            "a checkpoint that is not acknowledged by then is given up",
            "到时仍未全部确认的检查点会被放弃",
        ),
    // Flink 1.20: CheckpointConfig.setMinPauseBetweenCheckpoints
    option(keys::MIN_PAUSE, Kind::Duration, Some("0 ms"))
        .within(Bounds::LeastMs(0))
        .means(
            "least time between the end of a successful checkpoint and the next trigger",
            "一次成功的检查点结束到下一次触发之间的最短时间",
        )
        .followed(
            "a periodic checkpoint waits so long; one that the scenario asks for does not",
            "周期性检查点等这么久；场景要求的检查点不等",
        ),
    // Flink 1.20: CheckpointConfig.setMaxConcurrentCheckpoints
    option(keys::MAX_CONCURRENT, Kind::Int, Some("1"))
        .within(Bounds::Least(1))
        .means("how many checkpoints may be under way at once", "同时进行的检查点最多几个")
        .followed(
            "the coordinator waits until one ends before it triggers one too many",
            "达到上限时，协调器等其中一个结束才再触发",
        ),
    // Flink 1.20: CheckpointConfig.setTolerableCheckpointFailureNumber
    option(keys::TOLERABLE, Kind::Int, Some("0"))
        .within(Bounds::Least(0))
        .means(
            "how many checkpoints may fail in a row before the job fails",
            "检查点连续失败几次以内，作业不失败",
        )
        .followed("one more failure in a row fails the job", "再多一次连续失败，作业就失败"),
    option(keys::AFTER_TASKS_FINISH, Kind::Bool, Some("true"))
        .old(&["execution.checkpointing.checkpoints-after-tasks-finish.enabled"])
        .means(
            "checkpoints go on when some tasks have finished; the last one commits the end",
            "部分任务结束后仍做检查点；最后一次负责提交结尾",
        )
        .followed(
            "a job at its end takes a last checkpoint, in which sinks commit",
            "作业结束前做最后一次检查点，汇借此提交",
        ),
    option(keys::RETENTION, Kind::Enum(RETENTION), Some("NO_EXTERNALIZED_CHECKPOINTS"))
        .means(
            "what stays of completed checkpoints when the job ends",
            "作业结束后已完成的检查点是否保留",
        )
        .followed(
            "when the job ends, its checkpoints are deleted or left behind by this",
            "作业结束时，按它决定检查点是删除还是保留",
        ),
    option(keys::NUM_RETAINED, Kind::Int, Some("1"))
        .old(&["state.checkpoints.num-retained"])
        .means("how many completed checkpoints are kept", "保留多少个已完成的检查点")
        .followed(
            "older ones are deleted when a newer one is complete",
            "更新的完成后，更旧的被删除",
        ),
    option("execution.checkpointing.cleaner.parallel-mode", Kind::Bool, Some("true"))
        .old(&["state.checkpoint.cleaner.parallel-mode"])
        .means(
            "subsumed checkpoints are deleted file by file in parallel",
            "并行删除被取代的检查点的文件",
        )
        .left_out("deleting takes no time", "删除不花时间"),
    option("execution.checkpointing.force", Kind::Bool, Some("false"))
        .gone_in_2()
        .means("checkpoints in jobs with iterations, too", "带迭代的作业也做检查点")
        .left_out("there are no iterations", "没有迭代"),
];

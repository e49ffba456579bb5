//! How barriers are handled at the inputs of a task.

use super::super::keys;
use super::super::option::{EnumKind, FlinkOption, Kind, option};

const MODE: EnumKind = EnumKind {
    class: "CheckpointingMode",
    class_2: "CheckpointingMode",
    words: &["EXACTLY_ONCE", "AT_LEAST_ONCE"],
};

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::MODE, Kind::Enum(MODE), Some("EXACTLY_ONCE"))
        .means(
            "whether barriers are aligned: EXACTLY_ONCE, or AT_LEAST_ONCE",
            "是否对齐屏障：EXACTLY_ONCE 或 AT_LEAST_ONCE",
        )
        .followed(
            "aligned, a channel is blocked behind its barrier; at least once, none is",
            "对齐时屏障之后的通道被阻塞；至少一次时不阻塞",
        ),
    option(keys::UNALIGNED, Kind::Bool, Some("false"))
        .old(&["execution.checkpointing.unaligned"])
        .means(
            "barriers overtake records; what they overtake is part of the checkpoint",
            "屏障越过记录；被越过的记录成为检查点的一部分",
        )
        .followed(
            "barriers overtake, and channel state is part of the snapshot",
            "屏障越过记录，通道状态成为快照的一部分",
        ),
    option(keys::ALIGNED_TIMEOUT, Kind::Duration, Some("0 ms"))
        .old(&["execution.checkpointing.alignment-timeout"])
        .means(
            "with unaligned checkpoints: a barrier begins aligned, and after so long overtakes",
            "启用非对齐检查点时：屏障先对齐，超过这段时间才越过记录",
        )
        .followed(
            "a timer at the task's inputs and at its outputs",
            "任务的输入与输出各有一个定时器",
        ),
    option(keys::UNALIGNED_FORCED, Kind::Bool, Some("false"))
        .means(
            "unaligned checkpoints also with iterations and custom partitioners",
            "有迭代或自定义分区时也用非对齐检查点",
        )
        .followed(
            "without it custom partitioners (modulo edges) exclude unaligned checkpoints",
            "不设时，自定义分区（modulo 边）与非对齐检查点互斥",
        ),
    option(
        "execution.checkpointing.unaligned.interruptible-timers.enabled",
        Kind::Bool,
        Some("false"),
    )
    .means(
        "a barrier may come between two timers of one watermark",
        "屏障可以插在同一水位线的两个定时器之间",
    )
    .left_out("there are no timers in operators", "算子中没有定时器"),
    option(
        "execution.checkpointing.unaligned.max-subtasks-per-channel-state-file",
        Kind::Int,
        Some("5"),
    )
    .means(
        "how many subtasks write channel state into one file",
        "多少个子任务把通道状态写进同一个文件",
    )
    .left_out("channel state is not counted in files", "不按文件计通道状态"),
];

//! Options of the runtime that bear upon checkpoints from afar.

use super::super::keys;
use super::super::option::{EnumKind, FlinkOption, Kind, option};

const RUNTIME_MODE: EnumKind = EnumKind {
    class: "RuntimeExecutionMode",
    class_2: "RuntimeExecutionMode",
    words: &["STREAMING", "BATCH", "AUTOMATIC"],
};

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::RUNTIME_MODE, Kind::Enum(RUNTIME_MODE), Some("STREAMING"))
        .means("STREAMING takes checkpoints, BATCH takes none", "STREAMING 做检查点，BATCH 不做")
        .left_out("every run is a stream", "总是流式运行"),
    option("execution.buffer-timeout.enabled", Kind::Bool, Some("true"))
        .means("a buffer that is not full is sent after a while", "未满的缓冲区过一会儿也发送")
        .left_out("each record is sent at once", "每条记录立即发送"),
    option("execution.buffer-timeout.interval", Kind::Duration, Some("100 ms"))
        .old(&["execution.buffer-timeout"])
        .means("after how long a buffer that is not full is sent", "未满的缓冲区多久后发送")
        .left_out("each record is sent at once", "每条记录立即发送"),
    option("parallelism.default", Kind::Int, Some("1"))
        .means("subtasks of operators that do not say", "未说明并行度的算子的子任务数")
        .left_out("a scenario says it itself", "由场景自己说明"),
    option("pipeline.max-parallelism", Kind::Int, Some("-1"))
        .means("how many key groups there are", "键组的数量")
        .left_out("a scenario says it itself", "由场景自己说明"),
    option("pipeline.name", Kind::Text, None)
        .means("what the job is called", "作业的名称")
        .left_out("a scenario says it itself", "由场景自己说明"),
    option("pipeline.operator-chaining.enabled", Kind::Bool, Some("true"))
        .old(&["pipeline.operator-chaining"])
        .means("neighbouring operators run in one task", "相邻算子在同一个任务中运行")
        .left_out("each operator is a task", "每个算子是一个任务"),
    option(
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
        Kind::Bool,
        Some("true"),
    )
    .means(
        "operators with different numbers of key groups are chained, too",
        "键组数量不同的算子也链接",
    )
    .left_out("each operator is a task", "每个算子是一个任务"),
    option("taskmanager.numberOfTaskSlots", Kind::Int, Some("1"))
        .means(
            "how many subtasks of an operator a TaskManager takes",
            "一个 TaskManager 容纳多少个槽",
        )
        .left_out("a scenario says which tasks run together", "由场景说明哪些任务在一起"),
    option("taskmanager.network.memory.buffers-per-channel", Kind::Int, Some("2"))
        .gone_in_2()
        .means("buffers that a channel has of its own", "每条通道独占的缓冲区数")
        .left_out("a scenario says it with `capacity`", "由场景的 `capacity` 说明"),
    option("taskmanager.network.memory.floating-buffers-per-gate", Kind::Int, Some("8"))
        .gone_in_2()
        .means("buffers that the channels of a gate share", "一个输入门的通道共享的缓冲区数")
        .left_out("a scenario says it with `capacity`", "由场景的 `capacity` 说明"),
    option("taskmanager.network.memory.max-overdraft-buffers-per-gate", Kind::Int, Some("5"))
        .gone_in_2()
        .means("buffers that a sender may borrow", "发送端可以透支的缓冲区数")
        .left_out("a scenario says it with `capacity`", "由场景的 `capacity` 说明"),
    option("taskmanager.network.memory.buffer-debloat.enabled", Kind::Bool, Some("false"))
        .means("buffers shrink when the receiver is slow", "接收端慢时缩小缓冲区")
        .left_out("buffers keep their size", "缓冲区大小不变"),
    option("taskmanager.network.memory.buffer-debloat.target", Kind::Duration, Some("1 s"))
        .means("how long the data under way should take", "在途数据应在多长时间内处理完")
        .left_out("buffers keep their size", "缓冲区大小不变"),
    option("taskmanager.network.memory.buffer-debloat.period", Kind::Duration, Some("200 ms"))
        .means("how often the size of buffers is reckoned", "多久计算一次缓冲区大小")
        .left_out("buffers keep their size", "缓冲区大小不变"),
    option("taskmanager.network.memory.buffer-debloat.samples", Kind::Int, Some("20"))
        .means("over how many samples throughput is averaged", "用多少个样本平均吞吐量")
        .left_out("buffers keep their size", "缓冲区大小不变"),
    option(
        "taskmanager.network.memory.buffer-debloat.threshold-percentages",
        Kind::Int,
        Some("25"),
    )
    .means("smaller changes of the size are not made", "变化小于此百分比就不调整")
    .left_out("buffers keep their size", "缓冲区大小不变"),
];

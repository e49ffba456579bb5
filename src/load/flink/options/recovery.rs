//! What a job starts from, and what it does with it.

use super::super::keys;
use super::super::option::{EnumKind, FlinkOption, Kind, option};

const CLAIM: EnumKind = EnumKind {
    class: "RestoreMode",
    class_2: "RecoveryClaimMode",
    words: &["CLAIM", "NO_CLAIM", "LEGACY"],
};

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::RECOVERY_PATH, Kind::Text, None)
        .old(&["execution.savepoint.path"])
        .means(
            "the savepoint or retained checkpoint that the job starts from",
            "作业从哪个保存点或保留的检查点启动",
        )
        .followed(
            "the job starts from this file, sought from the file that names it; checkdam run \
             --from and the scenario's from come first",
            "作业从该文件启动，相对路径以写有它的文件为准；checkdam run --from 和场景的 from 优先",
        ),
    option(keys::IGNORE_UNCLAIMED, Kind::Bool, Some("false"))
        .old(&["execution.savepoint.ignore-unclaimed-state"])
        .means(
            "state of operators that the job no longer has may be dropped",
            "允许丢弃作业中已不存在的算子的状态",
        )
        .followed(
            "such state is left out; else the job does not start",
            "这样的状态被略去；否则作业不启动",
        ),
    option(keys::CLAIM_MODE, Kind::Enum(CLAIM), Some("NO_CLAIM"))
        .old(&["execution.savepoint-restore-mode"])
        .means("whose the files are that the job starts from", "启动所用的文件归谁所有")
        .followed(
            "CLAIM: the job deletes the savepoint like a checkpoint of its own; else it stays",
            "CLAIM：作业像删自己的检查点一样删掉它；否则它留着",
        ),
    option(keys::FROM_LOCAL, Kind::Bool, Some("false"))
        .old(&["state.backend.local-recovery"])
        .means(
            "a restart reads local copies of keyed state where it can",
            "重启时尽量读键控状态的本地副本",
        )
        .followed(
            "keyed state is read from the own disk, if its machine is still there",
            "机器还在时，键控状态从本地磁盘读取",
        ),
    option("execution.state-recovery.approximate-local-recovery", Kind::Bool, Some("false"))
        .old(&["execution.checkpointing.approximate-local-recovery"])
        .means(
            "a failed task restarts alone and loses what was under way",
            "失败的任务单独重启，丢失在途数据",
        )
        .left_out("the failed task restarts with its region", "失败的任务与所在区域一起重启"),
    option("execution.state-recovery.without-channel-state.checkpoint-id", Kind::Long, Some("-1"))
        .old(&["execution.checkpointing.recover-without-channel-state.checkpoint-id"])
        .means(
            "the checkpoint whose channel state is dropped when it is restored",
            "恢复此检查点时丢弃其中的通道状态",
        )
        .left_out("channel state is always restored", "总是恢复通道状态"),
];

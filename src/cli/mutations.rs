//! The rules that a scenario can break, in words.

use crate::model::{Language, Mutation};

/// What becomes of it, in one line.
pub(super) fn text(mutation: Mutation, language: Language) -> &'static str {
    let (en, zh) = match mutation {
        Mutation::ProcessAfterFirstBarrier => (
            "an input is not held back after its barrier: records are counted twice",
            "屏障之后的输入不扣住：有的记录会计入两次",
        ),
        Mutation::SnapshotAtFirstBarrier => (
            "the state is stored at the first barrier: records are lost",
            "第一个屏障一到就存状态：有的记录会丢失",
        ),
        Mutation::BarrierOvertakesRecords => (
            "an aligned barrier goes ahead of the records in the output buffer",
            "对齐的屏障越过输出缓冲里的记录",
        ),
        Mutation::RecordOvertakesBarrier => {
            ("a record goes ahead of the barrier on the wire", "记录越过线路上的屏障")
        }
        Mutation::SnapshotAfterNextRecord => (
            "the barrier goes out at once, the snapshot is taken after the next record",
            "屏障立即发出，快照等下一条记录之后才存",
        ),
        Mutation::BarrierAfterNextRecord => (
            "the snapshot is taken at once, the barrier goes out after the next record",
            "快照立即存，屏障等下一条记录之后才发",
        ),
        Mutation::StoreWithoutCopy => {
            ("the state is not copied: it changes until it is stored", "状态不复制，存好之前还在变")
        }
        Mutation::DropHeldBackRecords => {
            ("what waited behind a barrier is dropped", "屏障后面扣住的记录被丢掉")
        }
        Mutation::ReverseHeldBackRecords => {
            ("what waited behind a barrier comes in reverse", "屏障后面扣住的记录倒着来")
        }
        Mutation::BarrierToOneOutput => {
            ("the barrier goes to the first outgoing channel only", "屏障只发往第一个输出通道")
        }
        Mutation::OffsetTooHigh => {
            ("a source stores an offset that is too high by one", "源存下的偏移量大了一")
        }
        Mutation::OffsetTooLow => {
            ("a source stores an offset that is too low by one", "源存下的偏移量小了一")
        }
        Mutation::AcknowledgeBeforeStored => {
            ("a task acknowledges before its state is stored", "状态还没存好，任务就确认")
        }
        Mutation::CompleteOnSinks => (
            "a checkpoint is complete when the sinks have acknowledged",
            "汇都确认了，检查点就算完成",
        ),
        Mutation::RestoreNewestBegun => (
            "the job restarts from the newest checkpoint that was begun",
            "作业从最近触发、未必完成的检查点重启",
        ),
        Mutation::RestoreOwnNewest => {
            ("every task restarts from its own newest snapshot", "每个任务从自己最新的快照重启")
        }
        Mutation::KeepChannelsOnRestart => {
            ("a restart leaves in the channels what was there", "重启不清空通道")
        }
        Mutation::KeepStateOnRestart => (
            "a restart rewinds the sources and leaves the state as it was",
            "重启只倒回源，状态保持原样",
        ),
        Mutation::KeepOffsetsOnRestart => (
            "a restart puts the state back and leaves the sources where they were",
            "重启只恢复状态，源留在原处",
        ),
        Mutation::CommitAtPreCommit => {
            ("a sink commits when it should prepare", "汇在该预提交时就提交")
        }
        Mutation::AbortPreparedOnRestart => {
            ("a restart aborts what the checkpoint has prepared", "重启时中止检查点里预提交的事务")
        }
        Mutation::LoseNotifications => {
            ("nobody is told that a checkpoint is complete", "检查点完成了谁也不通知")
        }
        Mutation::CommitExactCheckpoint => (
            "a sink commits only what it prepared for just this checkpoint",
            "汇只提交恰好为这个检查点预提交的",
        ),
        Mutation::AbortDropsPrepared => (
            "an aborted checkpoint takes its prepared transactions along",
            "检查点中止时，连同预提交的事务一起丢掉",
        ),
        Mutation::AbortLeavesBlocked => (
            "a checkpoint that is given up leaves its inputs blocked",
            "放弃检查点后，输入仍被扣住",
        ),
        Mutation::ZombieCommits => (
            "a sink of a failed attempt commits what it has open",
            "失败的尝试里，汇把打开的事务提交了",
        ),
        Mutation::CountAnyBarrier => {
            ("barriers are counted whatever checkpoint they are of", "数屏障时不看是哪个检查点的")
        }
        Mutation::ForgetChannelState => {
            ("nothing in flight is stored with an unaligned checkpoint", "非对齐检查点不存在途数据")
        }
        Mutation::ForgetOutputBuffers => {
            ("what waits in output buffers is not stored", "输出缓冲里的不存")
        }
        Mutation::SaveFirstInputOnly => {
            ("in flight, only the first input is stored", "在途数据只存第一个输入的")
        }
        Mutation::RestoreInFlightLast => {
            ("what was in flight at a receiver comes back last", "接收端的在途数据恢复到最后")
        }
        Mutation::RestoreAtBothEnds => (
            "what was in flight at a receiver comes back at both ends",
            "接收端的在途数据在两端都恢复",
        ),
        Mutation::DeleteSharedFiles => (
            "shared files go although older checkpoints need them",
            "较旧的检查点还需要，共享文件就被删掉",
        ),
        Mutation::RestartFailedTaskOnly => (
            "only the failed task is restarted, its neighbours go on",
            "只重启失败的任务，上下游照常继续",
        ),
        Mutation::RecommitOnRestart => (
            "a restart commits again what was committed before",
            "重启时，把已经提交过的事务再提交一次",
        ),
        Mutation::LogPastBarrier => (
            "what arrives behind a barrier is stored in flight, too",
            "屏障之后到的记录也存进在途数据",
        ),
        Mutation::BarrierInMidRecord => (
            "a barrier is handled between a record's effect and its results",
            "记录改了状态、结果还没发出，就处理屏障",
        ),
        Mutation::StaleAcknowledgementCounts => (
            "an acknowledgement of a failed attempt counts for the present checkpoint",
            "上一次尝试的确认，被算到当前的检查点上",
        ),
        Mutation::OvertakeOnBroadcast => (
            "a barrier overtakes on an edge that cannot carry an unaligned one",
            "在不支持非对齐屏障的边上，屏障也越过记录",
        ),
        Mutation::ForcedBarrierTimesOut => (
            "a barrier that was forced to be aligned times out all the same",
            "被强制对齐的屏障照样会超时",
        ),
        Mutation::MergeAborted => (
            "what was prepared for an aborted checkpoint goes into the next commit",
            "为已中止的检查点预提交的，并入下一次提交",
        ),
        Mutation::SkipCommittedIds => (
            "a sink takes checkpoint ids that it has seen before for committed",
            "汇把见过的检查点编号都当作已提交",
        ),
        Mutation::SnapshotBeforeBarrier => (
            "harmless: the snapshot is taken before the barrier goes out",
            "无害：先存快照，再发屏障",
        ),
        Mutation::ReleaseBeforeSnapshot => (
            "harmless: blocked inputs are freed before the snapshot, not after it",
            "无害：先放开扣住的输入，再存快照",
        ),
        Mutation::NoAlignmentOfOneInput => (
            "harmless: a task with one input does not block it",
            "无害：只有一个输入的任务不扣住它",
        ),
        Mutation::LoseEveryOtherNotification => (
            "harmless: every other completed checkpoint is announced to nobody",
            "无害：每隔一个检查点，完成了谁也不通知",
        ),
        Mutation::ExpectFinishedTasks => {
            ("a finished task is still expected to acknowledge", "任务已结束，仍等它确认")
        }
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}

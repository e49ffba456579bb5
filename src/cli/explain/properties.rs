//! The properties, each by its sentence, and the rules behind them.

use crate::model::Language;
use crate::trace::Rule;
use crate::verify::Property;

/// The sentence that names a property.
pub(in crate::cli) fn sentence(property: Property, language: Language) -> &'static str {
    let (en, zh) = match property {
        Property::Delivery => (
            "a channel delivers what was sent, once and in order",
            "通道按顺序送达所发的一切，每个一次",
        ),
        Property::EndOfData => {
            ("nothing comes after the end of the data", "数据结束之后不再来任何记录")
        }
        Property::LocalAtomicity => (
            "a record changes the state and sends its results in one go",
            "处理一条记录时，改变状态与发出结果不可分开",
        ),
        Property::BarrierOrder => (
            "barriers go out on every channel, in order; snapshots follow them",
            "屏障按顺序发往每条通道，快照随屏障而来",
        ),
        Property::Alignment => (
            "behind a barrier nothing is processed before the snapshot",
            "屏障之后的记录，快照之前不处理",
        ),
        Property::CutAtomicity => (
            "nothing happens between a barrier going out and the snapshot",
            "发出屏障与存快照之间不做别的事",
        ),
        Property::SourcePosition => (
            "a source stores the offset of just what it has sent",
            "源存下的偏移量恰好到它发出的最后一条",
        ),
        Property::SnapshotState => (
            "a snapshot holds the state that the records before it make",
            "快照里的状态恰好由它之前的记录算出",
        ),
        Property::ConsistentCut => (
            "what is sent before a checkpoint is what the checkpoint holds",
            "检查点之前发出的，检查点里都有，也只有这些",
        ),
        Property::Completeness => (
            "a complete checkpoint has every task’s stored part, and its files",
            "完成的检查点里，每个任务的部分和文件都在",
        ),
        Property::Messages => ("a message comes only after it was sent", "消息发出之后才会到"),
        Property::Fencing => (
            "who is dead does nothing, and its messages count no more",
            "死去的任务不再做事，它的消息不再算数",
        ),
        Property::RestoreEquality => (
            "a restart puts back what the newest complete checkpoint holds",
            "重启恢复的正是最新完成的检查点",
        ),
        Property::Commitment => (
            "a transaction is committed once, in order, after its checkpoint",
            "事务在其检查点完成之后，按顺序提交一次",
        ),
        Property::Liveness => ("what has begun ends", "开始了的都会结束"),
        Property::FailureTransparency => (
            "without what failures undo, it is a run without failures",
            "去掉故障所撤销的，就是一次没有故障的运行",
        ),
        Property::AtLeastOnceBound => (
            "what counts twice is what a restored checkpoint had too much",
            "重复计入的，正是所恢复的检查点里多出的",
        ),
        Property::ExactlyOnceState => {
            ("every record counts once in the state", "每条记录在状态里恰好计入一次")
        }
        Property::ExactlyOnceOutput => ("every result is published once", "每条结果恰好发布一次"),
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}

/// The rule that is broken with a property, if one alone is.
pub(in crate::cli) fn rule(property: Property) -> Option<Rule> {
    Some(match property {
        Property::Delivery => Rule::ChannelFifo,
        Property::EndOfData => Rule::EndOfData,
        Property::LocalAtomicity => Rule::TaskProcess,
        Property::BarrierOrder => Rule::BarrierBroadcast,
        Property::Alignment => Rule::AlignHoldBack,
        Property::CutAtomicity | Property::SnapshotState => Rule::AlignSnapshot,
        Property::SourcePosition => Rule::SourceSnapshot,
        Property::Completeness => Rule::CheckpointComplete,
        Property::Fencing => Rule::AttemptFence,
        Property::RestoreEquality => Rule::RecoveryRestore,
        Property::Commitment => Rule::SinkCommit,
        Property::AtLeastOnceBound => Rule::AtLeastOnce,
        Property::ConsistentCut
        | Property::Messages
        | Property::Liveness
        | Property::FailureTransparency
        | Property::ExactlyOnceState
        | Property::ExactlyOnceOutput => return None,
    })
}

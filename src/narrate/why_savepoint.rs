//! Why there is a savepoint.

use super::names::Names;
use crate::model::{SavepointFormatType, SnapshotType};

/// What it is for, and what follows from its format.
pub(super) fn triggered(
    names: Names<'_>,
    (savepoint, format): (SnapshotType, SavepointFormatType),
) -> String {
    let what = match savepoint {
        SnapshotType::Suspend => names.pick(
            "the user stops the job with it: the sources read no more, and every task waits for \
             it before it finishes",
            "用户要带着它停下作业：源不再读取，每个任务都等它完成才结束",
        ),
        SnapshotType::Terminate => names.pick(
            "the user drains the job and stops it with this: the sources end as if their data \
             did, and every task waits for it before it finishes",
            "用户要排空作业并带着它停下：源像数据读完一样结束，每个任务都等它完成才结束",
        ),
        SnapshotType::Savepoint | SnapshotType::Checkpoint => names.pick(
            "the user asked for it; it takes the same way as a checkpoint, always with aligned \
             barriers, and belongs to the user",
            "这是用户要求的；它与检查点走同样的流程，屏障总是对齐，做成后归用户所有",
        ),
    };
    let in_format = match format {
        SavepointFormatType::Canonical => "",
        SavepointFormatType::Native => names.pick(
            "; in the native format only a job with the same state backend can start from it",
            "；采用原生格式，只有状态后端相同的作业才能从它启动",
        ),
    };
    format!("{what}{in_format}")
}

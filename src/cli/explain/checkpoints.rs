//! Mistakes in checkpoints: barriers, snapshots, completion, files, restores.

use super::Explainer;
use crate::verify::Wrong;

impl Explainer<'_> {
    pub(super) fn about_checkpoints(&self, wrong: &Wrong, since: u64) -> Option<String> {
        self.about_barriers(wrong, since).or_else(|| self.about_completion(wrong, since))
    }

    fn about_barriers(&self, wrong: &Wrong, since: u64) -> Option<String> {
        let text = match wrong {
            Wrong::IdsGoBack { checkpoint, before } => {
                let (which, before) = (self.checkpoint(*checkpoint), self.checkpoint(*before));
                self.pick(
                    format!("{which} begins after {before}"),
                    format!("{which}在{before}之后才开始"),
                )
            }
            Wrong::BarrierBehindLater { channel, checkpoint, before } => {
                let channel = self.channel(*channel);
                let (barrier, before) =
                    (self.names.barrier(*checkpoint), self.names.barrier(*before));
                self.pick(
                    format!("{barrier} goes out on {channel} behind {before} of step {since}"),
                    format!("{barrier}在第 {since} 步的{before}之后才发往 {channel}"),
                )
            }
            Wrong::BarrierMissing { task, checkpoint, channel } => {
                let (task, channel) = (self.task(*task), self.channel(*channel));
                let (which, barrier) =
                    (self.checkpoint(*checkpoint), self.names.barrier(*checkpoint));
                self.pick(
                    format!(
                        "{task} takes its snapshot for {which}, and {barrier} does not go out on \
                         {channel}"
                    ),
                    format!("{task}为{which}存了快照，却没有把{barrier}发往 {channel}"),
                )
            }
            Wrong::SnapshotEarly { task, checkpoint, channel } => {
                let (task, channel) = (self.task(*task), self.channel(*channel));
                let (which, barrier) =
                    (self.checkpoint(*checkpoint), self.names.barrier(*checkpoint));
                self.pick(
                    format!(
                        "{task} takes its snapshot for {which} before {barrier} has come on \
                         {channel}"
                    ),
                    format!("{channel} 的{barrier}还没到，{task}就为{which}存了快照"),
                )
            }
            Wrong::SnapshotUnasked { task, checkpoint } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!("{task} takes a snapshot for {which}, and nothing has asked for it"),
                    format!("没有什么要求，{task}却为{which}存了快照"),
                )
            }
            Wrong::SnapshotBehindLater { task, checkpoint, before } => {
                let task = self.task(*task);
                let (which, before) = (self.checkpoint(*checkpoint), self.checkpoint(*before));
                self.pick(
                    format!(
                        "{task} takes its snapshot for {which} after that for {before} in step \
                         {since}"
                    ),
                    format!("{task}在第 {since} 步为{before}存过快照，之后又为{which}存"),
                )
            }
            Wrong::Miscounted { task, checkpoint, n, counted } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!("{task} has counted {counted} of {which}’s barriers, and {n} came"),
                    format!("{task}数出{which}的 {counted} 个屏障，而到了 {n} 个"),
                )
            }
            Wrong::TimedOutUnasked { task, checkpoint } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!("{which} times out at {task}, which is not aligning it"),
                    format!("{task}并没有在对齐{which}，该检查点却在那里超时"),
                )
            }
            Wrong::WorksWhileCopying { task } => {
                let task = self.task(*task);
                self.pick(
                    format!("{task} takes up a record while it copies its state"),
                    format!("{task}还在复制状态，就取了记录"),
                )
            }
            Wrong::BarrierWithoutSnapshot { task, checkpoint } => {
                let (task, barrier) = (self.task(*task), self.names.barrier(*checkpoint));
                self.pick(
                    format!(
                        "{task} sends {barrier} on and does not take its snapshot in the same step"
                    ),
                    format!("{task}发出{barrier}，却没有在同一步存快照"),
                )
            }
            Wrong::BetweenBarrierAndSnapshot { task, checkpoint, record } => {
                let (task, record) = (self.task(*task), self.record(record));
                let barrier = self.names.barrier(*checkpoint);
                self.pick(
                    format!(
                        "{task} sends {record} after {barrier} and before its snapshot: the \
                         receiver will count it after the cut, the sender before it"
                    ),
                    format!(
                        "{task}在{barrier}之后、存快照之前发出{record}：接收者把它算在切面之后，发送者算在之前"
                    ),
                )
            }
            Wrong::SnapshotDiffers { task, checkpoint } => {
                let (task, which) = (self.task(*task), self.checkpoint(*checkpoint));
                self.pick(
                    format!(
                        "what {task} stores for {which} is not the state that it has after the \
                         records before it"
                    ),
                    format!("{task}为{which}存下的，不是处理完之前的记录后应有的状态"),
                )
            }
            _ => return None,
        };
        Some(text)
    }

    fn about_completion(&self, wrong: &Wrong, since: u64) -> Option<String> {
        let text = match wrong {
            Wrong::CompletedWithout { checkpoint, task } => {
                let (which, task) = (self.checkpoint(*checkpoint), self.task(*task));
                self.pick(
                    format!(
                        "{which}, begun in step {since}, is complete without the acknowledgement \
                         of {task}"
                    ),
                    format!("第 {since} 步开始的{which}没有{task}的确认就完成了"),
                )
            }
            Wrong::AcknowledgedUnstored { task, checkpoint } => {
                let (which, task) = (self.checkpoint(*checkpoint), self.task(*task));
                self.pick(
                    format!("{task} counts as having stored its part of {which}, and has not"),
                    format!("{task}被算作已存好{which}的部分，其实没有"),
                )
            }
            Wrong::StoredUntaken { task, checkpoint } => {
                let (which, task) = (self.checkpoint(*checkpoint), self.task(*task));
                self.pick(
                    format!(
                        "{task} has stored a snapshot for {which} that it never took, or twice"
                    ),
                    format!("{task}存好了从未拍下的{which}的快照，或存了两次"),
                )
            }
            Wrong::WrittenWrong { task, checkpoint } => {
                let (which, task) = (self.checkpoint(*checkpoint), self.task(*task));
                self.pick(
                    format!("{task} writes for {which} what is not its own state"),
                    format!("{task}为{which}写下的不是自己的状态"),
                )
            }
            Wrong::EndsUnbegun { checkpoint } => {
                let which = self.checkpoint(*checkpoint);
                self.pick(
                    format!("{which} ends or is deleted, and there is no such checkpoint"),
                    format!("{which}结束或被删除，而并没有这个检查点"),
                )
            }
            Wrong::DeletedOutOfOrder { checkpoint, older } => {
                let (which, older) = (self.checkpoint(*checkpoint), self.checkpoint(*older));
                self.pick(
                    format!("{which} is deleted, and {older}, which is older, stays"),
                    format!("删除了{which}，而更旧的{older}还留着"),
                )
            }
            Wrong::FileMissing { checkpoint, file } => {
                let (which, path) =
                    (self.checkpoint(*checkpoint), file.path(&self.names.scenario.graph));
                self.pick(
                    format!("{which} needs the file {path}, and it is not there"),
                    format!("{which}需要文件 {path}，而它不在"),
                )
            }
            Wrong::NoSuchFile { file } => {
                let path = file.path(&self.names.scenario.graph);
                self.pick(
                    format!("the file {path} is deleted, and is not there"),
                    format!("删除了并不存在的文件 {path}"),
                )
            }
            Wrong::RestoredIncomplete { checkpoint } => {
                let which = self.checkpoint(*checkpoint);
                self.pick(
                    format!("the job restarts from {which}, which is not complete or was deleted"),
                    format!("作业从{which}重启，而它没有完成或已删除"),
                )
            }
            Wrong::RestoredOlder { checkpoint, newest } => {
                let (from, newest) = (self.begun_from(*checkpoint), self.checkpoint(*newest));
                self.pick(
                    format!(
                        "the job restarts from {from} although {newest} is complete since step \
                         {since}"
                    ),
                    format!("作业从{from}重启，而{newest}在第 {since} 步已经完成"),
                )
            }
            Wrong::RestoredOther { task, checkpoint } => {
                let (task, from) = (self.task(*task), self.begun_from(*checkpoint));
                self.pick(
                    format!(
                        "{task} gets another state back than it stored for {from} in step {since}"
                    ),
                    format!("{task}恢复的状态，不是第 {since} 步为{from}存下的"),
                )
            }
            Wrong::RestoredUnasked { task } => {
                let task = self.task(*task);
                self.pick(
                    format!("{task} gets a state back in the middle of its work"),
                    format!("{task}在工作中途恢复状态"),
                )
            }
            _ => return None,
        };
        Some(text)
    }
}

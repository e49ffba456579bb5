//! State in files: what was written, deleted and read, and why it could not
//! be.

use super::changed::Teller;
use super::names::Names;
use super::why::Why;
use crate::model::{
    FileName, Language, Location, Reach, ReadFailure, Size, StatePiece, StateSettings, WriteFailure,
};
use crate::trace::Fact;

impl Names<'_> {
    /// Files by their paths.
    pub(super) fn files(&self, files: &[FileName]) -> String {
        let graph = &self.scenario.graph;
        let paths: Vec<String> = files.iter().map(|file| file.path(graph)).collect();
        self.list(&paths)
    }
}

impl Teller<'_> {
    pub(super) fn files(&self, clauses: &mut Vec<String>) {
        let told = self.digest.files.iter().filter(|fact| !is_failure(fact));
        // Of a moment, what stands in the metadata leaves no file of its own.
        let told = told.filter(|fact| self.is_step() || !is_inline(fact));
        clauses.extend(told.filter_map(|fact| self.file_fact(fact)));
    }

    /// What could be neither written nor read: of a moment the weightiest part.
    pub(super) fn file_failures(&self, clauses: &mut Vec<String>) {
        let told = self.digest.files.iter().filter(|fact| is_failure(fact));
        clauses.extend(told.filter_map(|fact| self.file_fact(fact)));
    }

    fn file_fact(&self, fact: &Fact) -> Option<String> {
        let names = self.names;
        Some(match fact {
            Fact::StateWritten { task, pieces, copy, .. } => {
                let who = names.task(*task);
                let written = self.written(pieces, *copy);
                self.say(|| format!("{who} wrote {written}"), || format!("{who}写入{written}"))
            }
            Fact::WriteFailed { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                self.say(
                    || format!("{who} could not store its snapshot of {which}"),
                    || format!("{who}未能存下{which}的快照"),
                )
            }
            Fact::MetadataWritten { checkpoint, snapshot, bytes } if self.is_step() => {
                let file = FileName::metadata(*checkpoint, *snapshot);
                let (path, size) = (names.files(&[file]), Size(*bytes));
                self.say(
                    || format!("the JobManager wrote {path}, {size}"),
                    || format!("JobManager 写入 {path}（{size}）"),
                )
            }
            Fact::CheckpointDisposed { checkpoint } => {
                let which = names.checkpoint(*checkpoint);
                self.say(
                    || format!("the user deleted {which} by hand"),
                    || format!("用户手动删除了{which}"),
                )
            }
            Fact::FilesDeleted { files } => {
                let (list, verb) =
                    (names.files(files), if files.len() == 1 { "is" } else { "are" });
                self.say(|| format!("{list} {verb} gone"), || format!("{list} 已删除"))
            }
            Fact::RestoreStarted { task, from_storage, from_disk, .. } => {
                let (who, storage, disk) =
                    (names.task(*task), Size(*from_storage), Size(*from_disk));
                match (*from_storage, *from_disk) {
                    (_, 0) => self.say(
                        || format!("{who} reads {storage} from the storage"),
                        || format!("{who}从存储读取 {storage}"),
                    ),
                    (0, _) => self.say(
                        || format!("{who} reads {disk} from its own disk"),
                        || format!("{who}从本地磁盘读取 {disk}"),
                    ),
                    _ => self.say(
                        || format!("{who} reads {disk} from its own disk and {storage} from the storage"),
                        || format!("{who}从本地磁盘读取 {disk}，从存储读取 {storage}"),
                    ),
                }
            }
            Fact::RestoreFailed { task, checkpoint, .. } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                self.say(
                    || format!("{who} cannot read its part of {which}, and dies"),
                    || format!("{who}读不到自己在{which}中的状态，随即失败"),
                )
            }
            _ => return None,
        })
    }

    /// "3 MB to chk-2/sum-keyed, and 32 B into the metadata".
    fn written(&self, pieces: &[StatePiece], copy: Option<u64>) -> String {
        let names = self.names;
        let mut parts = Vec::new();
        let new = pieces.iter().filter_map(|piece| match piece.location {
            Location::Written(file) => Some((file, piece.bytes)),
            _ => None,
        });
        for (file, bytes) in new {
            let (path, size) = (names.files(&[file]), Size(bytes));
            parts.push(self.say(|| format!("{path}, {size}"), || format!(" {path}（{size}）")));
        }
        let inline = pieces.iter().filter(|piece| piece.location == Location::Metadata);
        let inline: u64 = inline.map(|piece| piece.bytes).sum();
        if inline > 0 {
            let size = Size(inline);
            parts.push(
                self.say(|| format!("{size} into the metadata"), || format!("元数据（{size}）")),
            );
        }
        let reused = pieces.iter().filter_map(|piece| match piece.location {
            Location::Reused(file) => Some(file),
            _ => None,
        });
        let reused: Vec<FileName> = reused.collect();
        let mut text = match parts.is_empty() {
            true => names.pick("nothing new", "0\u{a0}个新文件").to_owned(),
            false => parts.join(names.pick("; ", "、")),
        };
        if !reused.is_empty() {
            let list = names.files(&reused);
            text += &self
                .say(|| format!(" (and refers to {list})"), || format!("（并引用已有的 {list}）"));
        }
        if let Some(bytes) = copy {
            let size = Size(bytes);
            text += &self.say(
                || format!(", and a copy of {size} on its own disk"),
                || format!("，本地磁盘另存一份（{size}）"),
            );
        }
        text
    }
}

fn is_failure(fact: &Fact) -> bool {
    matches!(fact, Fact::WriteFailed { .. } | Fact::RestoreFailed { .. })
}

fn is_inline(fact: &Fact) -> bool {
    matches!(fact, Fact::StateWritten { pieces, copy: None, .. }
        if pieces.iter().all(|piece| piece.location == Location::Metadata))
}

/// The reason for a fact about files, if it is one.
pub(super) fn reason(why: &Why<'_>, fact: &Fact) -> Option<String> {
    let names = why.names;
    let settings = &names.scenario.config.state;
    Some(match fact {
        Fact::StateWritten { pieces, .. } => written(why, settings, pieces),
        Fact::WriteFailed { why: WriteFailure::TooLarge { bytes, bytes_max }, .. } => {
            let (size, limit) = (Size(*bytes), Size(*bytes_max));
            why.say(
                || {
                    format!(
                        "{size} in one piece is more than the {limit} that the JobManager’s \
                         memory takes; files have no such limit, so set \
                         execution.checkpointing.dir"
                    )
                },
                || {
                    format!(
                        "单份状态 {size}，超过 JobManager 内存存储的上限 {limit}；文件没有这个限制，\
                         应设置 execution.checkpointing.dir"
                    )
                },
            )
        }
        Fact::WriteFailed { why: WriteFailure::StorageDown, .. } => names
            .pick(
                "the storage does not answer, so the snapshot is nowhere: the task declines the \
                 checkpoint and works on",
                "存储没有响应，快照无处可存：任务拒绝这个检查点，照常工作",
            )
            .to_owned(),
        Fact::MetadataWritten { .. } => names
            .pick(
                "with its metadata a checkpoint can be found and restored; without, its files are \
                 worth nothing",
                "有了元数据，检查点才找得到、能恢复；没有它，其余文件毫无用处",
            )
            .to_owned(),
        Fact::CheckpointDisposed { .. } => names
            .pick(
                "flink savepoint -d follows every reference of a checkpoint and asks no job: \
                 shared files that newer increments build on go, too",
                "flink savepoint -d 会沿着检查点的每个引用删下去，不问任何作业：\
                 较新的增量所依赖的共享文件也一并删掉",
            )
            .to_owned(),
        Fact::FilesDeleted { files } => deleted(why, files),
        Fact::RestoreStarted { from_disk: 0, .. } => names
            .pick(
                "a new attempt begins with empty tasks, and their state has to come from the \
                 storage first",
                "新的尝试从空任务开始，状态要先从存储读回来",
            )
            .to_owned(),
        Fact::RestoreStarted { .. } => names
            .pick(
                "its TaskManager has survived and holds a copy of this checkpoint, so the large \
                 part need not come over the network",
                "它的 TaskManager 还在，本地存有这个检查点的副本，大部分状态不必走网络",
            )
            .to_owned(),
        Fact::RestoreFailed { why: ReadFailure::FileMissing { file }, .. }
            if names.scenario.storage.reach == Reach::EveryMachine =>
        {
            let path = names.files(&[*file]);
            why.say(
                || {
                    format!(
                        "{path} has been deleted: leave the files of checkpoints to the job that \
                         writes them, and delete a retained one only when no later increment \
                         uses it"
                    )
                },
                || {
                    format!(
                        "{path} 已被删除：检查点的文件应交给写它的作业管理；\
                         只有在后来的增量都不再用到时，才可以删除保留下来的检查点"
                    )
                },
            )
        }
        Fact::RestoreFailed { why: ReadFailure::FileMissing { file }, .. } => {
            let path = names.files(&[*file]);
            why.say(
                || {
                    format!(
                        "{path} lay on the machine that wrote it, and that one is gone: the \
                         directory of checkpoints must be one that every machine sees"
                    )
                },
                || {
                    format!(
                        "{path} 在写它的那台机器上，而那台机器没了：检查点目录必须所有机器都能访问"
                    )
                },
            )
        }
        Fact::RestoreFailed { why: ReadFailure::StorageDown, .. } => names
            .pick(
                "the storage does not answer: the attempt fails, and counts as one",
                "存储没有响应：这次尝试失败，并算作一次重启",
            )
            .to_owned(),
        _ => return None,
    })
}

fn written(why: &Why<'_>, settings: &StateSettings, pieces: &[StatePiece]) -> String {
    let limit = Size(settings.inline_max);
    if pieces.iter().any(|piece| matches!(piece.location, Location::Reused(_))) {
        return why.say(
            || "an incremental checkpoint writes what is new, and refers to the files of the one before it".to_owned(),
            || "增量检查点只写新内容，其余引用上一个检查点的文件".to_owned(),
        );
    }
    match pieces.iter().all(|piece| piece.location == Location::Metadata) {
        true => why.say(
            || format!("a piece of state of at most {limit} gets no file of its own"),
            || format!("不超过 {limit} 的状态不单独成文件"),
        ),
        false => why.say(
            || format!("a piece of state of more than {limit} goes into a file of its own"),
            || format!("超过 {limit} 的状态单独写成文件"),
        ),
    }
}

fn deleted(why: &Why<'_>, files: &[FileName]) -> String {
    let names = why.names;
    let is_lost = why.step.facts.iter().any(|fact| matches!(fact, Fact::Crashed { .. }));
    let are_copies = files.iter().all(|file| matches!(file, FileName::Local { .. }));
    let text = match (is_lost, are_copies, names.language) {
        (true, _, Language::En) => "their machine is gone, and its disk with it",
        (true, _, Language::Zh) => "机器没了，磁盘上的文件也没了",
        (false, true, Language::En) => "a newer checkpoint is complete: an older copy is of no use",
        (false, true, Language::Zh) => "更新的检查点已完成，旧副本不再有用",
        (false, false, Language::En) => "no checkpoint that is kept uses them any more",
        (false, false, Language::Zh) => "保留的检查点都不再用到它们",
    };
    text.to_owned()
}

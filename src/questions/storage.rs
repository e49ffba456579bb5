//! Questions about files: what goes with a checkpoint, and where a task reads
//! its state from.

use std::collections::BTreeSet;

use super::{Question, Run, both, choice, same};
use crate::model::{CheckpointId, FileName, Location};
use crate::trace::{Fact, Rule};

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let mut all: Vec<Question> = deleted(run).into_iter().collect();
    all.extend(read_from(run));
    all
}

/// Which files go with a checkpoint?
fn deleted(run: &Run<'_>) -> Option<Question> {
    let (step, id) = run.facts().find_map(|(step, fact)| match fact {
        Fact::CheckpointDiscarded { checkpoint } if shares(run, *checkpoint) => {
            Some((step, *checkpoint))
        }
        _ => None,
    })?;
    let own = files(run, id);
    let gone: BTreeSet<FileName> = run
        .facts()
        .filter_map(|(at, fact)| match fact {
            Fact::FilesDeleted { files } if at == step => Some(files.iter().copied()),
            _ => None,
        })
        .flatten()
        .filter(|file| own.contains(file))
        .collect();
    let (n, of) = (gone.len(), own.len());
    let number = |n: usize| choice(same(format!("{n}")));
    let mut what = vec![number(n)];
    what.extend([of, 0].into_iter().filter(|other| *other != n).map(number));
    let because = vec![
        match n == of {
            true => both("no newer checkpoint uses any of them", "没有更新的检查点用到它们"),
            false => both(
                "a file stays as long as some kept checkpoint uses it",
                "只要还有保留的检查点在用，文件就留着",
            ),
        },
        both("a checkpoint’s files are its own", "检查点的文件归它自己"),
        both(
            "a newer checkpoint builds on the whole of the older one",
            "新检查点建立在整个旧检查点之上",
        ),
    ];
    let ask = run.both(
        |names| {
            format!(
                "{} used {of} files of state, and is deleted for a newer one. How many of them go?",
                names.checkpoint(id)
            )
        },
        |names| {
            format!(
                "{}用了 {of} 个状态文件，因为有更新的而被删除。其中几个文件会删掉？",
                names.checkpoint(id)
            )
        },
    );
    let answer = run.both(
        |_| format!("{n} of {of}: the others hold tables that a newer checkpoint has taken over."),
        |_| format!("{of} 个中的 {n} 个：其余存着更新的检查点沿用的表。"),
    );
    let answer = if n == of {
        run.both(
            |_| format!("All {of}: nothing of it is used by a newer checkpoint."),
            |_| format!("全部 {of} 个：更新的检查点都不用它们。"),
        )
    } else {
        answer
    };
    Some(Question {
        id: format!("files-of-{id}"),
        at: step - 1,
        shows: step,
        ask,
        what,
        because,
        answer,
        rule: Rule::StorageDelete,
    })
}

/// The files of state that a checkpoint uses.
fn files(run: &Run<'_>, id: CheckpointId) -> BTreeSet<FileName> {
    let pieces = run.facts().filter_map(|(_, fact)| match fact {
        Fact::StateWritten { checkpoint, pieces, .. } if *checkpoint == id => Some(pieces),
        _ => None,
    });
    pieces.flatten().filter_map(|piece| piece.location.file()).collect()
}

/// Whether a checkpoint has files that others may use.
fn shares(run: &Run<'_>, id: CheckpointId) -> bool {
    let own = files(run, id);
    own.iter().any(|file| matches!(file, FileName::Shared { .. }))
        && run.facts().any(|(_, fact)| match fact {
            Fact::StateWritten { checkpoint, pieces, .. } => *checkpoint != id
                && pieces.iter().any(
                    |piece| matches!(piece.location, Location::Reused(file) if own.contains(&file)),
                ),
            _ => false,
        })
}

/// Where does a task read its state from after a failure?
fn read_from(run: &Run<'_>) -> Option<Question> {
    let restores = run.facts().filter_map(|(step, fact)| match fact {
        Fact::RestoreStarted { task, from_storage, from_disk, .. } => {
            Some((step, *task, *from_storage, *from_disk))
        }
        _ => None,
    });
    let restores: Vec<_> = restores.collect();
    // A task that has lost its disk is asked for only when others have theirs.
    let (step, task, from_storage, from_disk) =
        *restores.iter().find(|own| own.3 > 0).or_else(|| restores.first())?;
    let storage = choice(both("all from the checkpoint storage", "全部从检查点存储"));
    let disk = choice(both("from the disk of its TaskManager", "从它的 TaskManager 的磁盘"));
    let none = choice(both("it still has it in memory", "它的内存里还有"));
    let is_local = from_disk > 0;
    let what = if is_local { vec![disk, storage, none] } else { vec![storage, disk, none] };
    let because = vec![
        match is_local {
            true => both(
                "local recovery keeps a copy there, and its TaskManager lives",
                "本地恢复在那里留有副本，而它的 TaskManager 还在",
            ),
            false => both(
                "there is no copy of it that its new process could reach",
                "新进程够不到别的副本",
            ),
        },
        both("what was stored once is read where it was stored", "存在哪里就从哪里读"),
        both("only the task that has failed loses its memory", "只有失败的任务才丢内存"),
    ];
    let ask = run.both(
        |names| format!("The job restarts. Where does {} get its state from?", names.task(task)),
        |names| format!("作业重启。{}从哪里取回状态？", names.task(task)),
    );
    let answer = run.both(
        |names| format!("{} reads {from_disk} bytes from its TaskManager’s disk and {from_storage} from the checkpoint storage.", names.task(task)),
        |names| format!("{}从 TaskManager 的磁盘读 {from_disk} 字节，从检查点存储读 {from_storage} 字节。", names.task(task)),
    );
    let id = format!("reads-state-{}", run.slug(task));
    Some(Question {
        id,
        at: step - 1,
        shows: step,
        ask,
        what,
        because,
        answer,
        rule: Rule::RecoveryRestore,
    })
}

//! What lies where: `run --storage`.

use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthStr;

use super::text::{Page, padded, right, span};
use std::collections::BTreeSet;

use crate::cli::file_log::{FileChange, FileEntry};
use crate::cli::run::RunResult;
use crate::model::{
    CheckpointFailureReason, CheckpointStorage, Device, DirectoryLayout, FileName, Language,
    Micros, ReadFailure, Size, SnapshotType, StateBackend, StateSettings, WriteFailure,
};
use crate::render::text::Paint;
use crate::trace::StoredFile;

impl Page<'_> {
    /// Where state lies, how that came, and what is there at the end.
    pub(super) fn storage(&mut self) {
        let backend = match self.result.scenario.config.state.backend {
            StateBackend::HashMap => {
                self.pick("objects on each TaskManager’s heap", "各 TaskManager 堆内存中的对象")
            }
            StateBackend::RocksDb => {
                self.pick("RocksDB on each TaskManager’s disk", "各 TaskManager 磁盘上的 RocksDB")
            }
        };
        self.labelled(self.pick("working", "工作状态"), backend);
        let place = self.checkpoints_place();
        self.labelled(self.pick("checkpoints", "检查点"), &place);
        self.blank();
        self.history();
        self.files_at_end();
        self.blank();
    }

    fn checkpoints_place(&self) -> String {
        let scenario = self.result.scenario;
        let state = &scenario.config.state;
        let directory = directory(state, job(self.result));
        match (state.storage, directory) {
            (CheckpointStorage::JobManager, None) => self
                .pick("in the JobManager’s memory, no files", "在 JobManager 内存中，没有文件")
                .to_owned(),
            (CheckpointStorage::JobManager, Some(directory)) => match self.names.language {
                Language::En => {
                    format!("in the JobManager’s memory; their metadata in {directory}")
                }
                Language::Zh => format!("在 JobManager 内存中；元数据在 {directory}"),
            },
            (CheckpointStorage::FileSystem, directory) => {
                let directory = directory.unwrap_or_default();
                let speed = self.speed(scenario.storage.checkpoints);
                match self.names.language {
                    Language::En => format!("files in {directory} · {speed}"),
                    Language::Zh => format!("{directory} 中的文件 · {speed}"),
                }
            }
        }
    }

    fn speed(&self, device: Device) -> String {
        let rate = device.bytes_per_second.map(Size);
        match (rate, self.names.language) {
            (None, Language::En) if device.latency == Micros::ZERO => "no time".to_owned(),
            (None, Language::Zh) if device.latency == Micros::ZERO => "不花时间".to_owned(),
            (None, Language::En) => format!("{} for each file", device.latency),
            (None, Language::Zh) => format!("每个文件 {}", device.latency),
            (Some(rate), Language::En) => {
                format!("{} for each file and {rate}/s", device.latency)
            }
            (Some(rate), Language::Zh) => format!("每个文件 {}，{rate}/s", device.latency),
        }
    }

    fn history(&mut self) {
        let (entries, n_earlier) = self.result.files.newest();
        if entries.is_empty() {
            return;
        }
        let head = match self.names.language {
            Language::En => "    step         time   change",
            Language::Zh => "      步         时间   变化",
        };
        self.lines.push(vec![span(head, Paint::Dim)]);
        if n_earlier > 0 {
            let text = match self.names.language {
                Language::En => format!("… {n_earlier} earlier changes"),
                Language::Zh => format!("… 更早的 {n_earlier} 处变化"),
            };
            self.lines.push(vec![span(text, Paint::Dim)]);
        }
        let mut before = 0;
        for FileEntry { step, at, change } in entries {
            let place = match *step == before {
                true => " ".repeat(21),
                false => format!("{}{}", right(&step.to_string(), 8), right(&at.to_string(), 13)),
            };
            before = *step;
            let (sign, text, paint) = self.change(change);
            self.lines.push(vec![
                span(format!("{place}   "), Paint::Dim),
                span(format!("{sign} "), paint),
                span(self.names.tidy(&text), Paint::Plain),
            ]);
        }
        self.blank();
    }

    fn change(&self, change: &FileChange) -> (&'static str, String, Paint) {
        let names = self.names;
        let path = |file: &FileName| shown_path(self.result, *file);
        let zh = names.language == Language::Zh;
        match change {
            FileChange::Written { file, bytes } => {
                ("+", format!("{}  {}", path(file), Size(*bytes)), Paint::Done)
            }
            FileChange::Inline { task, checkpoint, bytes } => {
                let (who, size) = (names.task(*task), Size(*bytes));
                let snapshot = match self.result.report.savepoints.contains(checkpoint) {
                    true => SnapshotType::Savepoint,
                    false => SnapshotType::Checkpoint,
                };
                let file = path(&FileName::metadata(*checkpoint, snapshot));
                let text = match zh {
                    false => format!("{size} of {who} for {file}"),
                    true => format!("{who}的 {size} 将写入 {file}"),
                };
                ("·", text, Paint::Dim)
            }
            FileChange::Reused { file, checkpoint } => {
                let (file, which) = (path(file), names.checkpoint(*checkpoint));
                let text = match zh {
                    false => format!("{file}  used by {which}, too"),
                    true => format!("{file}  {which}也引用"),
                };
                ("=", text, Paint::Dim)
            }
            FileChange::Deleted { file } => ("−", path(file), Paint::Blocked),
            FileChange::WriteFailed { task, checkpoint, why } => {
                let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
                let text = match (why, zh) {
                    (WriteFailure::TooLarge { bytes, bytes_max }, false) => format!(
                        "{who}, {which}: {} is more than {}",
                        Size(*bytes),
                        Size(*bytes_max)
                    ),
                    (WriteFailure::TooLarge { bytes, bytes_max }, true) => {
                        format!("{who}，{which}：{} 超过 {}", Size(*bytes), Size(*bytes_max))
                    }
                    (WriteFailure::StorageDown, false) => {
                        format!("{who}, {which}: the storage does not answer")
                    }
                    (WriteFailure::StorageDown, true) => {
                        format!("{who}，{which}：存储没有响应")
                    }
                };
                ("✗", text, Paint::Blocked)
            }
            FileChange::CheckpointFailed { checkpoint, reason } => {
                let which = names.checkpoint(*checkpoint);
                let is_begun = *reason == CheckpointFailureReason::FinalizeCheckpointFailure;
                let text = match (is_begun, zh) {
                    (true, false) => format!("{which}: its metadata could not be written"),
                    (true, true) => format!("{which}：元数据没能写下"),
                    (false, false) => format!("{which}: the storage has no place for it"),
                    (false, true) => format!("{which}：存储里没有放它的地方"),
                };
                ("✗", text, Paint::Blocked)
            }
            FileChange::Reading { task, from_storage, from_disk } => {
                let who = names.task(*task);
                let part = |bytes: &u64, en: &str, zh_text: &str| {
                    let size = Size(*bytes);
                    (*bytes > 0).then(|| match zh {
                        false => format!("{size} from {en}"),
                        true => format!("从{zh_text}读 {size}"),
                    })
                };
                let parts = [
                    part(from_disk, "its own disk", "本地磁盘"),
                    part(from_storage, "the storage", "存储"),
                ];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                let text = match zh {
                    false => format!("{who} reads {}", parts.join(" and ")),
                    true => format!("{who}{}", parts.join("，")),
                };
                ("←", text, Paint::Barrier)
            }
            FileChange::Read { task } => {
                let who = names.task(*task);
                let text = match zh {
                    false => format!("{who} has its state"),
                    true => format!("{who}状态就绪"),
                };
                ("✓", text, Paint::Done)
            }
            FileChange::ReadFailed { task, why } => {
                let who = names.task(*task);
                let text = match (why, zh) {
                    (ReadFailure::FileMissing { file }, false) => {
                        format!("{who} does not find {}", path(file))
                    }
                    (ReadFailure::FileMissing { file }, true) => {
                        format!("{who}找不到 {}", path(file))
                    }
                    (ReadFailure::StorageDown, false) => {
                        format!("{who} cannot read: the storage does not answer")
                    }
                    (ReadFailure::StorageDown, true) => format!("{who}无法读取：存储没有响应"),
                };
                ("✗", text, Paint::Blocked)
            }
        }
    }

    fn files_at_end(&mut self) {
        let files = all_files(self.result);
        let label = self.pick("at the end", "最后留下");
        if files.is_empty() {
            self.labelled(label, self.pick("no file", "没有文件"));
            return;
        }
        let widest = files.iter().map(|(path, ..)| path.width()).max().unwrap_or(0);
        self.lines.push(vec![span(label, Paint::Dim)]);
        for (path, name, file) in &files {
            let users: Vec<String> = file.users.iter().map(ToString::to_string).collect();
            let users = users.join(", ");
            let used = match (name, self.names.language, file.users.is_empty()) {
                (FileName::Shared { .. }, Language::En, false) => {
                    format!("{} × used: checkpoint {users}", file.users.len())
                }
                (FileName::Shared { .. }, Language::Zh, false) => {
                    format!("引用 {} 次：检查点 {users}", file.users.len())
                }
                (FileName::Local { .. }, ..) | (_, _, false) => String::new(),
                (_, Language::En, true) => "used by no checkpoint".to_owned(),
                (_, Language::Zh, true) => "没有检查点引用".to_owned(),
            };
            let mut line = vec![
                span(format!("  {}", padded(path, widest)), Paint::Plain),
                span(right(&Size(file.bytes).to_string().replace('\u{a0}', " "), 11), Paint::Plain),
                span(format!("   {used}"), Paint::Dim),
            ];
            super::text::trim(&mut line);
            self.lines.push(line);
        }
    }
}

/// The directory of the checkpoints of a run's so-manieth job.
fn directory(state: &StateSettings, job: usize) -> Option<String> {
    let directory = state.directory.as_ref()?.trim_end_matches('/');
    Some(match state.layout {
        DirectoryLayout::OnePerJob => format!("{directory}/job-{job}"),
        DirectoryLayout::Shared => directory.to_owned(),
    })
}

/// Every file of every job of a run with its whole path, the first job first.
/// Where jobs share a directory, a later one writes over what an earlier one
/// has left.
fn all_files<'r>(result: &'r RunResult<'_>) -> Vec<(String, FileName, &'r StoredFile)> {
    let files = &result.view.files;
    let earlier = files.of_earlier_jobs().iter().zip(1..);
    let earlier =
        earlier.flat_map(|(files, job)| files.iter().map(move |(name, file)| (*name, file, job)));
    let own = files.files().map(|(name, file)| (name, file, job(result)));
    let path = |name, job| full_path(result, name, job);
    let files = earlier.chain(own).map(|(name, file, job)| (path(name, job), name, file));
    let (mut files, mut seen) = (files.collect::<Vec<_>>(), BTreeSet::new());
    files.reverse();
    files.retain(|(path, ..)| seen.insert(path.clone()));
    files.reverse();
    files
}

/// A path as a change tells it: below the job's directory, or, for a copy,
/// from the root of its disk.
fn shown_path(result: &RunResult<'_>, name: FileName) -> String {
    match name {
        FileName::Local { .. } => full_path(result, name, job(result)),
        _ if name.is_of_savepoint() => full_path(result, name, job(result)),
        _ => name.path(&result.scenario.graph),
    }
}

/// The number of the last job of a run.
fn job(result: &RunResult<'_>) -> usize {
    result.view.files.of_earlier_jobs().len() + 1
}

fn full_path(result: &RunResult<'_>, name: FileName, job: usize) -> String {
    let state = &result.scenario.config.state;
    let path = name.path(&result.scenario.graph);
    match name {
        FileName::Local { .. } => {
            let directory = state.local_directory.as_deref().unwrap_or("(TaskManager)");
            format!("{}/{path}", directory.trim_end_matches('/'))
        }
        _ if name.is_of_savepoint() => {
            let directory = state.savepoint_directory.as_deref().unwrap_or_default();
            format!("{}/{path}", directory.trim_end_matches('/'))
        }
        _ => format!("{}/{path}", directory(state, job).unwrap_or_default()),
    }
}

/// The same for machines.
pub(super) fn json(result: &RunResult<'_>) -> Json {
    let state = &result.scenario.config.state;
    let graph = &result.scenario.graph;
    let files = all_files(result)
        .into_iter()
        .map(|(path, _, file)| json!({ "path": path, "bytes": file.bytes, "used_by": file.users }));
    let (entries, n_earlier) = result.files.newest();
    let task = |task: &crate::model::SubtaskIndex| graph.subtasks[task.index()].name.clone();
    let changes = entries.iter().map(|FileEntry { step, at, change }| {
        let what = match change {
            FileChange::Written { file, bytes } => {
                json!({ "written": shown_path(result, *file), "bytes": bytes })
            }
            FileChange::Inline { task: who, checkpoint, bytes } => {
                json!({ "inline": task(who), "checkpoint": checkpoint, "bytes": bytes })
            }
            FileChange::Reused { file, checkpoint } => {
                json!({ "reused": shown_path(result, *file), "checkpoint": checkpoint })
            }
            FileChange::Deleted { file } => json!({ "deleted": shown_path(result, *file) }),
            FileChange::WriteFailed { task: who, checkpoint, why } => {
                json!({ "write_failed": task(who), "checkpoint": checkpoint, "why": why })
            }
            FileChange::CheckpointFailed { checkpoint, reason } => {
                json!({ "checkpoint_failed": checkpoint, "reason": reason })
            }
            FileChange::Reading { task: who, from_storage, from_disk } => {
                json!({ "reading": task(who), "from_storage": from_storage, "from_disk": from_disk })
            }
            FileChange::Read { task: who } => json!({ "read": task(who) }),
            FileChange::ReadFailed { task: who, why } => {
                let missing = match why {
                    ReadFailure::FileMissing { file } => Some(shown_path(result, *file)),
                    ReadFailure::StorageDown => None,
                };
                json!({ "read_failed": task(who), "missing": missing })
            }
        };
        json!({ "step": step, "at": at, "change": what })
    });
    json!({
        "backend": match state.backend {
            StateBackend::HashMap => "hashmap",
            StateBackend::RocksDb => "rocksdb",
        },
        "storage": match state.storage {
            CheckpointStorage::JobManager => "jobmanager",
            CheckpointStorage::FileSystem => "filesystem",
        },
        "directory": directory(state, job(result)),
        "files": files.collect::<Vec<Json>>(),
        "earlier_changes": n_earlier,
        "changes": changes.collect::<Vec<Json>>(),
    })
}

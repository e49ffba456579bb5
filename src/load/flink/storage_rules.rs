//! What is to be said of backends, storages and directories.

use super::keys;
use super::refusals::in_quotes;
use super::settings::Settings;
use super::tell::{Teller, say};
use super::template::placeholders;
use super::{Release, options};
use crate::load::diagnostic::Severity;
use crate::load::words::clip;

/// Flink's limit of state in metadata.
// Flink 1.20: FileSystemCheckpointStorage.MAX_FILE_STATE_THRESHOLD
pub(super) const INLINE_MAX: u64 = 1 << 20;

impl Teller<'_> {
    /// Tells what becomes of the names of backends and storages, and where
    /// checkpoints go.
    pub(super) fn storage(&mut self, settings: &Settings) {
        self.where_checkpoints_go(settings);
        self.storage_settings(settings);
    }

    /// Tells what becomes of the names of backends and storages.
    pub(super) fn storage_settings(&mut self, settings: &Settings) {
        self.backend(settings);
        self.storage_name(settings);
        for key in [keys::DIR, keys::SAVEPOINT_DIR] {
            self.scheme(settings, key);
        }
        self.local_dirs(settings);
        let threshold = settings.value(keys::INLINE_THRESHOLD);
        if let Some(super::Value::Memory(bytes)) = threshold
            && *bytes > INLINE_MAX
        {
            let language = self.language;
            let message = say!(
                language,
                "more than 1 mb of state does not go into metadata: Flink warns and takes its default, 20 kb",
                "超过 1 mb 的状态不能放进元数据：Flink 会警告并采用默认值 20 kb"
            );
            let label = say!(language, "taken as 20 kb", "按 20 kb 处理");
            let places = self.one(settings, keys::INLINE_THRESHOLD, label);
            self.tell(Severity::Warning, "taken-otherwise", message, places);
        }
    }

    // Flink 1.20: StateBackendLoader.loadStateBackendFromConfig
    fn backend(&mut self, settings: &Settings) {
        if !settings.is_set(keys::BACKEND) {
            return;
        }
        let name = settings.word(keys::BACKEND).unwrap_or_default().to_owned();
        let (language, shown) = (self.language, clip(&name));
        let (severity, code, message) = match (name.to_ascii_lowercase().as_str(), self.release) {
            ("hashmap" | "rocksdb", _) | ("forst", Release::V2) => return,
            ("forst", Release::V1) => (
                Severity::Warning,
                "unknown-backend",
                say!(
                    language,
                    "the backend forst is unknown to releases before 2.0: the job does not start there",
                    "2.0 之前的版本没有 forst 后端：作业无法启动"
                ),
            ),
            ("jobmanager" | "filesystem", Release::V2) => (
                Severity::Warning,
                "unknown-backend",
                say!(
                    language,
                    "the backend '{shown}' is a legacy name that Flink 2 no longer knows: the job does not start",
                    "'{shown}' 是旧名，Flink 2 已不认识：作业无法启动"
                ),
            ),
            ("jobmanager", Release::V1) => (
                Severity::Note,
                "old-backend",
                say!(
                    language,
                    "state backend '{shown}' is the legacy name (MemoryStateBackend): today hashmap + jobmanager storage",
                    "状态后端 '{shown}' 是旧名（MemoryStateBackend）：现为 hashmap 加 jobmanager 存储"
                ),
            ),
            ("filesystem", Release::V1) => (
                Severity::Note,
                "old-backend",
                say!(
                    language,
                    "state backend '{shown}' is the legacy name (FsStateBackend): today hashmap + filesystem storage",
                    "状态后端 '{shown}' 是旧名（FsStateBackend）：现为 hashmap 加 filesystem 存储"
                ),
            ),
            (class, _) if class.contains('.') => (
                Severity::Note,
                "class",
                say!(
                    language,
                    "the backend is the class {shown}, which has to be on the class path",
                    "后端是类 {shown}，它必须在类路径上"
                ),
            ),
            _ => (
                Severity::Warning,
                "unknown-backend",
                say!(
                    language,
                    "Flink has no state backend {shown}, and takes it for the name of a class: the job does not start without it",
                    "Flink 没有状态后端 {shown}，会把它当作类名：没有这个类作业无法启动"
                ),
            ),
        };
        let near =
            self.problems.nearest(&name.to_ascii_lowercase(), options::BACKENDS.iter().copied());
        let label = match near.filter(|near| code == "unknown-backend" && *near != name) {
            Some(near) => say!(language, "did you mean `{near}`?", "是否想写 `{near}`？"),
            None => say!(language, "this name", "这个名称"),
        };
        let places = settings.value_place(keys::BACKEND).map(|place| (place, label));
        self.tell(severity, code, message, places.into_iter().collect());
    }

    // Flink 1.20: CheckpointStorageLoader.fromConfig
    fn storage_name(&mut self, settings: &Settings) {
        if !settings.is_set(keys::STORAGE) {
            return;
        }
        let name = settings.word(keys::STORAGE).unwrap_or_default().to_owned();
        let (language, shown) = (self.language, clip(&name));
        let message = match name.to_ascii_lowercase().as_str() {
            "filesystem" if !settings.is_set(keys::DIR) => {
                let key = keys::DIR;
                say!(
                    language,
                    "the storage filesystem needs {key}: the job does not start without it",
                    "filesystem 存储需要 {key}：没有它作业无法启动"
                )
            }
            "filesystem" => return,
            "jobmanager" if settings.is_set(keys::DIR) => {
                say!(
                    language,
                    "with the storage jobmanager only metadata goes to the directory; state stays in the JobManager's memory",
                    "jobmanager 存储只把元数据写到目录；状态留在 JobManager 内存"
                )
            }
            "jobmanager" => return,
            class if class.contains('.') => return,
            _ => say!(
                language,
                "Flink has no checkpoint storage {shown}, and takes it for the name of a class: the job does not start without it",
                "Flink 没有检查点存储 {shown}，会把它当作类名：没有这个类作业无法启动"
            ),
        };
        let label = say!(language, "this storage", "这种存储");
        let places = settings.value_place(keys::STORAGE).map(|place| (place, label));
        self.tell(Severity::Warning, "storage", message, places.into_iter().collect());
    }

    /// Checkpoints in the JobManager's memory are rarely what is wanted.
    fn where_checkpoints_go(&mut self, settings: &Settings) {
        let in_memory = settings.word(keys::STORAGE) == Some("jobmanager");
        if in_memory && settings.is_periodic() && !settings.is_set(keys::STORAGE) {
            let (language, key) = (self.language, keys::DIR);
            let message = say!(
                language,
                "without {key} checkpoints go to the JobManager's memory: they are lost with it, and no task's state may exceed 5 mb",
                "没有 {key} 时检查点放在 JobManager 内存：随它丢失，且每个任务的状态不得超过 5 mb"
            );
            self.tell(Severity::Note, "in-memory", message, Vec::new());
        }
    }

    // Flink 1.20: AbstractFileStateBackend.validatePath
    fn scheme(&mut self, settings: &Settings, key: &str) {
        let Some(dir) = settings.word(key).filter(|_| settings.is_set(key)) else { return };
        let scheme = dir.split(':').next().unwrap_or_default();
        let has_scheme = dir.contains(':')
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if has_scheme || in_quotes(dir).is_some() || !placeholders(dir).is_empty() {
            return;
        }
        let (language, shown) = (self.language, clip(dir));
        let message = say!(
            language,
            "{key}: {shown} has no scheme, and Flink refuses to start the job",
            "{key}：{shown} 没有协议名，Flink 会拒绝启动作业"
        );
        let label = say!(
            language,
            "write file://, hdfs:// or s3:// in front",
            "前面写上 file://、hdfs:// 或 s3://"
        );
        let places = settings.value_place(key).map(|place| (place, label));
        self.tell(Severity::Warning, "no-scheme", message, places.into_iter().collect());
    }

    fn local_dirs(&mut self, settings: &Settings) {
        let Some(dirs) = settings.word(keys::LOCAL_DIRS) else { return };
        let remote = |dir: &str| dir.contains("://") && !dir.trim().starts_with("file:");
        if !dirs.split([',', ';']).any(remote) {
            return;
        }
        let (language, shown) = (self.language, clip(dirs));
        let message = say!(
            language,
            "the local state directory {shown} is not local: local recovery needs a disk of the TaskManager's own",
            "本地状态目录 {shown} 并非本地：本地恢复需要 TaskManager 自己的磁盘"
        );
        let label = say!(language, "not local", "不是本地");
        let places = settings.value_place(keys::LOCAL_DIRS).map(|place| (place, label));
        self.tell(Severity::Warning, "not-local", message, places.into_iter().collect());
    }
}

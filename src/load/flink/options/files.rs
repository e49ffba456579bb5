//! Checkpoint storage: where checkpoints go, and in what files.

use super::super::keys;
use super::super::option::{Bounds, FlinkOption, Kind, option};

pub(super) const STORAGES: &[&str] = &["jobmanager", "filesystem"];

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::STORAGE, Kind::Name(STORAGES), None)
        .old(&["state.checkpoint-storage"])
        .means(
            "where checkpoints go: jobmanager, filesystem, or a factory's class; without it, \
             filesystem if a directory is set, else jobmanager",
            "检查点放在哪里：jobmanager、filesystem 或工厂类名；\
             不设时，设了目录就是 filesystem，否则 jobmanager",
        )
        .followed(
            "in the JobManager's memory a piece of state has at most 5 mb; files take the time \
             of the scenario's storage, and can fail",
            "放在 JobManager 内存时单份状态不超过 5 mb；写文件要花场景所设存储的时间，也会失败",
        ),
    option(keys::DIR, Kind::Text, None)
        .old(&["state.checkpoints.dir", "state.backend.fs.checkpointdir"])
        .means(
            "directory of checkpoints, visible to the JobManager and every TaskManager",
            "检查点目录，JobManager 与所有 TaskManager 都要能访问",
        )
        .followed(
            "checkpoints go into files, shown by checkdam run --storage",
            "检查点写成文件，可用 checkdam run --storage 查看",
        ),
    option(keys::SAVEPOINT_DIR, Kind::Text, None)
        .old(&["state.savepoints.dir", "savepoints.state.backend.fs.dir"])
        .means("directory of savepoints that name none", "未指明目录的保存点放在这里")
        .followed(
            "savepoints go there, shown by checkdam run --storage; without it the JobManager \
             refuses every savepoint",
            "保存点放在这里，可用 checkdam run --storage 查看；不设时 JobManager 拒绝一切保存点",
        ),
    option(keys::CREATE_SUBDIR, Kind::Bool, Some("true"))
        .old(&["state.checkpoints.create-subdir"])
        .means("each job has a directory of its own in it", "每个作业在其中有自己的子目录")
        .followed("the paths of files", "决定文件路径"),
    option(keys::INLINE_THRESHOLD, Kind::Memory, Some("20 kb"))
        .old(&["state.storage.fs.memory-threshold", "state.backend.fs.memory-threshold"])
        .means(
            "smaller pieces of state stand in the checkpoint's metadata file",
            "小于它的状态直接写进检查点的元数据文件",
        )
        .followed(
            "larger pieces get a file of their own, which takes time to write and to read",
            "更大的状态单独成文件，读写都要花时间",
        ),
    option("execution.checkpointing.write-buffer-size", Kind::Int, Some("4096"))
        .old(&["state.storage.fs.write-buffer-size", "state.backend.fs.write-buffer-size"])
        .means("buffer of a stream that writes state, in bytes", "写状态的流的缓冲区，单位字节")
        .left_out("state is not written in buffers", "写状态不经缓冲"),
    option("execution.checkpointing.file-merging.enabled", Kind::Bool, Some("false"))
        .means("small files of several subtasks become one", "把多个子任务的小文件合并")
        .left_out("files are not merged", "不合并文件"),
    option(
        "execution.checkpointing.file-merging.across-checkpoint-boundary",
        Kind::Bool,
        Some("false"),
    )
    .means("files of several checkpoints are merged, too", "不同检查点的文件也合并")
    .left_out("files are not merged", "不合并文件"),
    option("execution.checkpointing.file-merging.max-file-size", Kind::Memory, Some("32 mb"))
        .means("size from which a merged file is closed", "合并文件到此大小就关闭")
        .left_out("files are not merged", "不合并文件"),
    option(
        "execution.checkpointing.file-merging.max-space-amplification",
        Kind::Float,
        Some("2.0"),
    )
    .means("how much larger than its live contents a file may be", "文件最多可比有效内容大几倍")
    .left_out("files are not merged", "不合并文件"),
    option("execution.checkpointing.file-merging.max-subtasks-per-file", Kind::Int, Some("4"))
        .means("how many subtasks share a file", "多少个子任务共用一个文件")
        .left_out("files are not merged", "不合并文件"),
    option("execution.checkpointing.file-merging.pool-blocking", Kind::Bool, Some("false"))
        .means("a writer waits for a file that is in use", "文件被占用时写入方等待")
        .left_out("files are not merged", "不合并文件"),
    option(keys::LOCAL_BACKUP, Kind::Bool, Some("false"))
        .falls_back_to(&[keys::FROM_LOCAL])
        .old(&["state.backend.local-recovery"])
        .means(
            "state is also written to the TaskManager's own disk",
            "状态另存一份在 TaskManager 本地磁盘",
        )
        .followed(
            "copies of keyed state, where checkpoints go into files",
            "检查点写成文件时，键控状态有本地副本",
        ),
    option(keys::LOCAL_DIRS, Kind::Text, None)
        .old(&["taskmanager.state.local.root-dirs"])
        .means("where the local copies are", "本地副本放在哪里")
        .followed("the paths of the copies", "决定副本路径"),
    option("sink.committer.retries", Kind::Int, Some("10"))
        .within(Bounds::None)
        .means("how often a committer tries again", "提交器最多重试几次")
        .left_out("commits do not fail", "提交不会失败"),
];

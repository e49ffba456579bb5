//! State backends: where working state lives, and how much of it is written.

use super::super::keys;
use super::super::option::{FlinkOption, Kind, option};

pub(in crate::load::flink) const BACKENDS: &[&str] =
    &["hashmap", "rocksdb", "forst", "jobmanager", "filesystem"];

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::BACKEND, Kind::Name(BACKENDS), Some("hashmap"))
        .old(&["state.backend"])
        .means(
            "where working state lives: hashmap, rocksdb, forst (2.x), or a factory's class; \
             jobmanager and filesystem are old names of hashmap with a storage",
            "工作状态放在哪里：hashmap、rocksdb、forst（2.x）或工厂类名；\
             jobmanager 与 filesystem 是 hashmap 加某种存储的旧名",
        )
        .followed(
            "rocksdb can take incremental checkpoints; where working state lies is shown by \
             checkdam run --storage; access takes no time",
            "rocksdb 能做增量检查点；工作状态的位置可用 checkdam run --storage 查看；访问不花时间",
        ),
    option(keys::INCREMENTAL, Kind::Bool, Some("false"))
        .old(&["state.backend.incremental"])
        .means(
            "only what is new since the last checkpoint is written, by backends that can",
            "只写自上次检查点以来的新内容（后端支持时）",
        )
        .followed(
            "with rocksdb and files only new tables are written, and shared ones are counted",
            "rocksdb 加文件存储时只写新的表，共享文件有引用计数",
        ),
    option("state.backend.async", Kind::Bool, Some("true"))
        .gone_in_2()
        .means("snapshots are written while the task works on", "任务继续工作的同时写快照")
        .nothing(
            "no effect in Flink either since 1.13: every backend that can is asynchronous",
            "Flink 自 1.13 起也不起作用：能异步的后端总是异步",
        ),
    option("execution.checkpointing.snapshot-compression", Kind::Bool, Some("false"))
        .means("keyed state is compressed in full snapshots", "完整快照中的键控状态是否压缩")
        .left_out("nothing is compressed", "不压缩"),
    option("state.changelog.enabled", Kind::Bool, Some("false"))
        .old(&["state.backend.changelog.enabled"])
        .means("every change of state is written at once to a log", "状态的每次变化立即写入日志")
        .left_out("there is no log of changes", "没有变更日志"),
    option("state.changelog.storage", Kind::Text, Some("memory"))
        .old(&["state.backend.changelog.storage"])
        .means("where the log of changes is", "变更日志放在哪里")
        .left_out("there is no log of changes", "没有变更日志"),
    option("state.changelog.max-failures-allowed", Kind::Int, Some("3"))
        .old(&["state.backend.changelog.max-failures-allowed"])
        .means("how often materialising may fail in a row", "物化最多可连续失败几次")
        .left_out("there is no log of changes", "没有变更日志"),
    option("state.changelog.periodic-materialize.enabled", Kind::Bool, Some("true"))
        .old(&["state.backend.changelog.periodic-materialize.enabled"])
        .means("the log of changes is turned into state now and then", "定期把变更日志物化为状态")
        .left_out("there is no log of changes", "没有变更日志"),
    option("state.changelog.periodic-materialize.interval", Kind::Duration, Some("10 min"))
        .old(&["state.backend.changelog.periodic-materialize.interval"])
        .means("time between two materialisations", "两次物化之间的时间")
        .left_out("there is no log of changes", "没有变更日志"),
    option("state.latency-track.keyed-state-enabled", Kind::Bool, Some("false"))
        .old(&["state.backend.latency-track.keyed-state-enabled"])
        .means("the time of accesses to state is measured", "测量访问状态的时间")
        .left_out("nothing is measured", "不测量"),
    option("state.latency-track.sample-interval", Kind::Int, Some("100"))
        .old(&["state.backend.latency-track.sample-interval"])
        .means("how many accesses go by between two measurements", "隔多少次访问测量一次")
        .left_out("nothing is measured", "不测量"),
    option("state.latency-track.history-size", Kind::Int, Some("128"))
        .old(&["state.backend.latency-track.history-size"])
        .means("how many measurements are kept", "保留多少次测量")
        .left_out("nothing is measured", "不测量"),
    option("state.latency-track.state-name-as-variable", Kind::Bool, Some("true"))
        .old(&["state.backend.latency-track.state-name-as-variable"])
        .means("measurements carry the name of the state", "测量结果带有状态名")
        .left_out("nothing is measured", "不测量"),
];

//! In what kind of file a configuration stands.

use super::option::Words;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `flink-conf.yaml`, Flink's own format of lines, up to 1.20.
    Flat,
    /// `config.yaml`, which is YAML, since 1.19.
    Yaml,
    /// A resource of the Kubernetes operator with `flinkConfiguration`.
    Operator,
    /// A resource of Kubernetes that holds a configuration file.
    Kubernetes,
    /// A file of docker compose.
    Compose,
    /// Values of a chart, or another file that holds a configuration.
    Wrapped,
    /// `SET` statements of the SQL client.
    Sql,
    /// `-D` arguments of a command line.
    Shell,
}

impl Format {
    /// Every kind of file.
    pub const ALL: [Self; 8] = [
        Self::Flat,
        Self::Yaml,
        Self::Operator,
        Self::Kubernetes,
        Self::Compose,
        Self::Wrapped,
        Self::Sql,
        Self::Shell,
    ];

    /// Its name for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Yaml => "yaml",
            Self::Operator => "operator",
            Self::Kubernetes => "kubernetes",
            Self::Compose => "compose",
            Self::Wrapped => "wrapped",
            Self::Sql => "sql",
            Self::Shell => "shell",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub fn words(self) -> Words {
        let (en, zh) = match self {
            Self::Flat => {
                ("flink-conf.yaml (lines `key: value`)", "flink-conf.yaml（逐行 `key: value`）")
            }
            Self::Yaml => ("config.yaml (YAML)", "config.yaml（YAML）"),
            Self::Operator => (
                "flinkConfiguration of the Kubernetes operator",
                "Kubernetes Operator 的 flinkConfiguration",
            ),
            Self::Kubernetes => {
                ("configuration in a Kubernetes resource", "Kubernetes 资源中的配置")
            }
            Self::Compose => (
                "FLINK_PROPERTIES of a docker compose file",
                "docker compose 文件中的 FLINK_PROPERTIES",
            ),
            Self::Wrapped => ("configuration inside another YAML file", "其他 YAML 文件中的配置"),
            Self::Sql => ("SET statements of the SQL client", "SQL 客户端的 SET 语句"),
            Self::Shell => ("-D arguments of a command line", "命令行的 -D 参数"),
        };
        Words { en, zh }
    }
}

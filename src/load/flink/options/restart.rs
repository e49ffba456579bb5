//! What follows a failure.

use super::super::keys;
use super::super::option::{Bounds, FlinkOption, Kind, option};

/// The strategies, each followed by its other spellings.
// Flink 1.20: RestartStrategyOptions.RestartStrategyType
pub(in crate::load::flink) const STRATEGIES: [(&str, &[&str]); 4] = [
    ("none", &["off", "disable"]),
    ("fixed-delay", &["fixeddelay"]),
    ("failure-rate", &["failurerate"]),
    ("exponential-delay", &["exponentialdelay"]),
];

const NAMES: &[&str] = &["none", "fixed-delay", "failure-rate", "exponential-delay"];

pub(super) const OPTIONS: &[FlinkOption] = &[
    option(keys::RESTART, Kind::Name(NAMES), None)
        .old(&["restart-strategy"])
        .means(
            "none, fixed-delay, failure-rate, or exponential-delay; without it \
             exponential-delay if checkpoints are periodic, else none",
            "none、fixed-delay、failure-rate 或 exponential-delay；\
             不设时，有周期性检查点就是 exponential-delay，否则 none",
        )
        .followed(
            "after a failure the job restarts so, or fails for good",
            "失败后作业照此重启，或彻底失败",
        ),
    option(keys::FIXED_ATTEMPTS, Kind::Int, Some("1"))
        .within(Bounds::Least(0))
        .means(
            "fixed-delay: how many restarts over the whole run",
            "fixed-delay：整个运行期间最多重启几次",
        )
        .followed("the failure after the last restart ends the job", "用完后再失败，作业就此结束"),
    option(keys::FIXED_DELAY, Kind::Duration, Some("1 s"))
        .means(
            "fixed-delay: time between a failure and the restart",
            "fixed-delay：失败到重启之间的时间",
        )
        .followed("the job stands still for so long", "其间作业停着"),
    option(keys::RATE_FAILURES, Kind::Int, Some("1"))
        .within(Bounds::Least(1))
        .means(
            "failure-rate: how many failures within the interval",
            "failure-rate：间隔内最多失败几次",
        )
        .followed(
            "one failure more within the interval ends the job",
            "间隔内再多一次失败，作业结束",
        ),
    option(keys::RATE_INTERVAL, Kind::Duration, Some("1 min"))
        .within(Bounds::LeastMs(1))
        .means(
            "failure-rate: the interval in which failures are counted",
            "failure-rate：统计失败的间隔",
        )
        .followed(
            "one failure more within the interval ends the job",
            "间隔内再多一次失败，作业结束",
        ),
    option(keys::RATE_DELAY, Kind::Duration, Some("1 s"))
        .means(
            "failure-rate: time between a failure and the restart",
            "failure-rate：失败到重启之间的时间",
        )
        .followed("the job restarts so long after each failure", "每次失败后过这么久再重启"),
    option(keys::BACKOFF_INITIAL, Kind::Duration, Some("1 s"))
        .within(Bounds::LeastMs(1))
        .means("exponential-delay: the first delay", "exponential-delay：第一次的延迟")
        .followed("reckoned as Flink reckons it", "按 Flink 的算法计算"),
    option(keys::BACKOFF_MAX, Kind::Duration, Some("1 min"))
        .within(Bounds::LeastMs(1))
        .means("exponential-delay: the longest delay", "exponential-delay：最长的延迟")
        .followed("reckoned as Flink reckons it", "按 Flink 的算法计算"),
    option(keys::BACKOFF_MULTIPLIER, Kind::Double, Some("1.5"))
        .within(Bounds::Above(1.0))
        .means(
            "exponential-delay: how much longer each delay is than the one before",
            "exponential-delay：每次延迟是前一次的几倍",
        )
        .followed("reckoned as Flink reckons it", "按 Flink 的算法计算"),
    option(keys::BACKOFF_RESET, Kind::Duration, Some("1 h"))
        .within(Bounds::LeastMs(1))
        .means(
            "exponential-delay: after so long without a failure it begins anew",
            "exponential-delay：这么久没有失败就从头开始",
        )
        .followed("reckoned as Flink reckons it", "按 Flink 的算法计算"),
    option(keys::BACKOFF_JITTER, Kind::Double, Some("0.1"))
        .within(Bounds::Between(0.0, 1.0))
        .means(
            "exponential-delay: by which part a delay is moved at random",
            "exponential-delay：延迟随机偏移的比例",
        )
        .followed("drawn from the seed, within Flink's bounds", "在 Flink 的范围内由种子抽取"),
    option(keys::BACKOFF_ATTEMPTS, Kind::Int, Some("2147483647"))
        .within(Bounds::Least(1))
        .means(
            "exponential-delay: how many restarts before it has begun anew",
            "exponential-delay：从头开始之前最多重启几次",
        )
        .followed("the failure after the last restart ends the job", "用完后再失败，作业就此结束"),
    // Flink 1.20: HighAvailabilityOptions.HA_MODE, HighAvailabilityMode.fromConfig
    option(keys::HIGH_AVAILABILITY, Kind::Text, Some("NONE"))
        .old(&["high-availability", "recovery.mode"])
        .means(
            "NONE, ZOOKEEPER, KUBERNETES or a factory class: where the next JobManager finds the \
             list of completed checkpoints",
            "NONE、ZOOKEEPER、KUBERNETES 或工厂类：下一个 JobManager 从哪里找到已完成检查点的列表",
        )
        .followed(
            "with NONE the JobManager takes the list along when it crashes; every other service \
             keeps it",
            "NONE 时列表随 JobManager 崩溃而丢失；其他服务都会保住它",
        ),
    option(keys::FAILOVER, Kind::Text, Some("region"))
        .means(
            "what restarts with a failed task: its region, or the full job",
            "与失败的任务一起重启的范围：区域 region 或整个作业 full",
        )
        .followed(
            "a failure of a task stops and restarts the tasks that channels connect with it \
             (region) or all of them (full); so does a failure of the job itself, as with too \
             many failed checkpoints, in either case",
            "任务失败时，停止并重启与它有通道相连的任务（region）或全部任务（full）；\
             作业本身失败（如检查点失败过多）时总是重启全部任务",
        ),
];

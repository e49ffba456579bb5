//! The whole scenario file: key by key, and what is then settled between them.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::edges::{EdgeDraft, Network};
use super::graph::Graph;
use super::labels::Labels;
use super::limits::{STEPS_DEFAULT, STEPS_MAX};
use super::places::Places;
use super::problems::Problems;
use super::settle::{backlogs, job_graph, split_names, split_places};
use super::tree::{Fields, key};
use super::vocabulary::{RPC, SCENARIO};
use super::{config, document, edges, happenings, moments, operators, savepoints};
use crate::model::{
    CheckpointStorage, CheckpointingMode, Delay, ExecutionGraph, InitialDelay, Micros, Mutation,
    Partitioner, Place, RpcDelays, Scenario, Text,
};

/// Walks over the file; nothing comes back if anything is wrong.
pub(super) fn read(root: &Value<'_>, name: &str, problems: &mut Problems) -> Option<Scenario> {
    let object = problems.object(root, "a scenario", "an object with a key `job`")?;
    let fields = problems.fields(object, "a scenario".into(), SCENARIO);
    let value = |key: &str| fields.value(key);

    let text = |problems: &mut Problems, key: &str| {
        value(key).and_then(|text| problems.text(text, &format!("`{key}`")))
    };
    let (title, notes) = (text(problems, "title"), text(problems, "notes"));
    let job = problems.required(&fields, "a scenario", "job");
    let operators = job.map(|job| operators::read(job, problems)).unwrap_or_default();
    let network = Network::read(value("network"), problems);
    let edges = value("edges").map(|edges| edges::read(edges, &operators, &network, problems));
    let graph = Graph { operators: &operators, edges: edges.as_deref().unwrap_or_default() };
    if edges.as_ref().is_none_or(Vec::is_empty) && operators.len() > 1 {
        missing_edges(&fields, &graph, problems);
    } else {
        graph.check(problems);
    }
    let edges = edges.unwrap_or_default();
    let split_names = split_names(&operators);
    let splits = split_places(&operators, &split_names, problems);
    let places = Places::of(&operators, &edges, &splits);

    let mut settings = config::read(value("config"), problems);
    let rpc = rpc(value("rpc"), problems);
    let storage = super::storage::read(value("storage"), problems);
    check_storage(&settings, fields.get("storage").map(|storage| key(storage).range), problems);
    let initial_delay = initial_delay(value("initial-delay"), problems);
    if let Some(at) = fields.get("initial-delay").filter(|_| settings.config.interval.is_none()) {
        let message = "there is no periodic checkpoint that could begin so late";
        problems.add(
            Diagnostic::warning("unused-initial-delay", message)
                .at(key(at).range, "nothing begins here")
                .help("set \"execution.checkpointing.interval\" under \"config\""),
        );
    }
    let from = value("from").and_then(|from| savepoints::from(from, problems));
    if let Some(at) = fields.get("from").filter(|_| settings.config.savepoint_path.is_some()) {
        // Flink 1.20: CliFrontend.getEffectiveConfiguration: what `run -s` names
        // comes before what the configuration does.
        let message = "execution.state-recovery.path names another savepoint to start from";
        problems.add(
            Diagnostic::warning("two-starts", message)
                .at(key(at).range, "the job starts from this one")
                .help("leave out one of the two"),
        );
    }
    let triggers = value("checkpoints")
        .map(|list| happenings::checkpoints(list, &places, problems))
        .unwrap_or_default();
    let savepoints = value("savepoints")
        .map(|list| savepoints::requests(list, &places, problems))
        .unwrap_or_default();
    if let Some(at) = fields.get("savepoints").filter(|_| !savepoints.is_empty())
        && settings.config.state.savepoint_directory.is_none()
    {
        let message = "nobody says where savepoints go: the JobManager will refuse them";
        problems.add(
            Diagnostic::warning("no-savepoint-directory", message)
                .at(key(at).range, "without a directory")
                .help(
                    "set \"execution.checkpointing.savepoint-dir\": \"file:///savepoints\" under \
                     \"config\"",
                ),
        );
    }
    let takes_checkpoints = settings.config.interval.is_some() || !triggers.is_empty();
    if let Some(at) = fields.get("savepoints").filter(|_| !savepoints.is_empty())
        && !takes_checkpoints
    {
        // Flink 1.20: StreamGraph.setCheckpointConfig; a job without
        // checkpointing has this mode.
        settings.config.mode = CheckpointingMode::AtLeastOnce;
        settings.config.unaligned = false;
        let message = "a job without checkpoints runs AT_LEAST_ONCE, and so do its savepoints";
        problems.add(
            Diagnostic::warning("savepoints-alone", message)
                .at(key(at).range, "their barriers hold nothing back")
                .help("set \"execution.checkpointing.interval\" under \"config\""),
        );
    }
    let cancel = value("cancel").and_then(|cancel| happenings::cancel(cancel, &places, problems));
    let task_managers = value("taskmanagers")
        .map(|managers| happenings::task_managers(managers, &places, problems))
        .unwrap_or_default();
    let (faults, message_faults) = value("faults")
        .map(|faults| happenings::faults(faults, &places, &task_managers, problems))
        .unwrap_or_default();
    let labels = Labels::read(value("labels"), &places, problems);
    let moments = value("moments")
        .map(|moments| moments::read(moments, &places, problems))
        .unwrap_or_default();
    let broken =
        value("break").map(|broken| happenings::broken(broken, problems)).unwrap_or_default();
    check_unaligned(&settings, &edges, problems);
    if let Some(at) = fields.get("break") {
        check_broken(&broken, &settings, (key(at).range, !savepoints.is_empty()), problems);
    }
    let steps = value("steps").and_then(|n| problems.whole(n, "`steps`", 1..=STEPS_MAX));
    if let Some(schema) = value("$schema") {
        problems.string(schema, "`$schema`", "a text");
    }

    if problems.n_errors() > 0 {
        return None;
    }
    let job = job_graph(&operators, &edges, &split_names, &labels);
    let name = stem(name);
    Some(Scenario {
        document: document::compact(root),
        title: title.unwrap_or_else(|| Text::same(name)),
        name: name.to_owned(),
        notes: notes.unwrap_or_default(),
        graph: ExecutionGraph::expand(job),
        config: settings.config,
        rpc,
        storage,
        initial_delay,
        backlogs: backlogs(&operators),
        start: None,
        from,
        triggers,
        savepoints,
        cancel,
        faults,
        message_faults,
        task_managers,
        moments,
        broken,
        steps_max: steps.unwrap_or(STEPS_DEFAULT),
    })
}

/// A custom partitioner cannot promise that records in flight find their way
/// after a change of parallelism.
// Flink 1.20: StreamingJobGraphGenerator.preValidate.
fn check_unaligned(settings: &config::Settings, edges: &[EdgeDraft], problems: &mut Problems) {
    let Some(unaligned) = &settings.unaligned else { return };
    for edge in edges.iter().filter(|edge| edge.partitioner == Some(Partitioner::Modulo)) {
        let message = "unaligned checkpoints do not support custom partitioners";
        problems.add(
            Diagnostic::error("unaligned-and-custom", message)
                .at(edge.partitioner_range.clone(), "a custom partitioner")
                .at(unaligned.clone(), "unaligned here")
                .help("use \"hash\", or set \"execution.checkpointing.unaligned.forced\": true"),
        );
    }
}

/// A rule that has no place in a mode cannot be broken there.
fn check_broken(
    broken: &[Mutation],
    settings: &config::Settings,
    (at, has_savepoints): (std::ops::Range<usize>, bool),
    problems: &mut Problems,
) {
    let config = &settings.config;
    let tracks = config.mode == CheckpointingMode::AtLeastOnce;
    // Savepoints are aligned in any case.
    let may_hold_back =
        !tracks && (!config.unaligned || config.aligned_timeout > Micros::ZERO || has_savepoints);
    for mutation in broken {
        let name = mutation.name();
        let problem = match mutation.place() {
            Place::Alignment if config.unaligned || tracks => {
                let message = format!("`{name}` is about barriers that are aligned");
                Diagnostic::error("nothing-to-break", message)
            }
            Place::HeldBack if !may_hold_back => {
                let message =
                    format!("`{name}` is about what waits behind a barrier, and nothing does here");
                Diagnostic::warning("nothing-to-break", message)
            }
            Place::Overtaking if !config.unaligned => {
                let message =
                    format!("`{name}` is about barriers that overtake records, and none does here");
                Diagnostic::warning("nothing-to-break", message)
            }
            _ => continue,
        };
        let help = match mutation.place() {
            Place::Overtaking => "set \"execution.checkpointing.unaligned.enabled\": true",
            _ => "leave out one of the two",
        };
        let problem = problem.at(at.clone(), "broken here");
        let problem = match &settings.unaligned {
            Some(unaligned) => problem.at(unaligned.clone(), "unaligned here"),
            None => problem,
        };
        problems.add(problem.help(help));
    }
}

/// How fast files are written means nothing where there are none.
fn check_storage(
    settings: &config::Settings,
    at: Option<std::ops::Range<usize>>,
    problems: &mut Problems,
) {
    let state = &settings.config.state;
    if let Some(at) = at.filter(|_| state.storage == CheckpointStorage::JobManager) {
        let message = "the state goes to the JobManager's memory, and not to this storage";
        problems.add(
            Diagnostic::warning("unused-storage", message)
                .at(at, "no state is written or read here")
                .help(
                    "set \"execution.checkpointing.dir\": \"hdfs:///checkpoints\" or the like, \
                       and no other storage",
                ),
        );
    }
}

/// Several operators, and not a word about how they are connected. If what
/// stands under `edges` is no list, that has been told.
fn missing_edges(fields: &Fields<'_, '_>, graph: &Graph<'_>, problems: &mut Problems) {
    let at = match fields.get("edges") {
        Some(edges) if matches!(edges.value, Value::Array(_)) => key(edges).range,
        Some(_) => return,
        None => fields.get("job").map_or(0..0, |job| key(job).range),
    };
    let [first, second, ..] = graph.operators else { return };
    let help = format!(
        "add \"edges\": [[\"{}\", \"{}\"]]",
        super::words::clip(&first.name),
        super::words::clip(&second.name)
    );
    let problem = Diagnostic::error("no-edges", "a job with several operators needs edges");
    problems.add(problem.at(at, "nothing connects these operators").help(help));
}

/// Latencies between the JobManager and the tasks: one for all, or each.
fn rpc(value: Option<&Value<'_>>, problems: &mut Problems) -> RpcDelays {
    let default = Delay::Fixed(Micros::from_ms(1));
    let mut rpc =
        RpcDelays { trigger: default.clone(), acknowledge: default.clone(), notify: default };
    match value {
        None => {}
        Some(Value::Object(each)) if !super::delays::is_uniform(each) => {
            let fields = problems.fields(each, "`rpc`".into(), RPC);
            for (name, delay) in [
                ("trigger", &mut rpc.trigger),
                ("acknowledge", &mut rpc.acknowledge),
                ("notify", &mut rpc.notify),
            ] {
                if let Some(value) = fields.value(name)
                    && let Some(given) = problems.delay(value, &format!("`{name}`"))
                {
                    *delay = given;
                }
            }
        }
        Some(value) => {
            if let Some(given) = problems.delay(value, "`rpc`") {
                rpc =
                    RpcDelays { trigger: given.clone(), acknowledge: given.clone(), notify: given };
            }
        }
    }
    rpc
}

/// When the first periodic checkpoint comes.
fn initial_delay(value: Option<&Value<'_>>, problems: &mut Problems) -> InitialDelay {
    match value {
        None => InitialDelay::Interval,
        Some(Value::StringLit(word)) if word.value == "random" => InitialDelay::Drawn,
        Some(value) => problems
            .duration(value, "`initial-delay`")
            .map_or(InitialDelay::Interval, InitialDelay::Fixed),
    }
}

/// A file's name without its folder and its ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rfind('.') {
        Some(dot) if dot > 0 => &file[..dot],
        _ => file,
    }
}

//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum, ValueHint};

use crate::model::Language;

/// Simulates, explains and tests how Apache Flink takes checkpoints.
///
/// Without a command it shows the lecture's walkthrough.
#[derive(Debug, Parser)]
#[command(name = "checkdam", version, propagate_version = true, max_term_width = 100)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Language of what is printed [default: the environment's, else en]
    #[arg(long, global = true, value_enum)]
    pub(super) lang: Option<LanguageName>,
    /// Whether to use colours
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(super) color: Colours,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// The walkthrough, step by step: a picture, what changed, and why
    ///
    /// Interactive on a terminal; plain text, one block a step, when piped.
    Walk(Walk),
    /// Figures of a run, as files: for slides, books and papers
    ///
    /// The ending of the output says the format. The same input gives the same
    /// bytes on every machine.
    Draw(Draw),
    /// One HTML file to step through a run, with every crash and its end
    ///
    /// It needs no network and no server: open it by double click, send it, put
    /// it into slides. Holds the run step by step, what becomes of it if a task
    /// crashes at a step, which rules can be broken in it, two runs side by side,
    /// and questions to predict what comes.
    Page(PageOf),
    /// Questions to predict what comes in a run, with their answers: for a class, a book or a quiz
    ///
    /// They are made from the trace and its verdict, so what is right is what
    /// happens. Each has a name that stays; --only picks some, in its order. Of a
    /// scenario a crash is asked about as well, as on its page.
    Questions(QuestionsOf),
    /// Shows everything once: the lecture, a crash and its verdict, random cases, figures, the page
    ///
    /// Takes less than a minute and writes its files into a folder.
    Demo(Demo),
    /// Runs a scenario with values varied, and compares what comes of it
    ///
    /// Checkpoint duration, alignment, data in flight, latency, throughput, cost,
    /// each against what is varied: as a table, as CSV, and as a chart. Without
    /// a scenario, the built-in sweeps are listed.
    Sweep(Sweep),
    /// Runs a scenario and says what became of it
    ///
    /// Prints checkpoints, recoveries, the final state, the output, and a
    /// verdict on state and output.
    Run(Run),
    /// Runs several jobs and puts what they make side by side, as in an A/B test
    ///
    /// With --from all of them start from one savepoint: what differs then comes
    /// from the jobs. State is compared key by key, output by the record that
    /// caused it. Exit status: 0 all have ended, 3 one has not.
    Compare(Compare),
    /// Runs several jobs on one cluster: each begins when it has its slots
    ///
    /// Jobs are served in the order in which they are submitted. One that starts
    /// from another's savepoint is measured against reading everything again.
    /// Exit status: 0 all have ended, 3 one has not.
    Session(SessionOf),
    /// Runs a trace again from its own header and compares it line by line
    Replay {
        /// A trace file, or - for standard input
        #[arg(value_hint = ValueHint::FilePath)]
        trace: String,
    },
    /// Judges a trace: did the job keep what it promises, and if not, why
    ///
    /// Decides from the trace alone, with code of its own, property by
    /// property. Of a scenario it judges a fresh run. Exit status: 0 it holds,
    /// 1 it is violated, 3 the trace does not say enough.
    Verify(Verify),
    /// Tries random jobs, settings, delays and faults, and makes what fails small
    ///
    /// Each case is a scenario of its own. Of what fails, the smallest scenario
    /// that still fails is saved, with its trace, a picture and an explanation
    /// in both languages. The result does not depend on the number of threads,
    /// nor on how the cases are spread over machines: --shard runs a part, and
    /// --merge puts the parts together. Exit status: 0 nothing found, 1 a
    /// promise was broken, 3 something cannot be told or is missing.
    Fuzz(Fuzz),
    /// Tries every order in which a scenario can happen, and every crash point
    ///
    /// Time is left out: whatever is pending may happen at any moment. Says that
    /// no promise is broken, with numbers, or shows a short story in which
    /// one is. Exit status: 0 all hold (or what is looked for is found), 1
    /// one is violated (or nothing is found), 3 the search did not come to its
    /// end.
    Explore(Explore),
    /// Reads a Flink configuration file and says what it comes to
    ///
    /// Takes flink-conf.yaml, config.yaml, resources of Kubernetes and its
    /// operator, docker compose files, SET statements and -D arguments. Prints
    /// the settings about checkpoints, where each comes from, and what is
    /// deprecated, unknown, contradictory, without effect or not simulated.
    Config(ConfigOf),
    /// The built-in scenarios, one a line, name first
    List {
        /// The rules that a scenario can break, instead
        #[arg(long)]
        mutations: bool,
    },
    /// What a savepoint holds
    Savepoint {
        /// What to do with it
        #[command(subcommand)]
        what: SavepointCommand,
    },
    /// The JSON Schema of scenario files, of the lines of a trace or of savepoints
    Schema {
        /// Of which
        what: SchemaOf,
    },
    /// Writes a small scenario to begin with, and its schema beside it
    ///
    /// Never overwrites a file.
    New {
        /// The file to make
        #[arg(default_value = "my-job.json", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// A page of the book’s reference, in Markdown, made from the program itself
    #[command(hide = true)]
    Reference(ReferenceOf),
    /// Prints the completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// What can be done with a savepoint.
#[derive(Debug, Subcommand)]
pub(super) enum SavepointCommand {
    /// Prints what it holds: operators, key groups, positions, transactions
    Show {
        /// A file that `checkdam run --savepoint-dir` has written, or - for standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: String,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

/// Arguments of `walk`.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Walk {
    /// A built-in scenario, a scenario file, a trace file, or - for standard input
    #[arg(value_name = "SCENARIO|TRACE", value_hint = ValueHint::FilePath)]
    pub(super) input: String,
    /// Goes by the moments of the scenario's story instead of by steps
    #[arg(long)]
    pub(super) moments: bool,
    /// Only this step (on a terminal: begins there)
    #[arg(long, value_name = "N")]
    pub(super) step: Option<u64>,
    /// Only this moment, by name or number (on a terminal: begins there)
    #[arg(long, value_name = "NAME", conflicts_with = "step")]
    pub(super) moment: Option<String>,
    /// Seed of the run's dice [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Columns of the picture, 60 to 100 [default: the terminal's, else 100]
    #[arg(long, value_name = "N")]
    pub(super) width: Option<usize>,
}

/// Arguments of `draw`.
#[derive(Debug, clap::Args)]
pub(super) struct Draw {
    /// A built-in scenario, a scenario file, a trace file, or - for standard input
    #[arg(value_name = "SCENARIO|TRACE", value_hint = ValueHint::FilePath)]
    pub(super) input: String,
    /// What to draw
    #[arg(long = "as", value_name = "FIGURE", value_enum, default_value_t)]
    pub(super) figure: Figure,
    /// A frame: the run after this step
    #[arg(long, value_name = "N")]
    pub(super) step: Option<u64>,
    /// A frame: this moment of the story, by name or number
    #[arg(long, value_name = "NAME", conflicts_with = "step")]
    pub(super) moment: Option<String>,
    /// Every frame, each in a file of its own
    #[arg(long, conflicts_with_all = ["step", "moment"])]
    pub(super) all: bool,
    /// With --all: the moments of the story instead of every step
    #[arg(long, requires = "all")]
    pub(super) moments: bool,
    /// A space-time diagram: only these steps, like 10..60
    #[arg(long, value_name = "A..B")]
    pub(super) steps: Option<String>,
    /// A Gantt chart: only this checkpoint
    #[arg(long, value_name = "ID")]
    pub(super) checkpoint: Option<u64>,
    /// A chart: only these numbers, one after the other with commas
    #[arg(long, value_name = "NUMBERS", value_enum, value_delimiter = ',')]
    pub(super) only: Vec<Numbers>,
    /// The file to write, or a folder or a name like slides/%02d.svg for several
    #[arg(short = 'o', long = "output", value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    pub(super) out: Option<PathBuf>,
    /// The format [default: as the output’s ending says, else SVG]
    #[arg(long, value_enum)]
    pub(super) format: Option<FigureFormat>,
    #[command(flatten)]
    pub(super) look: Look,
    /// Without the title
    #[arg(long)]
    pub(super) no_title: bool,
    /// Without the sentence below
    #[arg(long)]
    pub(super) no_caption: bool,
    /// Without the number of the step or moment
    #[arg(long)]
    pub(super) no_number: bool,
    /// Seed of the run's dice [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

/// Arguments of `page`.
#[derive(Debug, clap::Args)]
pub(super) struct PageOf {
    /// A built-in scenario, a scenario file, a trace file, or - for standard input
    #[arg(value_name = "SCENARIO|TRACE", value_hint = ValueHint::FilePath)]
    pub(super) input: String,
    /// The file to write [default: standard output]
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: Option<PathBuf>,
    /// Seed of the run's dice [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

/// Arguments of `questions`.
#[derive(Debug, clap::Args)]
pub(super) struct QuestionsOf {
    /// A built-in scenario, a scenario file, a trace file, or - for standard input
    #[arg(value_name = "SCENARIO|TRACE", value_hint = ValueHint::FilePath)]
    pub(super) input: String,
    /// In which form
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t)]
    pub(super) form: FormName,
    /// Only these questions, by name with commas, in this order
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Prints the names of the questions instead, each with what it asks
    #[arg(long, conflicts_with = "form")]
    pub(super) list: bool,
    /// Seed of the run's dice [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

/// A form of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FormName {
    /// Lines of text: the questions, then the key
    #[default]
    Text,
    /// Markdown to print: the questions with boxes, then the key
    Worksheet,
    /// Markdown for a book: each answer folded away below its question
    Book,
    /// GIFT, for Moodle and others
    Gift,
    /// TOML for mdbook-quiz
    Quiz,
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub(super) struct Demo {
    /// The folder for its files
    #[arg(short = 'o', long = "output", value_name = "FOLDER", default_value = "checkdam-demo", value_hint = ValueHint::DirPath)]
    pub(super) out: PathBuf,
}

/// How a figure looks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Look {
    /// Colours
    #[arg(long, value_enum, default_value_t)]
    pub(super) theme: ThemeName,
    /// How many pixels a unit has on each side, in bitmaps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(super) scale: u8,
}

/// Arguments of `sweep`.
#[derive(Debug, clap::Args)]
pub(super) struct Sweep {
    /// A built-in sweep or scenario, a scenario file, or - for standard input; without it, the built-in sweeps are listed
    #[arg(value_name = "SWEEP|SCENARIO", value_hint = ValueHint::FilePath)]
    pub(super) scenario: Option<String>,
    /// What is varied, and how: latency=0..50ms, sum.service=1ms..3ms:250us, execution.checkpointing.unaligned.enabled=false,true
    ///
    /// A key is one of Flink's; `latency` or `capacity` of the network; a key of
    /// an operator, as sum.service or sum.sync; or a key of the scenario file
    /// with points between, as faults.0.times. The first one goes to the right
    /// in a chart, the others make its curves. A..B alone takes at most eleven
    /// round steps, or, where B is at least twenty times A, 1, 2, 5, 10 and so on.
    #[arg(long = "vary", value_name = "KEY=VALUES")]
    pub(super) varies: Vec<String>,
    /// What is measured, with commas [default: duration]
    #[arg(long, value_name = "NUMBERS", value_enum, value_delimiter = ',')]
    pub(super) measure: Vec<MeasuredName>,
    /// How many seeds each point is run with: the number in the middle is shown, and the spread [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) seeds: Option<u64>,
    /// The first of these seeds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// A file to write: the chart as .svg or .png, the table as .csv or .json; may be given several times
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) look: Look,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TableFormat,
    /// Runs only part I, from 0, of N of the runs; --results says where to
    #[arg(long, value_name = "I/N", requires = "results")]
    pub(super) shard: Option<String>,
    /// Writes the results of the runs to a file, to be merged
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) results: Option<PathBuf>,
    /// Runs nothing, but puts these files of results together; the same sweep has to be named
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "results"], value_hint = ValueHint::FilePath)]
    pub(super) merge: Vec<String>,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For people
    #[default]
    Text,
    /// Numbers with commas between
    Csv,
    /// For machines
    Json,
}

/// What a sweep measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MeasuredName {
    /// How long checkpoints take
    Duration,
    /// How long their longest alignment takes
    Alignment,
    /// Bytes in flight that they hold
    Persisted,
    /// How long records take from first read to publication
    Latency,
    /// Records that come to sinks in a second
    Throughput,
    /// How long the job runs
    Time,
    /// The same against a run without checkpoints and failures
    Cost,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Figure {
    /// The job at one step
    #[default]
    Frame,
    /// The run as lifelines, with messages and the cuts of the snapshots
    Spacetime,
    /// Where the time of each checkpoint goes, per subtask
    Gantt,
    /// The job and its execution graph
    Graph,
    /// A handout: the frames of all moments on one page
    Contacts,
    /// The numbers of the run over time
    Chart,
}

/// Numbers of a run that a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Numbers {
    /// How long checkpoints take
    Duration,
    /// How long their longest alignment takes
    Alignment,
    /// Bytes in flight, and those that checkpoints hold
    InFlight,
    /// Records read and written in a second
    Throughput,
    /// Records that wait in front of operators
    Queues,
    /// How long records take from first read to publication
    Latency,
}

/// The format of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FigureFormat {
    /// Vectors
    Svg,
    /// Pixels
    Png,
    /// Frames that play once; the last one stays
    Gif,
    /// Text for Mermaid: the graph, or the messages of a space-time diagram
    Mermaid,
    /// Text for Graphviz: the graph
    Dot,
    /// A timeline for Perfetto: the run of a space-time diagram
    ChromeTrace,
}

impl FigureFormat {
    /// Formats, and the endings of their files.
    pub(super) const ENDINGS: [(Self, &'static str); 8] = [
        (Self::Svg, "svg"),
        (Self::Png, "png"),
        (Self::Gif, "gif"),
        (Self::Mermaid, "mmd"),
        (Self::Mermaid, "mermaid"),
        (Self::Dot, "dot"),
        (Self::Dot, "gv"),
        (Self::ChromeTrace, "json"),
    ];

    /// The ending of its files.
    pub(super) fn ending(self) -> &'static str {
        let found = Self::ENDINGS.iter().find(|(own, _)| *own == self);
        found.expect("every format has an ending").1
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ThemeName {
    /// As the reader’s system is, in SVG; light, in bitmaps
    #[default]
    Auto,
    /// On white, for programs that know no CSS variables too
    Light,
    /// On black
    Dark,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// A built-in scenario, a scenario file, or - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) scenario: String,
    /// Seed of the run's dice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Writes the trace to a file; - for standard output, and then nothing else
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) trace: Option<PathBuf>,
    /// Puts the job under a Flink configuration file of any kind, instead of the scenario's own settings
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(super) config: Option<String>,
    /// Starts the job from a savepoint, whatever scenario and settings name
    #[arg(long, value_name = "SAVEPOINT", value_hint = ValueHint::FilePath)]
    pub(super) from: Option<String>,
    /// Writes each savepoint that the run takes to a file in this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) savepoint_dir: Option<PathBuf>,
    /// With --savepoint-dir: the checkpoints that the job leaves behind as well
    #[arg(long, requires = "savepoint_dir")]
    pub(super) retained: bool,
    /// Every savepoint in the state backend's own format, whatever the scenario says of it
    #[arg(long)]
    pub(super) native: bool,
    /// Prints what lies where as well: the files of checkpoints, change by change and at the end
    #[arg(long)]
    pub(super) storage: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub(super) struct Compare {
    /// Jobs: built-in scenarios or scenario files
    #[arg(value_name = "SCENARIO", required = true, num_args = 2.., value_hint = ValueHint::FilePath)]
    pub(super) scenarios: Vec<String>,
    /// Starts every job from this savepoint, instead of what its scenario says
    #[arg(long, value_name = "SAVEPOINT", value_hint = ValueHint::FilePath)]
    pub(super) from: Option<String>,
    /// Seed of the runs' dice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `session`.
#[derive(Debug, clap::Args)]
pub(super) struct SessionOf {
    /// Jobs: built-in scenarios or scenario files, each with the time at which it is submitted, as report or urgent@"40 ms"
    #[arg(value_name = "JOB[@TIME]", required = true, value_hint = ValueHint::FilePath)]
    pub(super) jobs: Vec<String>,
    /// How many slots the cluster has
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) slots: u32,
    /// Seed of the runs' dice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    /// A trace file, a built-in scenario, a scenario file, or - for standard input
    #[arg(value_name = "TRACE|SCENARIO", value_hint = ValueHint::FilePath)]
    pub(super) input: String,
    /// Seed of a scenario's run [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Judges a scenario together with the runs that it starts from, as one run
    #[arg(long)]
    pub(super) as_one: bool,
    /// Prints for each input record how often it was read, counted and published
    #[arg(long)]
    pub(super) ledger: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `fuzz`.
#[derive(Debug, clap::Args)]
pub(super) struct Fuzz {
    /// How many cases there are, in all shards together
    #[arg(long, value_name = "N", default_value_t = 1_000, conflicts_with = "merge")]
    pub(super) cases: u64,
    /// Where chance begins
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "merge")]
    pub(super) seed: u64,
    /// Runs every N-th case only, beginning with case I; I counts from 0 [default: 0/1, all]
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    pub(super) shard: Option<String>,
    /// Writes a line for each case to a file, to be merged; - for standard output, and then nothing else
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) results: Option<PathBuf>,
    /// Runs nothing: puts the results of shards together
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub(super) merge: Vec<String>,
    /// Runs nothing: prints the scenario file of a case
    #[arg(long, value_name = "CASE", conflicts_with_all = ["merge", "shard", "results"])]
    pub(super) show: Option<u64>,
    /// Every job keeps to this protocol: aligned, several-in-flight, unaligned, alternating, at-least-once
    #[arg(long, value_name = "PROTOCOL", conflicts_with = "merge")]
    pub(super) protocol: Option<String>,
    /// Breaks a rule on purpose, to see that it is found; may be repeated
    #[arg(long = "break", value_name = "MUTATION", conflicts_with = "merge")]
    pub(super) broken: Vec<String>,
    /// Tries every mistake that can be made on purpose until a job shows it, and what is harmless
    #[arg(long, conflicts_with_all = ["merge", "shard", "results", "show", "broken", "protocol"])]
    pub(super) mistakes: bool,
    /// Saves only what breaks this property, whatever else it breaks
    #[arg(long, value_name = "PROPERTY")]
    pub(super) only: Option<String>,
    /// The folder for what is found
    #[arg(short = 'o', long = "output", value_name = "DIR", default_value = "regressions", value_hint = ValueHint::DirPath)]
    pub(super) out: PathBuf,
    /// How many threads work [default: one a processor]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<std::num::NonZeroUsize>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `explore`.
#[derive(Debug, clap::Args)]
pub(super) struct Explore {
    /// A built-in scenario, a scenario file, or - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) scenario: String,
    /// How many crashes there may be, each of any subtask at any moment
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) crashes: u8,
    /// How many checkpoints the coordinator's interval may ask for
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) checkpoints: u8,
    /// How many pending checkpoints may take too long
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) expiries: u8,
    /// Tries orders that come to the same, too: many more states, same answer
    #[arg(long)]
    pub(super) all_orders: bool,
    /// Looks for a run that shows something, instead
    #[arg(long, value_name = "PROPERTY", value_enum)]
    pub(super) find: Option<FindName>,
    /// Tells N runs that end differently, in a few words each
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) show: usize,
    /// The most states that are looked at
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub(super) states: u32,
    /// The most memory for them, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub(super) memory: u32,
    /// Writes the trace of the story that is found to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) trace: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Something that a run can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FindName {
    /// A record waits behind a barrier whose channel is blocked
    HeldBack,
    /// An unaligned snapshot holds records in flight
    ChannelState,
    /// A checkpoint completes after one with a higher id was triggered
    Overtaken,
    /// An attempt starts from a completed checkpoint
    Restart,
    /// A transaction is aborted
    AbortedTransaction,
}

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
pub(super) struct ConfigOf {
    /// A configuration file or the folder it is in, or - for standard input
    #[arg(value_hint = ValueHint::AnyPath, required_unless_present = "options")]
    pub(super) file: Option<String>,
    /// The table of all settings that checkdam knows, in Markdown, instead
    #[arg(long, conflicts_with_all = ["file", "flink", "format"])]
    pub(super) options: bool,
    /// Whose defaults and names hold, 1.20 or 2.x [default: as the file says, else 1.20]
    #[arg(long, value_name = "VERSION")]
    pub(super) flink: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// Arguments of `reference`.
#[derive(Debug, clap::Args)]
pub(super) struct ReferenceOf {
    /// Which page
    #[arg(value_enum)]
    pub(super) page: ReferenceName,
    /// The folder of a book: the list of scenarios says which chapters use each
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(super) book: Option<PathBuf>,
}

/// A page of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReferenceName {
    /// What can be typed
    CommandLine,
    /// The keys of a scenario file
    ScenarioFormat,
    /// The facts of a trace
    Facts,
    /// Mistakes that can be made on purpose, and the properties that catch them
    Mutations,
    /// Every scenario that is shipped
    Scenarios,
}

/// For whom something is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// For machines
    Json,
}

/// What has a published schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaOf {
    /// Scenario files
    Scenario,
    /// The lines of a trace
    Trace,
    /// Savepoints
    Savepoint,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Colours {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

/// A language by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LanguageName {
    /// English
    En,
    /// 中文
    Zh,
}

impl From<LanguageName> for Language {
    fn from(name: LanguageName) -> Self {
        match name {
            LanguageName::En => Self::En,
            LanguageName::Zh => Self::Zh,
        }
    }
}

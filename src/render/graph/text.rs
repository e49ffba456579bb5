//! The execution graph as text for other tools: Graphviz and Mermaid.

use std::fmt::Write as _;

use super::partitioner;
use crate::model::{Language, OperatorIndex, Scenario};
use crate::narrate::Names;

/// The graph in the language of Graphviz: a cluster an operator, a node a
/// subtask, an edge a channel.
#[must_use]
pub fn graph_dot(scenario: &Scenario, language: Language) -> String {
    let names = Names::new(scenario, language);
    let graph = &scenario.graph;
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph job {\n");
    let _ = writeln!(out, "  label={};", quoted(scenario.title.of(language)));
    out.push_str("  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    for (operator, spec) in graph.job.operators.iter().enumerate() {
        let label = names.operator(OperatorIndex::at(operator));
        let _ = writeln!(out, "  subgraph cluster_{operator} {{\n    label={};", quoted(label));
        for task in graph.subtask_indices() {
            if graph.subtasks[task.index()].operator.index() == operator {
                let label = quoted(names.task(task));
                let _ = writeln!(out, "    t{} [label={label}];", task.index());
            }
        }
        let _ = writeln!(out, "  }} // parallelism {}", spec.parallelism);
    }
    for channel in &graph.channels {
        let edge = &graph.job.edges[channel.edge.index()];
        let label = quoted(partitioner(&edge.partitioner, language));
        let (from, to) = (channel.from.index(), channel.to.index());
        let _ = writeln!(out, "  t{from} -> t{to} [tooltip={label}];");
    }
    out.push_str("}\n");
    out
}

/// The graph as a Mermaid flowchart: a subgraph an operator, a node a subtask,
/// an arrow a channel.
#[must_use]
pub fn graph_mermaid(scenario: &Scenario, language: Language) -> String {
    let names = Names::new(scenario, language);
    let graph = &scenario.graph;
    let mut out = String::from("flowchart LR\n");
    for operator in 0..graph.job.operators.len() {
        let label = mermaid_text(names.operator(OperatorIndex::at(operator)));
        let _ = writeln!(out, "  subgraph o{operator} [\"{label}\"]");
        for task in graph.subtask_indices() {
            if graph.subtasks[task.index()].operator.index() == operator {
                let label = mermaid_text(names.task(task));
                let _ = writeln!(out, "    t{}[\"{label}\"]", task.index());
            }
        }
        out.push_str("  end\n");
    }
    for channel in &graph.channels {
        let _ = writeln!(out, "  t{} --> t{}", channel.from.index(), channel.to.index());
    }
    out
}

/// A text as Mermaid takes it in quotes and after colons: what means something
/// there is written by its number.
pub(in crate::render) fn mermaid_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '"' | '#' | ';' | '<' | '>' | '&' | '%' | '`' => {
                let _ = write!(out, "#{};", sign as u32);
            }
            '\n' | '\r' | '\u{a0}' => out.push(' '),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out
}

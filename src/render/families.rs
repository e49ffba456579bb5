//! Which of the four families of colour and shape a split has.
//!
//! A split that is called by a colour has that colour; the others take the
//! families that are left, in order.

use crate::model::ExecutionGraph;

/// Names, and the family that they mean.
const NAMED: [(&str, u32); 6] =
    [("blue", 0), ("yellow", 1), ("purple", 2), ("pink", 2), ("magenta", 2), ("green", 3)];

/// The family of each split.
#[must_use]
pub fn families(graph: &ExecutionGraph) -> Vec<u32> {
    let n = u32::try_from(graph.splits.len()).expect("the scenario's limits keep splits few");
    let named = |split: u32| {
        let name = &graph.split(crate::model::SplitIndex(split)).name;
        NAMED.iter().find(|(own, _)| name == own).map(|(_, family)| *family)
    };
    let taken: Vec<u32> = (0..n).filter_map(named).collect();
    let mut free: Vec<u32> = (0..4).filter(|family| !taken.contains(family)).collect();
    if free.is_empty() {
        free = (0..4).collect();
    }
    let mut n_others = 0;
    let family = |split: u32| {
        named(split).unwrap_or_else(|| {
            n_others += 1;
            free[(n_others - 1) % free.len()]
        })
    };
    (0..n).map(family).collect()
}

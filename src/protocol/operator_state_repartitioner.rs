//! Operator state for another number of subtasks.
//!
//! Knows states by name and mode; what their items are is somebody else's.
//!
//! Source: Flink `RoundRobinOperatorStateRepartitioner`,
//! `OperatorStateHandle.Mode`.

/// How the items of a named state come to the subtasks of a job that starts
/// from it.
///
/// Source: Flink `OperatorStateHandle.Mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperatorStateMode {
    /// Each item to one of them: list state.
    SplitDistribute,
    /// Every item to each of them: union list state.
    Union,
    /// Each of them the whole state, which is the same everywhere: broadcast
    /// state.
    Broadcast,
}

/// A named state with the items of every old subtask, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedState<T> {
    /// Its name; unique in its operator.
    pub name: String,
    /// How it is distributed.
    pub mode: OperatorStateMode,
    /// By old subtask.
    pub subtasks: Vec<Vec<T>>,
}

/// Gives the items of every state to so many new subtasks: by state, in the
/// given order, and by new subtask.
///
/// With as many subtasks as before everybody keeps what it has, but for union
/// state.
// Differs: Flink takes the states of an operator in the order of a hash map,
// and which subtask gets one item more than another depends on it; here the
// order is that of the list.
#[must_use]
pub fn repartition<T: Clone>(states: &[NamedState<T>], parallelism: u32) -> Vec<Vec<Vec<T>>> {
    let n_new = parallelism.max(1) as usize;
    let mut start = 0;
    let mut repartitioned = Vec::new();
    for state in states {
        let is_unchanged = state.subtasks.len() == n_new;
        repartitioned.push(match state.mode {
            OperatorStateMode::Union => vec![state.subtasks.concat(); n_new],
            _ if is_unchanged => state.subtasks.clone(),
            OperatorStateMode::SplitDistribute => {
                let items = state.subtasks.concat();
                let slices = slices(&items, n_new, start);
                // The next state begins where the longer slices have ended.
                start = (start + items.len() % n_new) % n_new;
                slices
            }
            OperatorStateMode::Broadcast => {
                let copy = |new: usize| match state.subtasks.len() {
                    0 => Vec::new(),
                    n_old => state.subtasks[new % n_old].clone(),
                };
                (0..n_new).map(copy).collect()
            }
        });
    }
    repartitioned
}

/// Cuts items into slices as equal as can be, the first of them for the subtask
/// at `start`, and the longer ones first.
fn slices<T: Clone>(items: &[T], n_new: usize, start: usize) -> Vec<Vec<T>> {
    let (length, n_longer) = (items.len() / n_new, items.len() % n_new);
    let mut slices = vec![Vec::new(); n_new];
    let mut rest = items;
    for turn in 0..n_new {
        let (slice, behind) = rest.split_at(length + usize::from(turn < n_longer));
        slices[(start + turn) % n_new] = slice.to_vec();
        rest = behind;
    }
    slices
}

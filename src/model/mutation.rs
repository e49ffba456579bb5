//! Classic protocol mistakes, each a named switch that a scenario may set
//! (`"break": ["process-after-first-barrier"]`). They prove that the judge has
//! teeth. Where each one is built in, the place says so with this enum.

/// A rule broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    /// An input goes on being processed after its barrier, although others
    /// have not sent theirs: no alignment.
    ProcessAfterFirstBarrier,
    /// The state is stored, and the barrier sent on, at the first barrier.
    SnapshotAtFirstBarrier,
}

impl Mutation {
    /// Every mutation, in order.
    pub const ALL: [Self; 2] = [Self::ProcessAfterFirstBarrier, Self::SnapshotAtFirstBarrier];

    /// Its name in scenario files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProcessAfterFirstBarrier => "process-after-first-barrier",
            Self::SnapshotAtFirstBarrier => "snapshot-at-first-barrier",
        }
    }

    /// The mutation of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mutation| mutation.name() == name)
    }
}

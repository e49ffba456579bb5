//! The properties that a run must have, each named by a sentence.

/// Something that holds in every right run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// On every channel, what was sent before a checkpoint is what the
    /// checkpoint holds of it: in the receiver's state, or in flight.
    ConsistentCut,
    /// A source stores the offset of just what it has sent.
    SourcePosition,
    /// A channel delivers what was sent, once and in order.
    Delivery,
    /// Nothing comes after the end of the data.
    EndOfData,
    /// A record changes the state and sends its results in one go.
    LocalAtomicity,
    /// A snapshot holds the state that the records before it make.
    SnapshotState,
    /// A complete checkpoint has the stored part of every task, and its files.
    Completeness,
    /// Barriers go out on every channel, in order, and none twice.
    BarrierOrder,
    /// Behind a barrier nothing is processed before the snapshot.
    Alignment,
    /// Nothing is processed between the barrier going out and the snapshot.
    CutAtomicity,
    /// What has begun ends: checkpoints, blocked channels, the job.
    Liveness,
    /// Who is dead does nothing, and what it has said counts no more.
    Fencing,
    /// A message comes only to whom it was sent, after it was sent.
    Messages,
    /// A restart puts back what the newest complete checkpoint holds.
    RestoreEquality,
    /// A transaction is committed once, after its checkpoint is complete, and
    /// in order.
    Commitment,
    /// Without what failures have undone, the run is one without failures.
    FailureTransparency,
    /// What counts twice in at-least-once mode is what the cut of a restart had
    /// too much.
    AtLeastOnceBound,
    /// In the surviving history every record counts once.
    ExactlyOnceState,
    /// Every result is published once.
    ExactlyOnceOutput,
}

impl Property {
    /// Every property, in the order in which they are told.
    pub const ALL: [Self; 19] = [
        Self::Delivery,
        Self::EndOfData,
        Self::LocalAtomicity,
        Self::BarrierOrder,
        Self::Alignment,
        Self::CutAtomicity,
        Self::SourcePosition,
        Self::SnapshotState,
        Self::ConsistentCut,
        Self::Completeness,
        Self::Messages,
        Self::Fencing,
        Self::RestoreEquality,
        Self::Commitment,
        Self::Liveness,
        Self::FailureTransparency,
        Self::AtLeastOnceBound,
        Self::ExactlyOnceState,
        Self::ExactlyOnceOutput,
    ];

    /// What machines call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConsistentCut => "consistent-cut",
            Self::SourcePosition => "source-position",
            Self::Delivery => "delivery",
            Self::EndOfData => "end-of-data",
            Self::LocalAtomicity => "local-atomicity",
            Self::SnapshotState => "snapshot-state",
            Self::Completeness => "completeness",
            Self::BarrierOrder => "barrier-order",
            Self::Alignment => "alignment",
            Self::CutAtomicity => "cut-atomicity",
            Self::Liveness => "liveness",
            Self::Fencing => "fencing",
            Self::Messages => "messages",
            Self::RestoreEquality => "restore-equality",
            Self::Commitment => "commitment",
            Self::FailureTransparency => "failure-transparency",
            Self::AtLeastOnceBound => "at-least-once-bound",
            Self::ExactlyOnceState => "exactly-once-state",
            Self::ExactlyOnceOutput => "exactly-once-output",
        }
    }

    /// The property of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.name() == name)
    }
}

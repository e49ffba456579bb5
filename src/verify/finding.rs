//! What can be wrong with the cut of a checkpoint, with all that an
//! explanation needs: names, record and steps. What happened in a step is said
//! by the trace.

use std::fmt;

use super::named::Named;
use crate::model::{
    Attempt, ChannelEnd, ChannelIndex, CheckpointId, RecordId, SplitIndex, SubtaskIndex,
};

/// How a record breaks a cut. What a snapshot holds in flight is received
/// before the cut, behind all that has been processed.
///
/// Source: Chandy and Lamport 1985 (n ≥ m per channel) for the first two; FIFO
/// channels for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// Received before the cut and sent after it: counted twice once the job
    /// restarts from here.
    Orphan,
    /// Sent before the cut and not received before it: forgotten once the job
    /// restarts from here.
    Lost,
    /// Sent once and received several times before the cut.
    Duplicate,
    /// Received after a record that was sent later.
    Reordered,
}

/// Something wrong with the cut of a completed checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A channel's two ends do not agree.
    Channel(ChannelFinding),
    /// A source's stored offset and what it has sent do not agree.
    Source(SourceFinding),
    /// What was in flight is not put back as it was stored.
    Restore(RestoreFinding),
    /// The checkpoint is complete, and yet a task stored nothing for it.
    NotStored {
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Whose part is missing.
        task: Named<SubtaskIndex>,
        /// When it was declared complete.
        completed: u64,
    },
}

/// A record on which the two ends of a channel do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelFinding {
    /// How.
    pub flaw: Flaw,
    /// The cut of which checkpoint; the first one that shows it.
    pub checkpoint: CheckpointId,
    /// Which record.
    pub record: Named<RecordId>,
    /// Where.
    pub channel: Named<ChannelIndex>,
    /// Its sender.
    pub sender: Named<SubtaskIndex>,
    /// Its receiver.
    pub receiver: Named<SubtaskIndex>,
    /// What of the snapshot holds it; none: nothing, it is lost.
    pub part: Option<Part>,
    /// When.
    pub steps: CutSteps,
    /// The offset that the checkpoint stores for the record's split.
    pub source_offset: Option<u32>,
}

/// What a snapshot holds of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The effect of records that the receiver had processed.
    State,
    /// Records that were on their way, at one end of the channel.
    InFlight(ChannelEnd),
}

/// The steps that make a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutSteps {
    /// The record is sent; none: it never was.
    pub sent: Option<u64>,
    /// The record is processed (a duplicate: again); none: not in the trace so
    /// far.
    pub processed: Option<u64>,
    /// The record is stored in flight; none: it is not.
    pub saved: Option<u64>,
    /// The sender stores its state.
    pub sender_cut: Option<u64>,
    /// The receiver gets the checkpoint's barrier from this channel.
    pub barrier: Option<u64>,
    /// The receiver stores its state.
    pub receiver_cut: Option<u64>,
    /// The checkpoint is declared complete.
    pub completed: u64,
}

/// A record on which a source's stored offset and what it has sent do not
/// agree: an orphan was sent and is not covered by the offset, a lost one is
/// covered and was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFinding {
    /// How: orphan or lost.
    pub flaw: Flaw,
    /// The cut of which checkpoint.
    pub checkpoint: CheckpointId,
    /// Of which split.
    pub split: Named<SplitIndex>,
    /// First record that it is about.
    pub first: u32,
    /// Last record that it is about.
    pub last: u32,
    /// The source.
    pub source: Named<SubtaskIndex>,
    /// When the source stored its offset.
    pub step: u64,
}

/// A record in flight that a restart does not put back as the checkpoint
/// stored it: an orphan is put back and was not stored, a lost one was stored
/// and is not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreFinding {
    /// How.
    pub flaw: Flaw,
    /// What the job restarts from.
    pub checkpoint: CheckpointId,
    /// The attempt that begins.
    pub attempt: Attempt,
    /// Which record.
    pub record: Named<RecordId>,
    /// Where.
    pub channel: Named<ChannelIndex>,
    /// At which end.
    pub end: ChannelEnd,
    /// Whose end it is.
    pub owner: Named<SubtaskIndex>,
    /// When it was stored.
    pub saved: Option<u64>,
    /// When the job restarts.
    pub step: u64,
}

impl Finding {
    /// The checkpoint whose cut is broken.
    #[must_use]
    pub fn checkpoint(&self) -> CheckpointId {
        match self {
            Self::Channel(finding) => finding.checkpoint,
            Self::Source(finding) => finding.checkpoint,
            Self::Restore(finding) => finding.checkpoint,
            Self::NotStored { checkpoint, .. } => *checkpoint,
        }
    }

    /// The first step at which it went wrong: an orphan's or duplicate's
    /// processing or storing, the snapshot that forgets a lost record.
    #[must_use]
    pub fn first_wrong_step(&self) -> u64 {
        match self {
            Self::Channel(ChannelFinding { part, steps, .. }) => match part {
                None => steps.receiver_cut,
                Some(Part::State) => steps.processed,
                Some(Part::InFlight(_)) => steps.saved,
            }
            .unwrap_or(steps.completed),
            Self::Source(finding) => finding.step,
            Self::Restore(finding) => finding.step,
            Self::NotStored { completed, .. } => *completed,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(finding) => finding.fmt(f),
            Self::Source(finding) => finding.fmt(f),
            Self::Restore(finding) => finding.fmt(f),
            Self::NotStored { checkpoint, task, completed } => write!(
                f,
                "checkpoint {checkpoint} is declared complete at step {completed}, but {task} \
                 stored nothing for it"
            ),
        }
    }
}

impl fmt::Display for ChannelFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checkpoint, record, channel, sender, receiver, steps, .. } = self;
        write!(f, "checkpoint {checkpoint}, {channel}: {record} ")?;
        let (sent, processed) = (At(steps.sent), At(steps.processed));
        let (sender_cut, receiver_cut) = (At(steps.sender_cut), At(steps.receiver_cut));
        if let Some(Part::InFlight(_)) = self.part {
            return self.in_flight(f);
        }
        match self.flaw {
            Flaw::Orphan => write!(
                f,
                "is received before the cut and sent after it: {receiver} processes it{processed} \
                 and stores its state{receiver_cut}; {sender} stores its state{sender_cut} and \
                 sends it{sent}"
            ),
            Flaw::Lost => write!(
                f,
                "is sent before the cut and not received before it: {sender} sends it{sent} and \
                 stores its state{sender_cut}; {receiver} stores its state{receiver_cut} without it"
            ),
            Flaw::Duplicate => write!(
                f,
                "is sent once{sent} and received several times before the cut, again{processed}"
            ),
            Flaw::Reordered => {
                write!(f, "is sent{sent} and received only{processed}, after a later one")
            }
        }
    }
}

impl ChannelFinding {
    fn in_flight(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sender, steps, .. } = self;
        let (sent, sender_cut, saved) = (At(steps.sent), At(steps.sender_cut), At(steps.saved));
        match self.flaw {
            Flaw::Orphan => write!(
                f,
                "is stored in flight{saved} and sent after the cut: {sender} stores its \
                 state{sender_cut} and sends it{sent}"
            ),
            Flaw::Lost | Flaw::Duplicate => write!(
                f,
                "is sent once{sent} and is in the snapshot several times, again in flight{saved}"
            ),
            Flaw::Reordered => {
                write!(f, "is sent{sent} and stored in flight{saved} after a later one")
            }
        }
    }
}

impl fmt::Display for RestoreFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checkpoint, record, channel, owner, step, .. } = self;
        let saved = At(self.saved);
        write!(f, "restart from checkpoint {checkpoint} at step {step}, {channel}: {record} ")?;
        match self.flaw {
            Flaw::Orphan => write!(f, "is put back in flight at {owner}, and was not stored there"),
            Flaw::Lost => {
                write!(f, "was stored in flight at {owner}{saved}, and is not put back there")
            }
            Flaw::Duplicate => {
                write!(f, "was stored in flight at {owner} once{saved}, and is put back again")
            }
            Flaw::Reordered => {
                write!(
                    f,
                    "was stored in flight at {owner}{saved}, and is put back after a later one"
                )
            }
        }
    }
}

impl fmt::Display for SourceFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checkpoint, split, first, last, source, step, .. } = self;
        write!(f, "checkpoint {checkpoint}, {source}: {split} {first}")?;
        if last > first {
            write!(f, " to {last}")?;
        }
        let what = match self.flaw {
            Flaw::Lost => "covered by the stored offset and not sent",
            Flaw::Orphan | Flaw::Duplicate | Flaw::Reordered => {
                "sent and not covered by the stored offset"
            }
        };
        write!(f, " {} {what} when it stores its state at step {step}", be(*first, *last))
    }
}

fn be(first: u32, last: u32) -> &'static str {
    if first == last { "is" } else { "are" }
}

/// " at step 7", or nothing where there is none.
struct At(Option<u64>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(step) => write!(f, " at step {step}"),
            None => Ok(()),
        }
    }
}

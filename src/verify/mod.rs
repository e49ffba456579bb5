//! The judge: decides from the trace alone whether a run was exactly-once.
//!
//! One property a file. Shares with the engine only the words of `model` and
//! the facts of `trace`: whatever it needs to know beyond them it works out
//! anew, so that a mistake of the engine cannot hide itself.
//!
//! - `consistent_cut`: of every completed checkpoint, what was sent before
//!   the sender's cut is what was processed before the receiver's and what is
//!   stored in flight.
//! - `channel_state`: what is stored in flight, and whether a restart puts it
//!   back.
//! - `source_position`: a source stores the offset of just what it has sent.
//! - `history`: what is left of a run when every failure has undone what it
//!   undoes.
//! - `conduct`: how tasks, channels and the JobManager behave, step by step.
//! - `before`: runs that follow each other, as one.
//! - `given`: what the savepoint gives to whom that a job starts from.
//! - `limit`: what Flink itself does not promise.
//! - `ledger`: in that history every record counts once, and of all that the
//!   outside has ever seen every result is there once.
//!
//! Memory grows by some dozen bytes for each time that a record is sent,
//! processed or published.

mod before;
mod channel_state;
mod conduct;
mod consistent_cut;
mod finding;
mod gather;
mod given;
mod history;
mod judge;
mod ledger;
mod limit;
mod miscount;
mod named;
mod published;
mod rows;
mod source_position;
mod verdict;

pub use before::verify_chain;
pub use conduct::{Breach, ConductJudgement, Property, Wrong};
pub use finding::{ChannelFinding, CutSteps, Finding, Flaw, Part, RestoreFinding, SourceFinding};
pub use judge::{Ending, Judge, verify};
pub use limit::Limit;
pub use miscount::{Count, Judgement, Miscount, Sighting, StaleKey};
pub use named::Named;
pub use rows::{Ledger, LedgerRow};
pub use verdict::{
    CannotTell, CutJudgement, Outcome, Promised, PropertyJudgement, Restore, Verdict,
};

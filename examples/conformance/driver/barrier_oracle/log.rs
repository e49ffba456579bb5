//! What the machines do, as Flink would say it.

use checkdam::cluster::SubpartitionEffect;
use checkdam::model::{AlignmentType, CheckpointFailureReason, Message, StreamElement};
use checkdam::protocol::BarrierEffect;
use serde_json::{Value as Json, json};

/// Bytes of a buffer in the recorded cases; each holds one record.
const BUFFER_BYTES: u64 = 4;

/// What happened in one op.
#[derive(Default)]
pub(super) struct Log {
    pub(super) events: Vec<Json>,
    /// Where in it an alignment was not measured.
    pub(super) unmeasured: Option<usize>,
}

impl Log {
    /// What the handler does, as Flink's would say it. It counts records where
    /// Flink counts bytes: so many bytes of ours are a buffer of the case.
    pub(super) fn handler(&mut self, effect: BarrierEffect, bytes_per_buffer: u64) {
        let event = match effect {
            BarrierEffect::Block { channel, .. } => json!(["block", channel]),
            BarrierEffect::Resume { channel } => json!(["resume", channel]),
            BarrierEffect::Prioritize { channel, sequence } => json!(["prio", channel, sequence]),
            BarrierEffect::InitInputs(barrier) => {
                json!(["init", barrier.checkpoint.0, alignment(barrier.options.alignment)])
            }
            BarrierEffect::StartCapture(barrier) => json!(["start", barrier.checkpoint.0]),
            BarrierEffect::StopCapture(checkpoint) => json!(["stop", checkpoint.0]),
            BarrierEffect::Trigger { barrier, start_delay } => json!([
                "trigger",
                barrier.checkpoint.0,
                barrier.triggered_at.0 / 1000,
                alignment(barrier.options.alignment),
                start_delay.0 / 1000
            ]),
            BarrierEffect::Aligned { checkpoint, duration, bytes } => {
                let bytes = match bytes_per_buffer {
                    1 => bytes,
                    n => bytes / n * BUFFER_BYTES,
                };
                json!(["aligned", checkpoint.0, duration.0 / 1000, bytes])
            }
            BarrierEffect::InputsComplete(checkpoint) => {
                json!(["inputs", checkpoint.0, "finished"])
            }
            BarrierEffect::InputsAborted(checkpoint) => json!(["inputs", checkpoint.0, "aborted"]),
            BarrierEffect::Abort { checkpoint, reason } => {
                json!(["abort", checkpoint.0, CheckpointFailureReason::flink_name(reason)])
            }
            BarrierEffect::AlignmentNotMeasured(_) => {
                self.unmeasured = Some(self.events.len());
                return;
            }
            BarrierEffect::TimedOut { .. }
            | BarrierEffect::ArmTimer { .. }
            | BarrierEffect::DisarmTimer => return,
        };
        self.events.push(event);
    }

    pub(super) fn outputs(&mut self, channel: u32, told: Vec<SubpartitionEffect>) {
        for effect in told {
            self.events.push(match effect {
                SubpartitionEffect::OutputPending { checkpoint } => {
                    json!(["outpending", checkpoint.0, channel])
                }
                SubpartitionEffect::OutputOvertaken { checkpoint, messages }
                | SubpartitionEffect::OutputDecided { checkpoint, messages } => {
                    let values: Vec<i64> = messages.iter().map(value).collect();
                    json!(["saveout", checkpoint.0, channel, values])
                }
                SubpartitionEffect::OutputAborted { checkpoint } => {
                    json!(["outaborted", checkpoint.0, channel])
                }
            });
        }
    }
}

fn alignment(alignment: AlignmentType) -> &'static str {
    match alignment {
        AlignmentType::AtLeastOnce => "AT_LEAST_ONCE",
        AlignmentType::Aligned => "ALIGNED",
        AlignmentType::Unaligned => "UNALIGNED",
        AlignmentType::ForcedAligned => "FORCED_ALIGNED",
    }
}

pub(super) fn value(message: &Message) -> i64 {
    match message.element {
        StreamElement::Record(record) => record.value.number(),
        _ => -1,
    }
}

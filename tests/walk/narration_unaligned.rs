//! Claims about the sentences where barriers do not wait for each other.

use checkdam::model::{CheckpointId, Language, SinkKind, SubtaskIndex};
use checkdam::narrate::{Story, tell};
use checkdam::trace::Fact;
use checkdam::verify::verify;

use super::fixture::{Job, local, shapes, story, two_sources};

const EVEN: SubtaskIndex = SubtaskIndex(2);

/// Both sentences of the first step with a fact that some test accepts.
fn told(story: &Story, language: Language, test: impl Fn(&Fact) -> bool + Copy) -> [String; 2] {
    let step = (1..=story.n_steps()).find(|step| story.any(*step, test)).expect("it happens");
    let narration = tell(&story.step(step), language);
    [narration.changed, narration.why].map(|text| text.replace('\u{a0}', " "))
}

/// How many steps of a run have a word in their reasons.
fn n_told(story: &Story, word: &str) -> usize {
    let steps = (1..=story.n_steps()).map(|step| tell(&story.step(step), Language::En).why);
    steps.filter(|why| why.contains(word)).count()
}

fn publishing() -> Job {
    two_sources(SinkKind::Publish)
}

/// The second checkpoint's snapshot of the even sum.
fn snapshot(fact: &Fact) -> bool {
    matches!(fact, Fact::SnapshotTaken { task: EVEN, checkpoint: CheckpointId(2), .. })
}

#[test]
fn an_unaligned_checkpoint_waits_for_no_second_barrier() {
    let story = story(publishing().unaligned(0).scenario("Unaligned"));
    let [changed, why] = told(&story, Language::En, snapshot);
    assert!(
        changed.starts_with("sum(even) got blue’s unaligned barrier 2 (1 of 2); "),
        "{changed}"
    );
    assert!(changed.ends_with("aligned barrier 2 went out to sink(even)"), "{changed}");
    assert_eq!(
        why,
        "blue’s barrier 2 is the first to come, and an unaligned checkpoint waits for no other: \
         sum(even) takes its snapshot now, and what is still in flight before yellow’s barrier \
         goes into checkpoint 2 as channel state."
    );
    let [changed, why] = told(&story, Language::Zh, snapshot);
    assert!(changed.starts_with("和(偶)收到蓝源的非对齐屏障 2（1/2）；"), "{changed}");
    assert_eq!(
        why,
        "蓝源的屏障 2 最先到达，非对齐检查点不等其他屏障：和(偶)立即做快照；黄源的屏障之前仍在途的记录\
         作为通道状态存入检查点 2。"
    );
}

#[test]
fn a_copied_record_goes_on_as_if_nothing_had_happened() {
    let story = story(publishing().unaligned(0).scenario("Unaligned"));
    let saved = |fact: &Fact| matches!(fact, Fact::ChannelStateSaved { .. });
    let [changed, why] = told(&story, Language::En, saved);
    assert!(changed.contains("checkpoint 2 keeps a copy of yellow "), "{changed}");
    assert!(why.starts_with("yellow’s barrier 2 has not come yet, so yellow "), "{why}");
    assert!(why.ends_with("it goes on as if nothing had happened."), "{why}");
    let [_, why] = told(&story, Language::Zh, saved);
    assert!(why.ends_with("它照常处理，就像什么都没发生。"), "{why}");
}

#[test]
fn nothing_is_said_to_be_held_back_where_nothing_is() {
    for name in ["unaligned", "unaligned-backpressure", "snapshots-take-time", "at-least-once"] {
        let (_, scenario) = shapes().into_iter().find(|(own, _)| *own == name).expect("a shape");
        let story = story(scenario);
        for words in ["is held back", "was held back", "only the blocked inputs wait"] {
            assert_eq!(n_told(&story, words), 0, "{name}: {words}");
        }
    }
}

#[test]
fn an_edge_that_carries_no_unaligned_barrier_says_why() {
    let story = story(publishing().unaligned(0).scenario("Unaligned"));
    let sink = |fact: &Fact| {
        matches!(
            fact,
            Fact::SnapshotTaken { task: SubtaskIndex(4), checkpoint: CheckpointId(2), .. }
        )
    };
    let [changed, why] = told(&story, Language::En, sink);
    assert!(changed.contains("sink(even) got even’s aligned barrier 2 (1 of 1)"), "{changed}");
    assert!(why.starts_with("barriers stay aligned on a forward edge, since "), "{why}");
    let [_, why] = told(&story, Language::Zh, sink);
    assert!(why.starts_with("forward 边上的屏障保持对齐，因为"), "{why}");
}

#[test]
fn a_barrier_that_overtakes_names_what_it_overtook() {
    let story = story(local().scenario("Local"));
    let saved = |fact: &Fact| matches!(fact, Fact::ChannelStateSaved { .. });
    let [_, why] = told(&story, Language::En, saved);
    assert!(why.starts_with("unaligned barrier 1 overtakes n "), "{why}");
    assert!(
        why.ends_with("the snapshot keeps copies, or they would be lost in a recovery."),
        "{why}"
    );
}

#[test]
fn a_timeout_is_told_with_its_age() {
    let story = story(publishing().unaligned(12).scenario("A timeout"));
    let late =
        |fact: &Fact| matches!(fact, Fact::AlignmentTimedOut { checkpoint: CheckpointId(2), .. });
    let [changed, why] = told(&story, Language::En, late);
    assert!(changed.starts_with("checkpoint 2 became unaligned at sum("), "{changed}");
    assert!(
        why.starts_with("checkpoint 2 is 12 ms old and its aligned-checkpoint-timeout is 12 ms")
    );
    let [_, why] = told(&story, Language::Zh, late);
    assert!(why.starts_with("检查点 2 已过 12 ms，aligned-checkpoint-timeout 是 12 ms"), "{why}");
}

/// The judge counts on its own.
#[test]
fn what_counts_twice_is_told_as_often_as_it_does() {
    let scenario = publishing().at_least_once().crash(3, 70).scenario("At least once");
    let story = story(scenario);
    let verdict = verify(&story.scenario, &story.trace);
    let n_twice = verdict.state.too_often.len();
    assert!(n_twice > 0, "the crash comes after a checkpoint with records from after its barriers");
    assert_eq!(n_told(&story, "now it counts a second time"), n_twice);
    let restarted = |fact: &Fact| matches!(fact, Fact::AttemptStarted { .. });
    let [_, why] = told(&story, Language::En, restarted);
    assert!(why.ends_with("no record is lost, these count twice."), "{why}");
    let [_, why] = told(&story, Language::Zh, restarted);
    assert!(why.ends_with("不会丢记录，但这些会算两次。"), "{why}");
}

#[test]
fn a_record_that_comes_back_from_channel_state_says_so() {
    let story = story(local().crash(1, 85).scenario("A crash"));
    let facts = story.trace.steps.iter().flat_map(|step| &step.facts);
    let n_restored: usize = facts
        .map(|fact| match fact {
            Fact::ChannelStateRestored { input, output, .. } => input.len() + output.len(),
            _ => 0,
        })
        .sum();
    assert!(n_restored > 0, "the crash comes after a checkpoint with records in flight");
    assert_eq!(n_told(&story, "comes back from its channel state"), n_restored);
    let restarted = |fact: &Fact| matches!(fact, Fact::AttemptStarted { .. });
    let [changed, why] = told(&story, Language::En, restarted);
    assert!(changed.contains(" put back on n → sum"), "{changed}");
    assert!(!changed.contains("something"), "{changed}");
    assert!(why.contains("the channels get what was in flight"), "{why}");
    let [_, why] = told(&story, Language::Zh, restarted);
    assert!(why.contains("通道取回在途数据"), "{why}");
}

//! What all kinds of tests share.

pub(crate) mod random_jobs;
pub(crate) mod sizes;

/// Compares a text with its golden `snapshots/ROOM-NAME.snap`.
pub(crate) fn snapshot(room: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("{room}-{name}"), text));
}

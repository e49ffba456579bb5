//! How many samples the random tests take: the one place that says so.

#![expect(clippy::disallowed_methods, reason = "the tests, too, may be told to work harder")]

/// So many samples, times what the environment asks for: `CHECKDAM_TEST_SCALE`
/// is a whole number, 1 if it is not set.
///
/// # Panics
/// When it is set to something else.
#[must_use]
pub(crate) fn samples(n: u64) -> u64 {
    match std::env::var("CHECKDAM_TEST_SCALE") {
        Ok(scale) => n * scale.parse::<u64>().expect("CHECKDAM_TEST_SCALE is a whole number"),
        Err(_) => n,
    }
}

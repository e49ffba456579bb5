//! Several threads, one case each at a time, and results in the order of the
//! cases.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

/// Works on cases with so many threads, and hands each result on in the order
/// of the cases. What is handed on does not depend on the number of threads.
///
/// # Errors
/// The first error of `take`; cases that were not begun then are left out.
///
/// # Panics
/// When `work` does.
pub fn fan_out<T: Send, E>(
    cases: impl Iterator<Item = u64> + Send,
    n_threads: NonZeroUsize,
    work: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(u64, T) -> Result<(), E>,
) -> Result<(), E> {
    /// So many results may wait for an earlier one, for each thread.
    const AHEAD: usize = 64;
    let cases = Mutex::new(cases.enumerate());
    let next = || cases.lock().ok()?.next();
    let (sender, receiver) = sync_channel(AHEAD * n_threads.get());
    std::thread::scope(|scope| {
        for _ in 0..n_threads.get() {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((place, case)) = next() {
                    // Nobody takes results any more after an error.
                    if sender.send((place, case, work(case))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut wanted) = (BTreeMap::new(), 0);
        // Taking the receiver along ends the threads when this returns early.
        for (place, case, result) in receiver {
            waiting.insert(place, (case, result));
            while let Some((case, result)) = waiting.remove(&wanted) {
                wanted += 1;
                take(case, result)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_cases_from_any_number_of_threads() {
        for n_threads in [1, 2, 7] {
            let n_threads = NonZeroUsize::new(n_threads).expect("it is not 0");
            let mut seen = Vec::new();
            let slow_first = |case: u64| {
                std::hint::black_box((0..(200 - case) * 500).fold(case, |a, b| a ^ b));
                0
            };
            let taken = fan_out((0..200).filter(|case| case % 3 == 1), n_threads, slow_first, {
                |case, result| {
                    seen.push(case + result);
                    Ok::<(), ()>(())
                }
            });
            assert_eq!(taken, Ok(()));
            assert_eq!(seen, (0..200).filter(|case| case % 3 == 1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let n_threads = NonZeroUsize::new(2).expect("it is not 0");
        let taken = fan_out(
            0..u64::MAX,
            n_threads,
            |case| case,
            |case, _| match case {
                10 => Err("full"),
                _ => Ok(()),
            },
        );
        assert_eq!(taken, Err("full"));
    }
}

//! A text in fewer signs: what was there before is named by its place and its
//! length. So simple that the page's own script undoes it in a few lines, at
//! once, in any browser.

use super::table::Numbers;

/// The sign that begins a repetition: "`", how far back, and how much longer
/// than the shortest one. "`" itself is a repetition from 0 back.
const MARK: char = '`';
/// A shorter repetition is no gain.
const LENGTH_MIN: usize = 6;
/// How many earlier places are looked at.
const TRIES_MAX: usize = 96;
const TABLE_BITS: u32 = 17;

/// Packs a text. All of its signs must be in the first plane of Unicode, so
/// that the script, which counts in UTF-16, counts the same.
pub(super) fn packed(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    assert!(signs.iter().all(|sign| sign.len_utf16() == 1), "signs are counted as UTF-16 does");
    // By fingerprint of the next few signs: the newest place, and, by place, the
    // one before with the same fingerprint.
    let mut newest = vec![usize::MAX; 1 << TABLE_BITS];
    let mut before = vec![usize::MAX; signs.len()];
    let mut out = Numbers::default();
    let mut place = 0;
    while place < signs.len() {
        let found = longest(&signs, place, (&newest, &before));
        let taken = match found {
            Some((from, length)) => {
                out.0.push(MARK);
                out.push((place - from) as u64);
                out.push((length - LENGTH_MIN) as u64);
                length
            }
            None if signs[place] == MARK => {
                out.0.push(MARK);
                out.push(0);
                1
            }
            None => {
                out.0.push(signs[place]);
                1
            }
        };
        for (own, older) in before.iter_mut().enumerate().skip(place).take(taken) {
            if let Some(slot) = fingerprint(&signs, own) {
                *older = newest[slot];
                newest[slot] = own;
            }
        }
        place += taken;
    }
    out.0
}

/// The longest repetition of what stands at a place: where it was, how long.
fn longest(
    signs: &[char],
    place: usize,
    (newest, before): (&[usize], &[usize]),
) -> Option<(usize, usize)> {
    let mut candidate = newest[fingerprint(signs, place)?];
    let mut best: Option<(usize, usize)> = None;
    for _ in 0..TRIES_MAX {
        if candidate == usize::MAX {
            break;
        }
        let rest = signs[place..].iter().zip(&signs[candidate..]);
        let length = rest.take_while(|(own, other)| own == other).count();
        if length >= LENGTH_MIN && best.is_none_or(|(_, longest)| length > longest) {
            best = Some((candidate, length));
        }
        candidate = before[candidate];
    }
    best
}

fn fingerprint(signs: &[char], place: usize) -> Option<usize> {
    let next = signs.get(place..place + LENGTH_MIN)?;
    let mixed = next
        .iter()
        .fold(0_u32, |sum, sign| (sum ^ u32::from(*sign)).wrapping_mul(0x9e37_79b1).rotate_left(7));
    Some((mixed >> (32 - TABLE_BITS)) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::table::SIGNS;
    use super::*;

    /// What the page's script does.
    fn unpacked(text: &str) -> String {
        let signs: Vec<char> = text.chars().collect();
        let mut out: Vec<char> = Vec::new();
        let mut place = 0;
        let number = |place: &mut usize| {
            let mut number = 0;
            loop {
                let sign = signs[*place] as u8;
                let digit = SIGNS.iter().position(|own| *own == sign).expect("it is a digit");
                *place += 1;
                number = number * 44 + digit % 44;
                if digit < 44 {
                    return number;
                }
            }
        };
        while place < signs.len() {
            place += 1;
            if signs[place - 1] != MARK {
                out.push(signs[place - 1]);
                continue;
            }
            match number(&mut place) {
                0 => out.push(MARK),
                back => {
                    for _ in 0..number(&mut place) + LENGTH_MIN {
                        out.push(out[out.len() - back]);
                    }
                }
            }
        }
        out.into_iter().collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        let texts = [
            "",
            "abc",
            "`",
            "屏障 2 发往偶数和；屏障 2 发往奇数和；屏障 2 发往偶数和",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`aaaaaaaaaaaaa",
        ];
        for text in texts {
            assert_eq!(unpacked(&packed(text)), text);
        }
        let long: String = (0..3000).map(|n| format!("<rect x=\"{}\"/>", n * n % 97)).collect();
        let short = packed(&long);
        assert_eq!(unpacked(&short), long);
        assert!(short.len() * 5 < long.len(), "{} of {}", short.len(), long.len());
    }
}

//! The buffer that lines are written into, made for many short pieces.
//!
//! Its bytes are there before they are written, so that a piece costs one
//! check and a copy whose length is a constant: a `Vec` that grows by each
//! piece takes half as long again.

use std::io;

/// A buffer with a place to write at.
#[derive(Clone, Debug)]
pub(super) struct Pen {
    /// Written up to `len`; behind it anything.
    bytes: Vec<u8>,
    len: usize,
}

/// A name in whole chunks, the last one filled up, so that it can be copied
/// without asking how long it is.
#[derive(Clone, Debug)]
pub(super) struct Name {
    len: usize,
    chunks: Vec<[u8; CHUNK]>,
}

const CHUNK: usize = 32;

impl Name {
    pub(super) fn new(text: &[u8]) -> Self {
        let chunk = |piece: &[u8]| {
            let mut chunk = [0; CHUNK];
            chunk[..piece.len()].copy_from_slice(piece);
            chunk
        };
        Self { len: text.len(), chunks: text.chunks(CHUNK).map(chunk).collect() }
    }
}

impl Pen {
    pub(super) fn with_room(n_bytes: usize) -> Self {
        Self { bytes: vec![0; n_bytes + CHUNK], len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn written(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Forgets the first bytes; the others move to the beginning.
    pub(super) fn forget_first(&mut self, n: usize) {
        self.bytes.copy_within(n..self.len, 0);
        self.len -= n;
    }

    /// Takes back what stands behind a length.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// The next `n` bytes, not yet counted as written.
    #[inline(always)]
    fn room(&mut self, n: usize) -> &mut [u8] {
        if self.bytes.len() - self.len < n {
            self.grow(n);
        }
        &mut self.bytes[self.len..self.len + n]
    }

    #[cold]
    fn grow(&mut self, n: usize) {
        self.bytes.resize((self.len + n) * 2, 0);
    }

    /// Writes a piece; fast if its length is a constant.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: &[u8]) {
        self.room(piece.len()).copy_from_slice(piece);
        self.len += piece.len();
    }

    #[inline(always)]
    pub(super) fn put_byte(&mut self, byte: u8) {
        self.room(1)[0] = byte;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn put_name(&mut self, name: &Name) {
        let room = self.room(name.chunks.len() * CHUNK);
        for (slot, chunk) in room.chunks_exact_mut(CHUNK).zip(&name.chunks) {
            slot.copy_from_slice(chunk);
        }
        self.len += name.len;
    }

    #[inline(always)]
    pub(super) fn put_number(&mut self, number: u64) {
        if number < EIGHT_DIGITS {
            return self.put_few_digits(number);
        }
        if number < EIGHT_DIGITS * EIGHT_DIGITS {
            self.put_few_digits(number / EIGHT_DIGITS);
        } else {
            let first = number / EIGHT_DIGITS;
            self.put_few_digits(first / EIGHT_DIGITS);
            self.put(&ascii(eight_digits(first % EIGHT_DIGITS)));
        }
        self.put(&ascii(eight_digits(number % EIGHT_DIGITS)));
    }

    #[inline(always)]
    pub(super) fn put_signed(&mut self, number: i64) {
        if number < 0 {
            self.put_byte(b'-');
        }
        self.put_number(number.unsigned_abs());
    }

    /// Writes a number below [`EIGHT_DIGITS`]. All eight digits are written,
    /// moved to the front by the zeros that lead; what is behind the last one
    /// is not counted.
    #[inline(always)]
    fn put_few_digits(&mut self, number: u64) {
        let digits = eight_digits(number);
        let n_zeros = (digits.trailing_zeros() / 8).min(7);
        self.room(8).copy_from_slice(&ascii(digits >> (8 * n_zeros)));
        self.len += 8 - n_zeros as usize;
    }

    /// Overwrites a byte, if it has been written.
    #[inline(always)]
    pub(super) fn replace(&mut self, place: usize, byte: u8) -> bool {
        let written = place < self.len;
        if written {
            self.bytes[place] = byte;
        }
        written
    }
}

/// The first number that has more than eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// The digits of a number below [`EIGHT_DIGITS`], one a byte, the first in the
/// lowest: halves into quarters into digits, all lanes at once. Nothing is
/// stored on the way, since a processor waits when it reads bytes back in
/// another width than they were stored in.
#[inline(always)]
fn eight_digits(number: u64) -> u64 {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    // A multiplication and a shift divide by 100 below 10,000, by 10 below 100.
    let hundreds = ((halves * 10_486) >> 20) & 0x7f_0000_007f;
    let quarters = hundreds | ((halves - 100 * hundreds) << 16);
    let tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((quarters - 10 * tens) << 8)
}

/// The same as text.
#[inline(always)]
fn ascii(digits: u64) -> [u8; 8] {
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

/// For serde.
impl io::Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_written_whole() {
        let mut numbers: Vec<u64> = vec![0, u64::MAX];
        for digits in 1..20 {
            let least = 10u64.pow(digits);
            numbers.extend([least - 1, least, 1_234_567_890_123_456_789 / least]);
        }
        for number in numbers {
            let mut pen = Pen::with_room(0);
            pen.put_number(number);
            pen.put_signed((number / 2) as i64);
            pen.put_signed(((number / 2) as i64).wrapping_neg());
            let expected = format!("{number}{}{}", number / 2, -((number / 2) as i64));
            assert_eq!(pen.written(), expected.as_bytes());
        }
    }

    #[test]
    fn lanes_divide_as_numbers_do() {
        for quarter in 0..10_000_u64 {
            for number in [quarter, quarter * 10_000, quarter * 10_000 + 9_999 - quarter] {
                let digits = eight_digits(number);
                assert_eq!(ascii(digits), *format!("{number:08}").as_bytes());
            }
        }
    }

    #[test]
    fn names_of_any_length_are_written_whole() {
        let text = "0123456789".repeat(10);
        for len in 0..text.len() {
            let mut pen = Pen::with_room(0);
            pen.put_name(&Name::new(&text.as_bytes()[..len]));
            pen.put(b"!");
            assert_eq!(pen.written(), format!("{}!", &text[..len]).as_bytes());
        }
    }
}

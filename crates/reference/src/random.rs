//! Random numbers, and how tests are told which to draw.

use std::sync::OnceLock;

/// A small generator of random numbers (xorshift, after Marsaglia), so that a seed means the same for ever.
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A number that the environment may set for a test: `SEED`, `PROGRAMS`.
pub fn setting(name: &str, default: u64) -> u64 {
    let number = |text: String| text.parse().unwrap_or_else(|_| panic!("{name} must be a number"));
    std::env::var(name).map_or(default, number)
}

/// Which series of random programs tests draw: `SEED`, usually the first.
pub(crate) fn series() -> u64 {
    static SERIES: OnceLock<u64> = OnceLock::new();
    *SERIES.get_or_init(|| match setting("SEED", 1) {
        0 => panic!("SEED is a number from 1 on"),
        seed => seed,
    })
}

/// Whether tests draw the usual series, of which it is known what it contains: others may lack what is rare.
pub fn is_usual() -> bool {
    series() == 1
}

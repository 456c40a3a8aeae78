//! Random numbers, and how tests are told which to draw.

use std::sync::OnceLock;

/// A small generator of random numbers (xorshift, after Marsaglia), so that a seed means the same for ever.
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed. The environment's `SEED`, if there is one, leads to others.
    pub fn new(seed: u64) -> Random {
        let seed = seed ^ (series() - 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // The first numbers of seeds that are near each other are alike.
        (0..8).for_each(|_| _ = random.below(2u64));
        random
    }

    /// A number below a bound.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, bound: N) -> N {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let bound = bound.try_into().ok().expect("a bound is not negative");
        N::try_from((self.0 >> 16) % bound).ok().expect("it is below a number of the same type")
    }

    /// True once in so many times.
    pub fn one_in(&mut self, n: u64) -> bool {
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
fn series() -> u64 {
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

//! Numbering of combinations, multisets and permutations.

/// `n` over `k`; saturates.
pub(super) fn binomial(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    let mut result: u128 = 1;
    for i in 0..k.min(n - k) {
        // Exact, since it is a binomial coefficient after each step.
        let Some(product) = result.checked_mul((n - i) as u128) else { return u64::MAX };
        result = product / (i as u128 + 1);
    }
    u64::try_from(result).unwrap_or(u64::MAX)
}

/// `n` factorial; saturates.
pub(super) fn factorial(n: u64) -> u64 {
    (1..=n).fold(1, u64::saturating_mul)
}

/// How many multisets of `k` of `n` things there are; saturates.
pub(super) fn multisets(n: u64, k: u64) -> u64 {
    if k == 0 { 1 } else { binomial(n.saturating_add(k - 1), k) }
}

/// The combination of `k` numbers with this rank, ascending, in the combinatorial number system.
///
/// Those of numbers below `n` have the ranks below `binomial(n, k)`.
pub(super) fn combination(mut rank: u64, k: u64) -> Vec<u64> {
    let mut chosen = Vec::new();
    for i in (1..=k).rev() {
        let (mut low, mut high) = (i - 1, i);
        while binomial(high, i) <= rank {
            (low, high) = (high, high.saturating_mul(2));
        }
        // The largest number with `binomial(number, i) <= rank` is at least `low` and less than `high`.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if binomial(middle, i) <= rank { low = middle } else { high = middle }
        }
        rank -= binomial(low, i);
        chosen.push(low);
    }
    chosen.reverse();
    chosen
}

/// The multiset of `k` numbers with this rank, ascending.
pub(super) fn multiset(rank: u64, k: u64) -> Vec<u64> {
    combination(rank, k).into_iter().enumerate().map(|(i, number)| number - i as u64).collect()
}

/// Brings things into the order with this rank, which is less than their number's factorial.
pub(super) fn permute<T>(mut things: Vec<T>, mut rank: u64) -> Vec<T> {
    let mut order = Vec::new();
    while !things.is_empty() {
        let block = factorial(things.len() as u64 - 1);
        order.push(things.remove((rank / block) as usize));
        rank %= block;
    }
    order
}

/// Takes a digit of this base off a mixed-radix number.
pub(super) fn digit(rank: &mut u64, base: u64) -> u64 {
    let digit = *rank % base;
    *rank /= base;
    digit
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranks_are_bijective() {
        for k in 0..4 {
            for n in 1..7u64 {
                let count = binomial(n, k);
                let all: BTreeSet<_> = (0..count).map(|rank| combination(rank, k)).collect();
                assert_eq!(all.len() as u64, count);
                assert!(all.iter().all(|c| c.iter().all(|&x| x < n) && c.windows(2).all(|w| w[0] < w[1])));
                let count = multisets(n, k);
                let all: BTreeSet<_> = (0..count).map(|rank| multiset(rank, k)).collect();
                assert_eq!(all.len() as u64, count);
                assert!(all.iter().all(|c| c.iter().all(|&x| x < n) && c.windows(2).all(|w| w[0] <= w[1])));
            }
        }
        let all: BTreeSet<_> = (0..24).map(|rank| permute(vec![0, 1, 2, 3], rank)).collect();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn large_numbers_saturate() {
        assert_eq!(binomial(61, 30), 232_714_176_627_630_544);
        assert_eq!(binomial(200, 100), u64::MAX);
        assert_eq!(factorial(40), u64::MAX);
        assert_eq!(combination(binomial(50_625, 2) - 1, 2), [50_623, 50_624]);
    }
}

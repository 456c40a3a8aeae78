//! Which known name a misspelt one was meant to be.

/// Names longer than this are not compared, for that takes the product of the lengths.
const LONGEST: usize = 64;

/// The candidate nearest to `name`, if it is near enough to have been meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // One slip in a short name, up to three in a long one.
    let limit = (name.chars().count() / 3).clamp(1, 3);
    if name.len() > LONGEST {
        return None;
    }
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 2 * limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of characters to insert, delete, replace or swap with their neighbour to get from one
/// name to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut previous = None;
    for (row, character) in from.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, &wanted) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(character != wanted);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let swapped = column > 0 && previous == Some(wanted) && to[column - 1] == character;
            if swapped {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(character);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in
            [("", "", 0), ("", "ab", 2), ("node_t", "nodet", 1), ("nodet", "ndoet", 1), ("abc", "xyz", 3)]
        {
            assert_eq!(distance(from, to), expected, "{from} {to}");
            assert_eq!(distance(to, from), expected, "{to} {from}");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["node_t", "queue_t", "uint64_t"];
        assert_eq!(nearest("nodet", known.into_iter()), Some("node_t"));
        assert_eq!(nearest("uint46_t", known.into_iter()), Some("uint64_t"));
        assert_eq!(nearest("pthread_t", known.into_iter()), None);
        assert_eq!(nearest("t", known.into_iter()), None);
    }
}

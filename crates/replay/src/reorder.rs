//! The reorderings that explain why a model allows an execution which sc forbids.
//!
//! Candidates are pairs of accesses that one thread makes in that order and that the model leaves unordered here.
//! With all of them kept in order, the model would be sc, and its order would have a cycle. The answer is the
//! pairs on a cycle that has as few of them as possible: kept in order, they rule the execution out, and no
//! fewer of them do.
//!
//! # Why all of them can have happened
//!
//! Let the cycle be `x1 y1 ~ x2 y2 ~ … ~ x1`, where each `xi` is made before `yi` and `~` are steps of the
//! model's order. If the order had a path from some `xi` to some `yj`, then going on along the cycle from `yj`
//! to `xi` would close one with fewer pairs. So no `xi` comes before any `yj`, and memory can have seen every
//! `yi` before its `xi` in one and the same execution. [`crate::explain`] shows such an order.

use crate::relation::Matrix;
use fencepost_harness::trace::{EventId, Reordering, Trace};

/// What a pair costs a reader: whether its accesses are on one location, and how far apart they are.
type Price = (usize, usize);

/// A way along a cycle: what it costs so far, and its pairs, each by the number of its beginning and its end.
type Way = (Price, Vec<(usize, usize)>);

/// Joins of pairs to look at while the plainest of the shortest cycles is chosen; whichever is found by then
/// will do.
const PATIENCE: usize = 20_000_000;

/// The pairs for a checked trace: `before` is the model's order with all it implies, `talks` relates accesses of
/// different threads that follow each other directly, `overlap` those of common locations. None if the execution
/// would be possible even with all program order kept.
pub(crate) fn reorderings(
    trace: &Trace,
    before: &Matrix,
    talks: &Matrix,
    overlap: impl Fn(usize, usize) -> bool,
) -> Vec<Reordering> {
    // A cycle comes to a thread by an access that follows one of another thread, and leaves it by one that
    // another thread's follows; what lies between is one pair. That threads follow their start makes no more
    // ends: it also follows what the parent did before, and all of the thread follows it.
    let size = trace.events.len();
    let begins: Vec<usize> = (0..size).filter(|&x| (0..size).any(|z| talks.get(z, x))).collect();
    let ends: Vec<usize> = (0..size).filter(|&y| (0..size).any(|z| talks.get(y, z))).collect();
    let swappable = |x: usize, y: usize| {
        let (a, b) = (&trace.events[x], &trace.events[y]);
        let together = a.atomic.is_some() && a.atomic == b.atomic;
        a.thread == b.thread && x < y && !together && !before.get(x, y)
    };
    let pairs: Vec<Vec<usize>> =
        begins.iter().map(|&x| ends.iter().copied().filter(|&y| swappable(x, y)).collect()).collect();
    // From the beginning of one pair to that of the next.
    let joined = |y: usize, next: usize| y == begins[next] || before.get(y, begins[next]);
    let steps = Matrix::from_fn(begins.len(), |x, next| pairs[x].iter().any(|&y| joined(y, next)));
    let Some(length) = shortest(&steps) else { return Vec::new() };
    let price = |x: usize, y: usize| (usize::from(overlap(begins[x], y)), y - begins[x]);
    cheapest(&steps, length, &pairs, joined, price)
        .into_iter()
        .map(|(x, y)| Reordering { first: EventId(begins[x] as u32), overtook: EventId(y as u32) })
        .collect()
}

/// The length of the shortest cycles of a relation.
fn shortest(steps: &Matrix) -> Option<usize> {
    let mut reached = steps.clone();
    for length in 1..=steps.size() {
        if reached.loops().is_some() {
            return Some(length);
        }
        let more = reached.combine(&reached.then(steps), |a, b| a | b);
        if more == reached {
            return None;
        }
        reached = more;
    }
    None
}

/// The cheapest cycle of so many pairs, each given by the number of its beginning and its end.
fn cheapest(
    steps: &Matrix,
    length: usize,
    pairs: &[Vec<usize>],
    joined: impl Fn(usize, usize) -> bool,
    price: impl Fn(usize, usize) -> Price,
) -> Vec<(usize, usize)> {
    let size = steps.size();
    let mut best: Option<Way> = None;
    let mut work = 0;
    for start in 0..size {
        // Who can come back to the start, in 0, 1, … steps.
        let mut back = vec![vec![false; size]; length + 1];
        back[0][start] = true;
        for left in 1..=length {
            for x in 0..size {
                back[left][x] = (0..size).any(|next| back[left - 1][next] && steps.get(x, next));
            }
        }
        if !back[length][start] {
            continue;
        }
        if best.is_some() && work > PATIENCE {
            break;
        }
        let mut ways: Vec<Option<Way>> = vec![None; size];
        ways[start] = Some(((0, 0), Vec::new()));
        for left in (0..length).rev() {
            let mut longer: Vec<Option<Way>> = vec![None; size];
            for x in 0..size {
                let Some((spent, way)) = &ways[x] else { continue };
                for next in (0..size).filter(|&next| back[left][next] && steps.get(x, next)) {
                    work += pairs[x].len();
                    let ends = pairs[x].iter().filter(|&&y| joined(y, next));
                    let Some((more, y)) = ends.map(|&y| (price(x, y), y)).min() else { continue };
                    let spent = (spent.0 + more.0, spent.1 + more.1);
                    if longer[next].as_ref().is_none_or(|(known, _)| spent < *known) {
                        let way = way.iter().copied().chain([(x, y)]).collect();
                        longer[next] = Some((spent, way));
                    }
                }
            }
            ways = longer;
        }
        if let Some((spent, way)) = ways[start].take()
            && best.as_ref().is_none_or(|(known, _)| spent < *known)
        {
            best = Some((spent, way));
        }
    }
    best.map(|(_, way)| way).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_cycles() {
        let ring = Matrix::from_fn(5, |x, y| y == (x + 1) % 5);
        assert_eq!(shortest(&ring), Some(5));
        let chord = Matrix::from_fn(5, |x, y| y == (x + 1) % 5 || (x, y) == (3, 1));
        assert_eq!(shortest(&chord), Some(3));
        let line = Matrix::from_fn(5, |x, y| y == x + 1);
        assert_eq!(shortest(&line), None);
        assert_eq!(shortest(&Matrix::new(0)), None);
    }
}

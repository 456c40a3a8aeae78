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

use crate::Refusal;
use crate::evaluate::Execution;
use crate::poll::Poll;
use crate::relation::{Matrix, members};
use fencepost_harness::trace::{EventId, Reordering};
use fencepost_models::cat::BaseRelation;

/// What a pair costs a reader: whether its accesses are on one location, and how far apart they are.
type Price = (usize, usize);

/// A way along a cycle: what it costs so far, and its pairs, each by the number of its beginning and its end.
type Way = (Price, Vec<(usize, usize)>);

/// Joins of pairs to look at while the plainest of the shortest cycles is chosen; whichever is found by then
/// will do.
const PATIENCE: usize = 20_000_000;

/// The pairs for a checked execution, given the model's order with all it implies. None if the execution would be
/// possible even with all program order kept.
pub(crate) fn reorderings(
    execution: &Execution,
    before: &Matrix,
    poll: &Poll,
) -> Result<Vec<Reordering>, Refusal> {
    // A cycle comes to a thread by an access that follows one of another thread, and leaves it by one that
    // another thread's follows; what lies between is one pair. That threads follow their start makes no more
    // ends: it also follows what the parent did before, and all of the thread follows it.
    let talks = execution.communication();
    let heard = talks.inverse();
    let some = |row: &[u64]| members(row).next().is_some();
    let begins: Vec<usize> = (0..execution.size()).filter(|&x| some(heard.row(x))).collect();
    let ends: Vec<usize> = (0..execution.size()).filter(|&y| some(talks.row(y))).collect();
    let swappable = |x: usize, y: usize| {
        let (a, b) = (execution.event(x), execution.event(y));
        let together = a.atomic.is_some() && a.atomic == b.atomic;
        a.thread == b.thread && x < y && !together && !before.get(x, y)
    };
    let pairs: Vec<Vec<usize>> =
        begins.iter().map(|&x| ends.iter().copied().filter(|&y| swappable(x, y)).collect()).collect();
    // From the beginning of one pair to that of the next.
    let joined = |y: usize, next: usize| y == begins[next] || before.get(y, begins[next]);
    let mut steps = Matrix::new(begins.len());
    for (x, ends) in pairs.iter().enumerate() {
        poll.ask()?;
        for next in 0..begins.len() {
            if ends.iter().any(|&y| joined(y, next)) {
                steps.set(x, next);
            }
        }
    }
    let Some(length) = shortest(&steps, poll)? else { return Ok(Vec::new()) };
    let same = execution.base(BaseRelation::Loc);
    let price = |x: usize, y: usize| (usize::from(same.get(begins[x], y)), y - begins[x]);
    let id = |node: usize| EventId((execution.sequel.alone + node) as u32);
    let cycle = cheapest(&steps, length, &pairs, joined, price);
    Ok(cycle.into_iter().map(|(x, y)| Reordering { first: id(begins[x]), overtook: id(y) }).collect())
}

/// The length of the shortest cycles of a relation.
fn shortest(steps: &Matrix, poll: &Poll) -> Result<Option<usize>, Refusal> {
    let mut reached = steps.clone();
    for length in 1..=steps.size() {
        if reached.loops().is_some() {
            return Ok(Some(length));
        }
        let more = reached.then(steps, poll)?.combine(&reached, |a, b| a | b);
        if more == reached {
            return Ok(None);
        }
        reached = more;
    }
    Ok(None)
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

    fn relation(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Matrix {
        let mut relation = Matrix::new(size);
        pairs.into_iter().for_each(|(x, y)| relation.set(x, y));
        relation
    }

    #[test]
    fn shortest_cycles() {
        let poll = Poll::never();
        let ring = || (0..5).map(|x| (x, (x + 1) % 5));
        assert_eq!(shortest(&relation(5, ring()), &poll), Ok(Some(5)));
        assert_eq!(shortest(&relation(5, ring().chain([(3, 1)])), &poll), Ok(Some(3)));
        assert_eq!(shortest(&relation(5, (0..4).map(|x| (x, x + 1))), &poll), Ok(None));
        assert_eq!(shortest(&Matrix::new(0), &poll), Ok(None));
    }
}

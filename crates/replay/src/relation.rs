//! A concrete relation: a matrix of bits, a row for each number. All work is done in whole rows.

use crate::Refusal;
use crate::poll::Poll;

/// A set of numbers, a bit each.
pub(crate) type Bits = Vec<u64>;

/// The numbers in a row of bits.
pub(crate) fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| Some(word & (word - 1)).filter(|w| *w != 0))
            .map(move |word| 64 * at + word.trailing_zeros() as usize)
    })
}

/// Whether a set has a number.
pub(crate) fn has(row: &[u64], x: usize) -> bool {
    row[x / 64] >> (x % 64) & 1 == 1
}

/// Adds a number to a set.
pub(crate) fn insert(row: &mut [u64], x: usize) {
    row[x / 64] |= 1 << (x % 64);
}

/// Adds one set to another.
pub(crate) fn join(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
}

/// A relation over the numbers below `size`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Matrix {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    pub(crate) fn new(size: usize) -> Matrix {
        let words = size.div_ceil(64);
        Matrix { size, words, bits: vec![0; words * size] }
    }

    /// The empty set of numbers below `size`.
    pub(crate) fn none(&self) -> Bits {
        vec![0; self.words]
    }

    /// What a number is related to.
    pub(crate) fn row(&self, x: usize) -> &[u64] {
        &self.bits[x * self.words..(x + 1) * self.words]
    }

    pub(crate) fn row_mut(&mut self, x: usize) -> &mut [u64] {
        &mut self.bits[x * self.words..(x + 1) * self.words]
    }

    /// How many numbers it is over.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn set(&mut self, x: usize, y: usize) {
        insert(self.row_mut(x), y);
    }

    pub(crate) fn get(&self, x: usize, y: usize) -> bool {
        has(self.row(x), y)
    }

    /// Pairs related by a combination of both relations.
    pub(crate) fn combine(mut self, other: &Matrix, op: impl Fn(u64, u64) -> u64) -> Matrix {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, &b)| *a = op(*a, b));
        self
    }

    /// Pairs whose first is in a set.
    pub(crate) fn from(mut self, set: &[u64]) -> Matrix {
        for x in (0..self.size).filter(|&x| !has(set, x)) {
            self.row_mut(x).fill(0);
        }
        self
    }

    /// Pairs whose second is in a set.
    pub(crate) fn to(mut self, set: &[u64]) -> Matrix {
        for x in 0..self.size {
            self.row_mut(x).iter_mut().zip(set).for_each(|(word, mask)| *word &= mask);
        }
        self
    }

    /// A step of this, then one of the other.
    pub(crate) fn then(&self, other: &Matrix, poll: &Poll) -> Result<Matrix, Refusal> {
        // Most of what models put around others relates numbers to themselves alone; those go through as
        // they are.
        let mut through = self.none();
        for x in 0..self.size {
            let mut members = members(other.row(x));
            if members.next() == Some(x) && members.next().is_none() {
                insert(&mut through, x);
            }
        }
        let mut result = Matrix::new(self.size);
        for x in 0..self.size {
            poll.ask()?;
            let row = &mut result.bits[x * self.words..(x + 1) * self.words];
            for ((to, from), mask) in row.iter_mut().zip(self.row(x)).zip(&through) {
                *to = from & mask;
            }
            for middle in members(self.row(x)).filter(|&middle| !has(&through, middle)) {
                join(row, other.row(middle));
            }
        }
        Ok(result)
    }

    pub(crate) fn inverse(&self) -> Matrix {
        let mut result = Matrix::new(self.size);
        for x in 0..self.size {
            members(self.row(x)).for_each(|y| result.set(y, x));
        }
        result
    }

    /// One or more steps.
    pub(crate) fn closure(&self, poll: &Poll) -> Result<Matrix, Refusal> {
        let mut result = self.clone();
        for middle in 0..self.size {
            let row = result.row(middle).to_vec();
            for x in 0..self.size {
                poll.ask()?;
                if result.get(x, middle) {
                    join(result.row_mut(x), &row);
                }
            }
        }
        Ok(result)
    }

    /// The numbers in an order in which all steps lead forward; or one that steps lead back to.
    pub(crate) fn sort(&self, poll: &Poll) -> Result<Result<Vec<usize>, usize>, Refusal> {
        let mut waits_for = vec![0usize; self.size];
        for x in 0..self.size {
            poll.ask()?;
            members(self.row(x)).for_each(|y| waits_for[y] += 1);
        }
        let mut order: Vec<usize> = (0..self.size).filter(|&x| waits_for[x] == 0).collect();
        let mut next = 0;
        while let Some(&x) = order.get(next) {
            poll.ask()?;
            next += 1;
            for y in members(self.row(x)) {
                waits_for[y] -= 1;
                if waits_for[y] == 0 {
                    order.push(y);
                }
            }
        }
        if order.len() == self.size {
            return Ok(Ok(order));
        }
        // Whatever still waits has a predecessor that does; going back long enough ends on a circle.
        let back = self.inverse();
        let waits = |x: &usize| waits_for[*x] > 0;
        let mut at = (0..self.size).find(waits).unwrap_or_default();
        for _ in 0..self.size {
            at = members(back.row(at)).find(waits).unwrap_or(at);
        }
        Ok(Err(at))
    }

    /// One or more steps, given an order in which all steps lead forward.
    pub(crate) fn closure_along(&self, order: &[usize], poll: &Poll) -> Result<Matrix, Refusal> {
        let mut rank = vec![0; self.size];
        order.iter().enumerate().for_each(|(at, &x)| rank[x] = at);
        let mut result = Matrix::new(self.size);
        for &x in order.iter().rev() {
            poll.ask()?;
            // The nearest first: they lead to most of the others.
            let mut steps: Vec<usize> = members(self.row(x)).collect();
            steps.sort_unstable_by_key(|&y| rank[y]);
            let mut row = result.none();
            for y in steps {
                if !has(&row, y) {
                    insert(&mut row, y);
                    join(&mut row, result.row(y));
                }
            }
            result.row_mut(x).copy_from_slice(&row);
        }
        Ok(result)
    }

    /// The nodes that are related to some other.
    pub(crate) fn sources(&self) -> Bits {
        let mut bits = self.none();
        let related = (0..self.size()).filter(|&x| self.row(x).iter().any(|&word| word != 0));
        related.for_each(|x| insert(&mut bits, x));
        bits
    }

    /// A number related to itself.
    pub(crate) fn loops(&self) -> Option<usize> {
        (0..self.size).find(|&x| self.get(x, x))
    }

    /// A number that is related to any.
    pub(crate) fn any(&self) -> Option<usize> {
        (0..self.size).find(|&x| self.row(x).iter().any(|word| *word != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_harness::budget::Exhausted;

    fn next(size: usize) -> Matrix {
        let mut next = Matrix::new(size);
        (1..size).for_each(|x| next.set(x - 1, x));
        next
    }

    #[test]
    fn closure_and_sequence() {
        let poll = Poll::never();
        let next = next(70);
        let twice = next.then(&next, &poll).unwrap();
        assert!(twice.get(3, 5) && !twice.get(3, 4));
        let all = next.closure(&poll).unwrap();
        assert!(all.get(0, 69) && !all.get(69, 0) && all.loops().is_none());
        assert!(all.inverse().get(69, 0));
        assert_eq!(next.any(), Some(0));
        let order = next.sort(&poll).unwrap().unwrap();
        assert_eq!(next.closure_along(&order, &poll).unwrap(), all);
    }

    #[test]
    fn what_goes_through_and_what_does_not() {
        let poll = Poll::never();
        let next = next(70);
        let mut some = Matrix::new(70);
        (0..70).for_each(|x| some.set(x, x));
        some.set(5, 66);
        let both = next.then(&some, &poll).unwrap();
        assert!(both.get(4, 5) && both.get(4, 66) && both.get(8, 9) && !both.get(8, 66));
    }

    #[test]
    fn circles_are_found() {
        let poll = Poll::never();
        let mut circle = next(70);
        circle.set(40, 30);
        let found = circle.sort(&poll).unwrap().unwrap_err();
        assert!((30..=40).contains(&found), "{found} is behind the circle, not on it");
    }

    #[test]
    fn work_is_cut() {
        let told = || Some(Exhausted::Time);
        let asked = fencepost_harness::budget::Poll::asking(&told);
        let poll = Poll::new(&asked);
        let next = next(3000);
        assert_eq!(next.then(&next, &poll).unwrap_err(), Refusal::Cut(Exhausted::Time));
        assert_eq!(next.closure(&poll).unwrap_err(), Refusal::Cut(Exhausted::Time));
    }
}

//! A concrete relation: a matrix of bits.

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

    /// The relation of all pairs for which `test` holds.
    pub(crate) fn from_fn(size: usize, test: impl Fn(usize, usize) -> bool) -> Matrix {
        let mut matrix = Matrix::new(size);
        for x in 0..size {
            for y in 0..size {
                if test(x, y) {
                    matrix.set(x, y);
                }
            }
        }
        matrix
    }

    /// How many numbers it is over.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn set(&mut self, x: usize, y: usize) {
        self.bits[x * self.words + y / 64] |= 1 << (y % 64);
    }

    pub(crate) fn get(&self, x: usize, y: usize) -> bool {
        self.bits[x * self.words + y / 64] >> (y % 64) & 1 == 1
    }

    /// Pairs related by a combination of both relations.
    pub(crate) fn combine(&self, other: &Matrix, op: impl Fn(u64, u64) -> u64) -> Matrix {
        let bits = self.bits.iter().zip(&other.bits).map(|(&a, &b)| op(a, b)).collect();
        Matrix { bits, ..*self }
    }

    /// A step of this, then one of the other.
    pub(crate) fn then(&self, other: &Matrix) -> Matrix {
        let mut result = Matrix::new(self.size);
        for x in 0..self.size {
            for middle in 0..self.size {
                if self.get(x, middle) {
                    for word in 0..self.words {
                        result.bits[x * self.words + word] |= other.bits[middle * self.words + word];
                    }
                }
            }
        }
        result
    }

    pub(crate) fn inverse(&self) -> Matrix {
        Matrix::from_fn(self.size, |x, y| self.get(y, x))
    }

    /// One or more steps.
    pub(crate) fn closure(&self) -> Matrix {
        let mut result = self.clone();
        for middle in 0..self.size {
            for x in 0..self.size {
                if result.get(x, middle) {
                    for word in 0..self.words {
                        let more = result.bits[middle * self.words + word];
                        result.bits[x * self.words + word] |= more;
                    }
                }
            }
        }
        result
    }

    /// A number related to itself.
    pub(crate) fn loops(&self) -> Option<usize> {
        (0..self.size).find(|&x| self.get(x, x))
    }

    /// A pair that is related.
    pub(crate) fn any(&self) -> Option<(usize, usize)> {
        (0..self.size).find_map(|x| (0..self.size).find(|&y| self.get(x, y)).map(|y| (x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_and_sequence() {
        let next = Matrix::from_fn(70, |x, y| y == x + 1);
        assert!(next.then(&next).get(3, 5));
        assert!(!next.then(&next).get(3, 4));
        let all = next.closure();
        assert!(all.get(0, 69) && !all.get(69, 0) && all.loops().is_none());
        assert!(all.inverse().get(69, 0));
        assert_eq!(next.any(), Some((0, 1)));
    }
}

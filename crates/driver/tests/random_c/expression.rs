//! Random expressions and places.

use super::generate::{Generator, LENGTH};

/// The integer types.
pub(crate) const TYPES: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// Numbers where widths and signs matter.
pub(crate) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "(-1)",
    "2",
    "7",
    "(-8)",
    "31",
    "100",
    "127",
    "128",
    "(-128)",
    "(-129)",
    "255",
    "256",
    "32767",
    "32768",
    "(-32768)",
    "65535",
    "65536",
    "2147483647",
    "(-2147483647 - 1)",
    "2147483648u",
    "4294967295u",
    "4294967296",
    "0x7fffffffffffffff",
    "(-0x7fffffffffffffff - 1)",
    "0xffffffffffffffff",
    "0x123456789abcdef0",
    "'a'",
    "'\\xff'",
    "0x80000000",
    "3u",
    "5l",
    "6ul",
];

impl Generator<'_> {
    pub(crate) fn array(&mut self) -> String {
        let at = self.random.below(self.arrays.len());
        self.arrays[at].clone()
    }

    pub(crate) fn fixed_place(&mut self) -> String {
        let at = self.random.below(self.places.len());
        self.places[at].clone()
    }

    /// A place to assign to.
    pub(crate) fn place(&mut self) -> String {
        if self.random.one_in(4) {
            let (array, index) = (self.array(), self.expression(1));
            return format!("{array}[{index} & {}]", LENGTH - 1);
        }
        self.fixed_place()
    }

    /// An expression without side effects, in parentheses where it needs them.
    pub(crate) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(6) {
            return match self.random.below(5) {
                0 => self.random.pick(NUMBERS).to_owned(),
                1 if !self.counters.is_empty() => {
                    let at = self.random.below(self.counters.len());
                    self.counters[at].clone()
                }
                _ => self.place_to_read(depth),
            };
        }
        let next = depth - 1;
        let a = self.expression(next);
        match self.random.below(20) {
            0..=4 => {
                let b = self.expression(next);
                format!("({a} {} {b})", self.random.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            5 | 6 => {
                let b = self.expression(next);
                format!("({a} {} {b})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            7 => {
                let b = self.expression(next);
                format!("({a} {} {b})", self.random.pick(&["&&", "||"]))
            }
            8 => {
                let b = self.expression(next);
                format!("({a} {} (({b} & 15) + 1))", self.random.pick(&["/", "%"]))
            }
            9 => {
                let b = self.expression(next);
                format!("({a} {} -(({b} & 15) + 2))", self.random.pick(&["/", "%"]))
            }
            10 | 11 => {
                let b = self.expression(next);
                format!("({a} {} ({b} & 31))", self.random.pick(&["<<", ">>"]))
            }
            12 => {
                let b = self.expression(next);
                let ty = self.random.pick(&["long", "unsigned long"]);
                format!("(({ty}){a} {} ({b} & 63))", self.random.pick(&["<<", ">>"]))
            }
            13 | 14 => format!("({}){a}", self.random.pick(TYPES)),
            15 | 16 => format!("({}{a})", self.random.pick(&["-", "~", "!", "+", "!!"])),
            17 => {
                let (b, c) = (self.expression(next), self.expression(next));
                format!("({a} ? {b} : {c})")
            }
            18 => match self.random.below(3) {
                0 => format!("sizeof(+{a})"),
                1 => format!("_Generic(+{a}, int: 1, unsigned: 2, long: 3, unsigned long: 4, default: 5)"),
                _ => format!("({{ __auto_type t = +{a}; t + 1; }})"),
            },
            _ => {
                // Not a constant: GCC 12 fails on `(_Bool)(1, 2)`.
                let b = self.fixed_place();
                format!("({a}, {b})")
            }
        }
    }

    fn place_to_read(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(2) {
            return self.fixed_place();
        }
        let (array, index) = (self.array(), self.fixed_place());
        let mask = LENGTH - 1;
        match self.random.below(3) {
            0 => format!("{array}[{index} & {mask}]"),
            1 => format!("*(({index} & {mask}) + {array})"),
            _ => format!("(&{array}[{index} & {mask}] - {array})"),
        }
    }
}

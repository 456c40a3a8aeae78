//! Words as literals: one for each bit, and one for each bit's being undefined.
//!
//! Primitive operations become gates with the meaning of [`PrimOp::eval`]. Bits that the range analysis
//! has fixed are constants, so that of a 64-bit word usually a handful of variables remains.

use crate::circuit::{Circuit, Lit};
use crate::range::domain::{Range, Wide};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::value::{IntTy, Value};
use rustc_hash::FxHashMap;

/// A word of literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// Its bits; zero where undefined, as in [`Value`], so that equal words have equal literals.
    pub bits: [Lit; 64],
    /// Which bits are undefined.
    pub undef: [Lit; 64],
}

impl Word {
    /// A known word.
    pub(crate) fn constant(value: Value) -> Word {
        let bit = |word: u64, i: usize| Lit::constant(word >> i & 1 == 1);
        Word {
            bits: std::array::from_fn(|i| bit(value.bits(), i)),
            undef: std::array::from_fn(|i| bit(value.undef(), i)),
        }
    }

    /// The value, if it is known.
    pub(crate) fn as_constant(&self) -> Option<Value> {
        let known = |lits: &[Lit; 64]| {
            lits.iter().rev().try_fold(0u64, |word, lit| lit.as_constant().map(|bit| word << 1 | bit as u64))
        };
        let (bits, undef) = (known(&self.bits)?, known(&self.undef)?);
        debug_assert_eq!(bits & undef, 0, "bits are zero where undefined");
        Some(Value::partial(bits, undef))
    }

    /// A word that may be anything in a range, with as few variables as the range's bits need: constant
    /// bits take none, and bits that are always equal or always opposite share one.
    pub(crate) fn fresh(circuit: &mut Circuit, range: &Range) -> Word {
        let mut word = Word::constant(Value::ZERO);
        match range {
            Range::Set(values) => {
                let mut columns: FxHashMap<Vec<bool>, Lit> = FxHashMap::default();
                let mut column = |circuit: &mut Circuit, bits: Vec<bool>| {
                    if bits.iter().all(|bit| *bit == bits[0]) {
                        return Lit::constant(bits[0]);
                    }
                    if let Some(&lit) = columns.get(&bits) {
                        return lit;
                    }
                    let lit = circuit.var();
                    columns.insert(bits.iter().map(|bit| !bit).collect(), !lit);
                    columns.insert(bits, lit);
                    lit
                };
                if values.is_empty() {
                    return word;
                }
                for i in 0..64 {
                    let of = |f: fn(Value) -> u64| values.iter().map(|(v, _)| f(*v) >> i & 1 == 1).collect();
                    word.bits[i] = column(circuit, of(Value::bits));
                    word.undef[i] = column(circuit, of(Value::undef));
                }
            }
            Range::Wide(Wide { zero, one, undef }) => {
                for i in 0..64 {
                    let may = |mask: &u64| mask >> i & 1 == 1;
                    word.undef[i] = match (may(undef), may(zero) || may(one)) {
                        (true, true) => circuit.var(),
                        (undef, _) => Lit::constant(undef),
                    };
                    let bit = match (may(zero), may(one)) {
                        (true, true) => circuit.var(),
                        (_, one) => Lit::constant(one),
                    };
                    word.bits[i] = circuit.and(bit, !word.undef[i]);
                }
            }
        }
        word
    }

    /// The word with the bits that a range fixes replaced by constants.
    pub(crate) fn fixed_by(mut self, range: &Range) -> Word {
        let Wide { zero, one, undef } = range.wide();
        for i in 0..64 {
            let may = |mask: u64| mask >> i & 1 == 1;
            match (may(zero), may(one)) {
                (false, true) if !may(undef) => self.bits[i] = Lit::TRUE,
                (true, false) if !may(undef) => self.bits[i] = Lit::FALSE,
                _ => {}
            }
            match (may(undef), may(zero) || may(one)) {
                (false, _) => self.undef[i] = Lit::FALSE,
                (true, false) => self.undef[i] = Lit::TRUE,
                _ => {}
            }
        }
        self
    }

    /// Whether any bit is undefined.
    pub(crate) fn any_undef(&self, circuit: &mut Circuit) -> Lit {
        circuit.or_all(&self.undef)
    }

    /// Whether any bit is one.
    pub(crate) fn truth(&self, circuit: &mut Circuit) -> Lit {
        circuit.or_all(&self.bits)
    }

    /// Whether it is this value, undefined bits included.
    pub(crate) fn is(&self, circuit: &mut Circuit, value: Value) -> Lit {
        let mut lits = Vec::new();
        for i in 0..64 {
            let undef = value.undef() >> i & 1 == 1;
            lits.push(if undef { self.undef[i] } else { !self.undef[i] });
            if !undef {
                lits.push(if value.bits() >> i & 1 == 1 { self.bits[i] } else { !self.bits[i] });
            }
        }
        circuit.and_all(&lits)
    }

    /// Whether it is this value wherever the value is defined.
    pub(crate) fn keeps(&self, circuit: &mut Circuit, promised: Value) -> Lit {
        let mut lits = Vec::new();
        for i in (0..64).filter(|i| promised.undef() >> i & 1 == 0) {
            lits.push(!self.undef[i]);
            lits.push(if promised.bits() >> i & 1 == 1 { self.bits[i] } else { !self.bits[i] });
        }
        circuit.and_all(&lits)
    }

    /// Requires the two to be the same wherever `when` holds.
    pub(crate) fn require_equal(circuit: &mut Circuit, when: Lit, a: &Word, b: &Word) {
        let mut seen: Vec<(Lit, Lit)> = Vec::new();
        let pairs = a.bits.iter().zip(&b.bits).chain(a.undef.iter().zip(&b.undef));
        for (&x, &y) in pairs {
            if x != y && !seen.contains(&(x, y)) {
                circuit.clause(&[!when, !x, y]);
                circuit.clause(&[!when, x, !y]);
                seen.push((x, y));
            }
        }
    }

    /// `if test then yes else no`.
    pub(crate) fn select(circuit: &mut Circuit, test: Lit, yes: &Word, no: &Word) -> Word {
        Word {
            bits: std::array::from_fn(|i| circuit.ite(test, yes.bits[i], no.bits[i])),
            undef: std::array::from_fn(|i| circuit.ite(test, yes.undef[i], no.undef[i])),
        }
    }

    /// Cut to a type and extended as it says.
    pub(crate) fn wrap(mut self, ty: IntTy) -> Word {
        let top = ty.bits as usize - 1;
        for i in ty.bits as usize..64 {
            self.bits[i] = if ty.signed { self.bits[top] } else { Lit::FALSE };
            self.undef[i] = if ty.signed { self.undef[top] } else { Lit::FALSE };
        }
        self
    }

    fn of_flag(flag: Lit) -> Word {
        let mut word = Word::constant(Value::ZERO);
        word.bits[0] = flag;
        word
    }

    fn of_bits(bits: [Lit; 64]) -> Word {
        Word { bits, ..Word::constant(Value::ZERO) }
    }
}

/// The result of an operation on words. Where the operation is a fault, it may be anything.
pub(crate) fn apply(circuit: &mut Circuit, op: PrimOp, args: &[&Word]) -> Word {
    let a = args[0];
    match op {
        PrimOp::Copy => a.clone(),
        PrimOp::Convert(ty) => a.clone().wrap(ty),
        PrimOp::Not => Word::of_flag(!a.truth(circuit)),
        PrimOp::Truth => Word::of_flag(a.truth(circuit)),
        PrimOp::Neg(ty) => {
            let zero = Word::constant(Value::ZERO);
            Word::of_bits(add(circuit, &zero.bits, &a.bits, ty.bits, true)).wrap(ty)
        }
        PrimOp::BitNot(ty) => {
            let bits = std::array::from_fn(|i| circuit.and(!a.bits[i], !a.undef[i]));
            Word { bits, undef: a.undef }.wrap(ty)
        }
        PrimOp::Extract { low, ty } => {
            let shift = |lits: &[Lit; 64]| {
                std::array::from_fn(|i| lits.get(i + low as usize).copied().unwrap_or(Lit::FALSE))
            };
            Word { bits: shift(&a.bits), undef: shift(&a.undef) }.wrap(ty)
        }
        PrimOp::Insert { low, bits } => {
            let (low, bits) = (low as usize, bits as usize);
            let put = |word: &[Lit; 64], part: &[Lit; 64]| {
                std::array::from_fn(|i| if (low..low + bits).contains(&i) { part[i - low] } else { word[i] })
            };
            Word { bits: put(&a.bits, &args[1].bits), undef: put(&a.undef, &args[1].undef) }
        }
        PrimOp::Cmp(op, signed) => Word::of_flag(compare(circuit, op, signed, a, args[1])),
        PrimOp::Bin(op, ty) => binary(circuit, op, ty, a, args[1]),
    }
}

fn binary(circuit: &mut Circuit, op: BinOp, ty: IntTy, a: &Word, b: &Word) -> Word {
    let word = match op {
        BinOp::Add => Word::of_bits(add(circuit, &a.bits, &b.bits, ty.bits, false)),
        BinOp::Sub => Word::of_bits(add(circuit, &a.bits, &b.bits, ty.bits, true)),
        BinOp::Mul => Word::of_bits(multiply(circuit, &a.bits, &b.bits, ty.bits)),
        BinOp::Div | BinOp::Rem => Word::of_bits(divide(circuit, op, ty, &a.bits, &b.bits)),
        BinOp::Shl | BinOp::Shr => shift(circuit, op, ty, a, b),
        BinOp::And | BinOp::Or | BinOp::Xor => bitwise(circuit, op, a, b),
    };
    word.wrap(ty)
}

fn bitwise(circuit: &mut Circuit, op: BinOp, a: &Word, b: &Word) -> Word {
    let mut word = Word::constant(Value::ZERO);
    for i in 0..64 {
        let (x, y, u, v) = (a.bits[i], b.bits[i], a.undef[i], b.undef[i]);
        let either = circuit.or(u, v);
        let (bit, open) = match op {
            BinOp::And => {
                let (p, q) = (circuit.or(x, u), circuit.or(y, v));
                (circuit.and(x, y), circuit.and(p, q))
            }
            BinOp::Or => {
                let (p, q) = (circuit.or(!x, u), circuit.or(!y, v));
                (circuit.or(x, y), circuit.and(p, q))
            }
            _ => (circuit.xor(x, y), Lit::TRUE),
        };
        word.undef[i] = circuit.and(either, open);
        word.bits[i] = circuit.and(bit, !word.undef[i]);
    }
    word
}

/// Sum, or difference, of the low bits.
fn add(circuit: &mut Circuit, a: &[Lit; 64], b: &[Lit; 64], width: u8, subtract: bool) -> [Lit; 64] {
    let mut carry = Lit::constant(subtract);
    let mut sum = [Lit::FALSE; 64];
    for i in 0..width as usize {
        let (x, y) = (a[i], if subtract { !b[i] } else { b[i] });
        let half = circuit.xor(x, y);
        sum[i] = circuit.xor(half, carry);
        let both = circuit.and(x, y);
        let through = circuit.and(half, carry);
        carry = circuit.or(both, through);
    }
    sum
}

fn multiply(circuit: &mut Circuit, a: &[Lit; 64], b: &[Lit; 64], width: u8) -> [Lit; 64] {
    // Fewer rows where the other factor has more constant zeros.
    let weight = |lits: &[Lit; 64]| lits.iter().filter(|lit| **lit != Lit::FALSE).count();
    let (rows, line) = if weight(a) <= weight(b) { (a, b) } else { (b, a) };
    let mut sum = [Lit::FALSE; 64];
    for (i, &row) in rows.iter().enumerate().take(width as usize) {
        if row == Lit::FALSE {
            continue;
        }
        let mut partial = [Lit::FALSE; 64];
        for j in i..width as usize {
            partial[j] = circuit.and(row, line[j - i]);
        }
        sum = add(circuit, &sum, &partial, width, false);
    }
    sum
}

/// Quotient or remainder, by long division of the absolute values.
fn divide(circuit: &mut Circuit, op: BinOp, ty: IntTy, a: &[Lit; 64], b: &[Lit; 64]) -> [Lit; 64] {
    let width = ty.bits as usize;
    let sign = |bits: &[Lit; 64]| if ty.signed { bits[width - 1] } else { Lit::FALSE };
    let (sign_a, sign_b) = (sign(a), sign(b));
    let negate_if = |circuit: &mut Circuit, test: Lit, bits: &[Lit; 64]| {
        let negated = add(circuit, &[Lit::FALSE; 64], bits, ty.bits, true);
        std::array::from_fn(|i| circuit.ite(test, negated[i], bits[i]))
    };
    let dividend: [Lit; 64] = negate_if(circuit, sign_a, a);
    let divisor: [Lit; 64] = negate_if(circuit, sign_b, b);
    let mut quotient = [Lit::FALSE; 64];
    let mut rest = [Lit::FALSE; 64];
    for i in (0..width).rev() {
        let carried = rest[width - 1];
        let shifted: [Lit; 64] = std::array::from_fn(|j| match j {
            0 => dividend[i],
            j if j < width => rest[j - 1],
            _ => Lit::FALSE,
        });
        let smaller = less(circuit, &shifted, &divisor, width);
        let fits = circuit.or(carried, !smaller);
        let difference = add(circuit, &shifted, &divisor, ty.bits, true);
        rest = std::array::from_fn(|j| circuit.ite(fits, difference[j], shifted[j]));
        quotient[i] = fits;
    }
    match op {
        BinOp::Div => {
            let sign = circuit.xor(sign_a, sign_b);
            negate_if(circuit, sign, &quotient)
        }
        _ => negate_if(circuit, sign_a, &rest),
    }
}

/// Whether the low bits of `a` are less than those of `b`, unsigned.
fn less(circuit: &mut Circuit, a: &[Lit; 64], b: &[Lit; 64], width: usize) -> Lit {
    let mut result = Lit::FALSE;
    for i in 0..width {
        let differ = circuit.xor(a[i], b[i]);
        result = circuit.ite(differ, b[i], result);
    }
    result
}

fn compare(circuit: &mut Circuit, op: CmpOp, signed: bool, a: &Word, b: &Word) -> Lit {
    match op {
        CmpOp::Eq => equal(circuit, &a.bits, &b.bits),
        CmpOp::Ne => !equal(circuit, &a.bits, &b.bits),
        CmpOp::Le => !compare(circuit, CmpOp::Lt, signed, b, a),
        CmpOp::Lt => {
            let (mut x, mut y) = (a.bits, b.bits);
            if signed {
                (x[63], y[63]) = (!x[63], !y[63]);
            }
            less(circuit, &x, &y, 64)
        }
    }
}

fn equal(circuit: &mut Circuit, a: &[Lit; 64], b: &[Lit; 64]) -> Lit {
    let same: Vec<Lit> = (0..64).map(|i| circuit.iff(a[i], b[i])).collect();
    circuit.and_all(&same)
}

/// A barrel shifter; counts beyond the width are faults.
fn shift(circuit: &mut Circuit, op: BinOp, ty: IntTy, a: &Word, count: &Word) -> Word {
    let left = op == BinOp::Shl;
    let mut word = a.clone();
    for stage in 0..6 {
        let (test, by) = (count.bits[stage], 1usize << stage);
        if test == Lit::FALSE {
            continue;
        }
        let moved = |lits: &[Lit; 64]| -> [Lit; 64] {
            let fill = if !left && ty.signed { lits[63] } else { Lit::FALSE };
            std::array::from_fn(|i| {
                let from = if left { i.checked_sub(by) } else { Some(i + by).filter(|from| *from < 64) };
                from.map_or(fill, |from| lits[from])
            })
        };
        let shifted = Word { bits: moved(&word.bits), undef: moved(&word.undef) };
        word = Word::select(circuit, test, &shifted, &word);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer, Cadical, OrderEncoding};
    use fencepost_harness::budget::Budget;

    /// Every operation on a spread of values, against its concrete meaning: once on constants, which must
    /// fold, and once on variables that the solver sets.
    #[test]
    fn gates_compute_what_eval_says() {
        let samples = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x1234, u64::MAX, u64::MAX - 6, 1 << 31, 1 << 63];
        let values: Vec<Value> = samples.iter().map(|&bits| Value::new(bits)).collect();
        let mut constants = circuit();
        let undefined = [Value::UNDEFINED, Value::partial(5, 0xf0), Value::partial(0xff00, 0xff)];
        for ty in [IntTy::U8, IntTy::signed(8), IntTy::I32, IntTy::U64, IntTy::I64] {
            let bin = [
                BinOp::Add,
                BinOp::Sub,
                BinOp::Mul,
                BinOp::Div,
                BinOp::Rem,
                BinOp::And,
                BinOp::Or,
                BinOp::Xor,
                BinOp::Shl,
                BinOp::Shr,
            ];
            let mut ops: Vec<PrimOp> = bin.iter().map(|op| PrimOp::Bin(*op, ty)).collect();
            ops.extend([PrimOp::Copy, PrimOp::Neg(ty), PrimOp::BitNot(ty), PrimOp::Convert(ty)]);
            ops.extend([PrimOp::Not, PrimOp::Truth, PrimOp::Extract { low: 3, ty: IntTy::signed(5) }]);
            ops.push(PrimOp::Insert { low: 4, bits: 4 });
            for signed in [false, true] {
                ops.extend([CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le].map(|op| PrimOp::Cmp(op, signed)));
            }
            for op in ops {
                for &a in values.iter().chain(&undefined) {
                    for &b in values.iter().chain(&undefined) {
                        let args: Vec<Value> =
                            [a, b].iter().take(op.arity()).map(|value| value.wrap(ty)).collect();
                        check_constant(&mut constants, op, &args);
                    }
                }
                check_solved(op, ty, &values);
            }
        }
    }

    fn circuit() -> Circuit {
        Circuit::new(Box::new(Cadical::new(OrderEncoding::Lazy, Budget::default())))
    }

    fn check_constant(circuit: &mut Circuit, op: PrimOp, args: &[Value]) {
        let Ok(expected) = op.eval(args) else { return };
        let words: Vec<Word> = args.iter().map(|value| Word::constant(*value)).collect();
        let word = apply(circuit, op, &words.iter().collect::<Vec<_>>());
        assert_eq!(word.as_constant(), Some(expected), "{op} {args:?}");
    }

    fn check_solved(op: PrimOp, ty: IntTy, values: &[Value]) {
        let mut circuit = circuit();
        let range = Range::Wide(Wide::of(ty));
        let words = [Word::fresh(&mut circuit, &range), Word::fresh(&mut circuit, &range)];
        let args: Vec<&Word> = words.iter().take(op.arity()).collect();
        let result = apply(&mut circuit, op, &args);
        for (i, &a) in values.iter().enumerate() {
            let b = values[(i * 5 + 3) % values.len()];
            let concrete: Vec<Value> = [a, b].iter().take(op.arity()).map(|value| value.wrap(ty)).collect();
            let Ok(expected) = op.eval(&concrete) else { continue };
            let mut assumptions = Vec::new();
            for (word, value) in args.iter().zip(&concrete) {
                assumptions.push(word.is(&mut circuit, *value));
            }
            let right = result.is(&mut circuit, expected);
            assumptions.push(!right);
            assert_eq!(circuit.solver.solve_within(&assumptions, None), Answer::Unsat, "{op} {concrete:?}");
            assumptions.pop();
            assert_eq!(circuit.solver.solve_within(&assumptions, None), Answer::Sat, "{op} {concrete:?}");
        }
    }

    #[test]
    fn equal_columns_share_a_variable() {
        let mut circuit = circuit();
        let range = Range::of([0, 0x2000_0000, 0x2000_0040].map(Value::new));
        let before = circuit.variables;
        let word = Word::fresh(&mut circuit, &range);
        assert_eq!(circuit.variables - before, 2);
        assert_eq!(word.undef[3], Lit::FALSE);
        let range = Range::of([Value::new(1), Value::UNDEFINED]);
        let word = Word::fresh(&mut circuit, &range);
        assert_eq!(word.bits[0], !word.undef[63]);
    }
}

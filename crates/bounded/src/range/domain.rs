//! Ranges: what a value may be. Small sets exactly; larger ones by what is known of each bit.
//!
//! Each value of a set carries how many value-creating operations it has been through. In an execution
//! without circular value dependencies no operation of the unrolled program is passed twice, so a value
//! that has been through more than there are cannot occur and is dropped: this makes sets grow no further
//! than executions do (CheckFence, Section 3.4).

use fencepost_lsl::op::{BinOp, PrimOp};
use fencepost_lsl::value::{IntTy, Value};

/// Larger sets become [`Wide`].
const MAX_SET: usize = 128;
/// Larger products are not enumerated.
const MAX_PRODUCT: usize = 4096;

/// What may be the case for each bit of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wide {
    /// Bits that may be zero.
    pub zero: u64,
    /// Bits that may be one.
    pub one: u64,
    /// Bits that may be undefined.
    pub undef: u64,
}

impl Wide {
    /// Any value of a type, all bits of it defined.
    pub(crate) fn of(ty: IntTy) -> Wide {
        let one = if ty.signed { u64::MAX } else { ty.mask() };
        Wide { zero: u64::MAX, one, undef: 0 }
    }

    fn single(value: Value) -> Wide {
        let defined = !value.undef();
        Wide { zero: !value.bits() & defined, one: value.bits(), undef: value.undef() }
    }

    fn join(self, other: Wide) -> Wide {
        Wide { zero: self.zero | other.zero, one: self.one | other.one, undef: self.undef | other.undef }
    }

    /// Whether a value fits.
    pub(crate) fn admits(self, value: Value) -> bool {
        let defined = !value.undef();
        value.undef() & !self.undef == 0
            && value.bits() & !self.one == 0
            && !value.bits() & defined & !self.zero == 0
    }

    fn map(self, f: impl Fn(u64) -> u64) -> Wide {
        Wide { zero: f(self.zero), one: f(self.one), undef: f(self.undef) }
    }
}

/// What a value may be.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Range {
    /// One of these, sorted, each with the number of operations it has been through.
    Set(Vec<(Value, u32)>),
    /// Any word that fits.
    Wide(Wide),
}

impl Default for Range {
    fn default() -> Range {
        Range::Set(Vec::new())
    }
}

impl Range {
    /// Just one value.
    pub(crate) fn single(value: Value) -> Range {
        Range::Set(vec![(value, 0)])
    }

    /// Any of these.
    pub(crate) fn of(values: impl IntoIterator<Item = Value>) -> Range {
        collect(values.into_iter().map(|value| (value, 0)).collect())
    }

    /// Whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Range::Set(values) if values.is_empty())
    }

    /// The values, if they are a set.
    pub(crate) fn values(&self) -> Option<impl Iterator<Item = Value> + '_> {
        match self {
            Range::Set(values) => Some(values.iter().map(|(value, _)| *value)),
            Range::Wide(_) => None,
        }
    }

    /// Whether a value is possible.
    pub(crate) fn admits(&self, value: Value) -> bool {
        match self {
            Range::Set(values) => values.binary_search_by_key(&value, |(value, _)| *value).is_ok(),
            Range::Wide(wide) => wide.admits(value),
        }
    }

    /// What is known of each bit.
    pub(crate) fn wide(&self) -> Wide {
        match self {
            Range::Set(values) => values
                .iter()
                .map(|(value, _)| Wide::single(*value))
                .reduce(Wide::join)
                .unwrap_or(Wide { zero: 0, one: 0, undef: 0 }),
            Range::Wide(wide) => *wide,
        }
    }

    /// Adds what `other` may be; says whether that changed anything.
    pub(crate) fn join(&mut self, other: &Range) -> bool {
        let joined = match (&*self, other) {
            (_, Range::Set(more)) if more.is_empty() => return false,
            (Range::Set(mine), Range::Set(more)) => {
                let mut all = mine.clone();
                all.extend(more);
                collect(all)
            }
            _ => Range::Wide(self.wide().join(other.wide())),
        };
        let changed = joined != *self;
        *self = joined;
        changed
    }

    /// The values after an operation that creates values, dropping those that have been through more than
    /// `limit` of them.
    pub(crate) fn deepen(self, limit: u32) -> Range {
        match self {
            Range::Set(values) => Range::Set(
                values.into_iter().map(|(v, depth)| (v, depth + 1)).filter(|v| v.1 <= limit).collect(),
            ),
            wide => wide,
        }
    }
}

/// A set from values in any order; equal values keep the least depth.
fn collect(mut values: Vec<(Value, u32)>) -> Range {
    values.sort();
    values.dedup_by_key(|(value, _)| *value);
    let range = Range::Set(values);
    match &range {
        Range::Set(values) if values.len() > MAX_SET => Range::Wide(range.wide()),
        _ => range,
    }
}

/// Whether an operation can make ever new values when its result comes back to it.
pub(crate) fn creates(op: PrimOp) -> bool {
    matches!(
        op,
        PrimOp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Or | BinOp::Xor | BinOp::Shl, _)
            | PrimOp::Neg(_)
            | PrimOp::BitNot(_)
            | PrimOp::Insert { .. }
    )
}

/// What an operation may yield. Faults yield nothing.
pub(crate) fn apply(op: PrimOp, args: &[&Range]) -> Range {
    if args.iter().any(|arg| arg.is_empty()) {
        return Range::default();
    }
    let product: usize = args
        .iter()
        .map(|arg| if let Range::Set(set) = arg { set.len() } else { usize::MAX })
        .fold(1, usize::saturating_mul);
    if product <= MAX_PRODUCT {
        let mut values = Vec::with_capacity(product);
        let set = |arg: &Range| if let Range::Set(set) = arg { set.clone() } else { Vec::new() };
        for (a, depth) in set(args[0]) {
            match args.get(1) {
                None => values.extend(op.eval(&[a]).ok().map(|value| (value, depth))),
                Some(second) => {
                    for (b, other) in set(second) {
                        values.extend(op.eval(&[a, b]).ok().map(|value| (value, depth.max(other))));
                    }
                }
            }
        }
        collect(values)
    } else {
        apply_wide(op, args)
    }
}

fn apply_wide(op: PrimOp, args: &[&Range]) -> Range {
    let a = args[0].wide();
    let b = args.get(1).map_or(a, |arg| arg.wide());
    let known_zeros = |wide: Wide| (wide.one | wide.undef).trailing_zeros();
    Range::Wide(match op {
        PrimOp::Copy => a,
        PrimOp::Cmp(..) | PrimOp::Not | PrimOp::Truth => {
            return Range::of([Value::ZERO, Value::ONE]);
        }
        PrimOp::Convert(ty) => a.wrap(ty),
        PrimOp::Extract { low, ty } => {
            let part = a.map(|bits| bits >> low);
            Wide { zero: part.zero | !(u64::MAX >> low), ..part }.wrap(ty)
        }
        PrimOp::Insert { low, bits } => {
            let mask = IntTy::unsigned(bits).mask();
            let put = |word: u64, part: u64| word & !(mask << low) | (part & mask) << low;
            Wide { zero: put(a.zero, b.zero), one: put(a.one, b.one), undef: put(a.undef, b.undef) }
        }
        PrimOp::BitNot(ty) => Wide { zero: a.one, one: a.zero, undef: a.undef }.wrap(ty),
        PrimOp::Bin(BinOp::And, ty) => Wide {
            zero: a.zero | b.zero,
            one: a.one & b.one,
            undef: (a.undef | b.undef) & may_matter(a, b, true),
        }
        .wrap(ty),
        PrimOp::Bin(BinOp::Or, ty) => Wide {
            zero: a.zero & b.zero,
            one: a.one | b.one,
            undef: (a.undef | b.undef) & may_matter(a, b, false),
        }
        .wrap(ty),
        PrimOp::Bin(BinOp::Xor, ty) => Wide {
            zero: a.zero & b.zero | a.one & b.one,
            one: a.zero & b.one | a.one & b.zero,
            undef: a.undef | b.undef,
        }
        .wrap(ty),
        PrimOp::Bin(op, ty) => {
            // Sums and products of multiples of a power of two are multiples of it.
            let zeros = match op {
                BinOp::Add | BinOp::Sub => known_zeros(a).min(known_zeros(b)),
                BinOp::Mul => known_zeros(a).max(known_zeros(b)),
                _ => 0,
            };
            let undef = if matches!(op, BinOp::Shl | BinOp::Shr) { a.undef } else { 0 };
            let any = Wide::of(ty);
            let undef = if undef == 0 { 0 } else { any.one };
            let high = u64::MAX.checked_shl(zeros).unwrap_or(0);
            // So are low bits of sums that are known of both: what lies at some offset from an address keeps it.
            let low = match op {
                BinOp::Add | BinOp::Sub => (a.known() & b.known()).trailing_ones().min(ty.bits as u32),
                _ => 0,
            };
            let mask = if low == 64 { u64::MAX } else { (1 << low) - 1 };
            let sum = if op == BinOp::Add { a.one.wrapping_add(b.one) } else { a.one.wrapping_sub(b.one) };
            Wide {
                zero: any.zero & !mask | !sum & mask,
                one: any.one & high & !mask | sum & mask,
                undef: undef & !mask,
            }
        }
        PrimOp::Neg(ty) => Wide::of(ty),
    })
}

/// Bits of the two sides of `&` (or `|`) that a known zero (or one) does not decide.
fn may_matter(a: Wide, b: Wide, and: bool) -> u64 {
    let open = |wide: Wide| if and { wide.one | wide.undef } else { wide.zero | wide.undef };
    open(a) & open(b)
}

impl Wide {
    /// The bits that can be one thing only, and are defined.
    pub(super) fn known(self) -> u64 {
        (self.zero ^ self.one) & !self.undef
    }

    /// Cut to a type, and extended as it says.
    fn wrap(self, ty: IntTy) -> Wide {
        let cut = self.map(|bits| ty.wrap(bits));
        if ty.signed { cut } else { Wide { zero: cut.zero | !ty.mask(), ..cut } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[u64]) -> Range {
        Range::of(values.iter().map(|&bits| Value::new(bits)))
    }

    #[test]
    fn operations_on_sets_are_exact() {
        let sum = apply(PrimOp::Bin(BinOp::Add, IntTy::U64), &[&set(&[0, 8]), &set(&[1, 2])]);
        let values: Vec<u64> = sum.values().unwrap().map(Value::bits).collect();
        assert_eq!(values, [1, 2, 9, 10]);
    }

    #[test]
    fn depth_limits_growth() {
        let mut counter = set(&[0]);
        loop {
            let next = apply(PrimOp::Bin(BinOp::Add, IntTy::U32), &[&counter, &set(&[1])]).deepen(3);
            if !counter.join(&next) {
                break;
            }
        }
        assert_eq!(counter.values().unwrap().map(Value::bits).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn sums_keep_low_bits() {
        let base = apply(PrimOp::Bin(BinOp::Add, IntTy::U64), &[&set(&[4, 0x14]), &set(&[0x100, 0x108])]);
        let steps = Range::Wide(Wide { one: 0xff8, ..Wide::of(IntTy::U64) });
        let sum = apply(PrimOp::Bin(BinOp::Add, IntTy::U64), &[&base, &steps]).wide();
        assert!(sum.admits(Value::new(0x10c)) && !sum.admits(Value::new(0x108)));
        assert!(!sum.admits(Value::new(0x10e)));
    }

    #[test]
    fn wide_covers_sets() {
        // Whatever an operation yields on members of two sets fits the wide result for those sets.
        let sets = [
            set(&[0, 3, 0x80, 0xff]),
            set(&[1, 5, 7]),
            set(&[0x104, 0x10c, 0x114]),
            Range::of([Value::UNDEFINED, Value::ONE]),
        ];
        let ty = [IntTy::U8, IntTy::signed(8), IntTy::I32, IntTy::U64];
        for ty in ty {
            let ops = [
                BinOp::Add,
                BinOp::Sub,
                BinOp::Mul,
                BinOp::And,
                BinOp::Or,
                BinOp::Xor,
                BinOp::Shl,
                BinOp::Shr,
            ];
            let ops = ops.map(|op| PrimOp::Bin(op, ty));
            let unary =
                [PrimOp::Convert(ty), PrimOp::Extract { low: 3, ty }, PrimOp::BitNot(ty), PrimOp::Neg(ty)];
            for op in ops.into_iter().chain(unary).chain([PrimOp::Insert { low: 2, bits: 3 }, PrimOp::Truth])
            {
                for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
                    let args: Vec<&Range> = [a, b].into_iter().take(op.arity()).collect();
                    let wide = apply_wide(op, &args);
                    for value in apply(op, &args).values().unwrap() {
                        assert!(wide.admits(value), "{op} {a:?} {b:?} {value} {wide:?}");
                    }
                }
            }
        }
    }
}

//! Atomic operations: GCC's `__atomic_*` and `__sync_*`, our own compare-and-swaps, and C11's `_Atomic`.
//!
//! A read-modify-write is an atomic block of plain loads and stores. The conditional store of a
//! compare-and-swap is predicated: in hardware it is no branch, so it makes no control dependency.

use super::place::Place;
use super::{Data, Lowerer, Value};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{QualType, TypeId};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, StmtKind};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::IntTy;

/// A weak compare-and-swap is made as if it were a strong one.
const SPURIOUS_FAILURES: &str = "spurious failures of weak compare-and-swap";

/// What is accessed atomically: an object at an address.
#[derive(Clone, Copy)]
struct Object {
    addr: Operand,
    ty: TypeId,
}

impl<'u> Lowerer<'u> {
    /// The call of an atomic operation; none if `name` is not the name of one.
    pub(super) fn atomic_builtin(&mut self, name: &str, arguments: &'u [Expr], span: Span) -> Option<Value> {
        let wanted = arity(name)?;
        if arguments.len() < wanted {
            self.error(span, format!("expected {wanted} arguments, found {}", arguments.len()));
            return Some(self.poison());
        }
        let value = self.atomic_call(name, arguments, span);
        Some(value.unwrap_or_else(|| self.poison()))
    }

    /// Makes the code of an atomic operation; none after an error.
    fn atomic_call(&mut self, name: &str, arguments: &'u [Expr], span: Span) -> Option<Value> {
        let void = Value { ty: self.types.void(), data: Data::Nothing };
        let int = self.types.int();
        if let Some((op, old)) = fetch_operation(name) {
            // GCC's builtins move pointers by bytes, C11's functions by elements.
            let scaled = name.starts_with("__fencepost_");
            return Some(self.fetch(op, old, scaled, arguments, name.starts_with("__sync"), span));
        }
        Some(match name {
            "__atomic_thread_fence" => {
                let order = self.memory_order(&arguments[0]);
                if order != Order::Relaxed {
                    self.builder.emit(StmtKind::Fence(Fence::of_order(order)), span);
                }
                void
            }
            "__sync_synchronize" => {
                self.full_barrier(span);
                void
            }
            "__atomic_signal_fence" => void,
            "__atomic_always_lock_free" | "__atomic_is_lock_free" => {
                let size = self.rvalue(&arguments[0]);
                self.discard(&arguments[1]);
                self.is_lock_free(size, span)
            }
            "__atomic_load_n" => {
                let object = self.object(&arguments[0])?;
                let order = self.memory_order(&arguments[1]);
                self.atomic_load(object, order, span)
            }
            "__atomic_load" => {
                let (object, to) = (self.object(&arguments[0])?, self.object(&arguments[1])?);
                let order = self.memory_order(&arguments[2]);
                let value = self.atomic_load(object, order, span);
                self.write(memory_place(to), value, span);
                void
            }
            "__fencepost_init" => {
                let object = self.object(&arguments[0])?;
                let value = self.rvalue(&arguments[1]);
                self.write(memory_place(object), value, span);
                void
            }
            "__atomic_store_n" | "__atomic_store" => {
                let object = self.object(&arguments[0])?;
                let value = self.new_value(name.ends_with("_n"), object, &arguments[1]);
                let order = self.memory_order(&arguments[2]);
                self.atomic_store(object, value, order, span);
                void
            }
            "__atomic_exchange_n" => {
                let object = self.object(&arguments[0])?;
                let value = self.new_value(true, object, &arguments[1]);
                let order = self.memory_order(&arguments[2]);
                self.exchange(object, value, order, span)
            }
            "__atomic_exchange" => {
                let object = self.object(&arguments[0])?;
                let value = self.new_value(false, object, &arguments[1]);
                let to = self.object(&arguments[2])?;
                let order = self.memory_order(&arguments[3]);
                let old = self.exchange(object, value, order, span);
                self.write(memory_place(to), old, span);
                void
            }
            "__atomic_compare_exchange_n" | "__atomic_compare_exchange" => {
                self.compare_exchange(name.ends_with("_n"), arguments, span)
            }
            "__atomic_test_and_set" => {
                let object = self.byte(&arguments[0])?;
                let order = self.memory_order(&arguments[1]);
                let one = Value::word(object.ty, 1);
                let old = self.exchange(object, one, order, span);
                let bool = self.types.bool();
                self.convert(old, bool, span)
            }
            "__atomic_clear" => {
                let object = self.byte(&arguments[0])?;
                let order = self.memory_order(&arguments[1]);
                self.atomic_store(object, Value::word(object.ty, 0), order, span);
                void
            }
            "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap" => {
                let object = self.object(&arguments[0])?;
                let expected = self.new_value(true, object, &arguments[1]);
                let desired = self.new_value(true, object, &arguments[2]);
                let orders = (Order::SeqCst, Order::SeqCst);
                self.full_barrier(span);
                let (old, same) = self.compare_and_swap(object, expected, desired, orders, span);
                self.full_barrier(span);
                match name {
                    "__sync_bool_compare_and_swap" => Value::word(self.types.bool(), same),
                    _ => old,
                }
            }
            "__sync_lock_test_and_set" => {
                let object = self.object(&arguments[0])?;
                let value = self.new_value(true, object, &arguments[1]);
                self.exchange(object, value, Order::Acquire, span)
            }
            "__sync_lock_release" => {
                let object = self.object(&arguments[0])?;
                self.atomic_store(object, Value::word(object.ty, 0), Order::Release, span);
                void
            }
            "__fencepost_cas" => {
                let object = self.object(&arguments[0])?;
                let expected = self.new_value(true, object, &arguments[1]);
                let desired = self.new_value(true, object, &arguments[2]);
                let orders = (Order::Relaxed, Order::Relaxed);
                let (_, same) = self.compare_and_swap(object, expected, desired, orders, span);
                Value::word(int, same)
            }
            "__fencepost_dcas" => self.double_compare_and_swap(arguments, span)?,
            _ => return None,
        })
    }

    /// The object that a pointer argument points to.
    fn object(&mut self, pointer: &'u Expr) -> Option<Object> {
        let value = self.rvalue(pointer);
        match self.types.pointee(value.ty) {
            Some(to)
                if self
                    .types
                    .size(to.id)
                    .is_some_and(|size| self.types.word(to.id).is_some() || size == 16) =>
            {
                Some(Object { addr: self.operand(value, pointer.span), ty: to.id })
            }
            _ if self.types.is_error(value.ty) => None,
            _ => {
                let shown = self.types.show(value.ty);
                self.error(
                    pointer.span,
                    format!("expected a pointer to something of 1, 2, 4, 8 or 16 bytes, found `{shown}`"),
                );
                None
            }
        }
    }

    /// Whether objects of a size are accessed without locks, as GCC says for a 64-bit machine without further options: those
    /// of 16 bytes are not.
    fn is_lock_free(&mut self, size: Value, span: Span) -> Value {
        let size_t = self.types.unsigned_long();
        let size = self.convert(size, size_t, span);
        let size = self.operand(size, span);
        let mut free: Operand = 0.into();
        for known in [1, 2, 4, 8] {
            let same = self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[size, known.into()], span);
            free = self.builder.op(PrimOp::Bin(BinOp::Or, IntTy::U64), &[free, same], span);
        }
        Value::word(self.types.bool(), free)
    }

    /// The byte that a pointer of any type points to.
    fn byte(&mut self, pointer: &'u Expr) -> Option<Object> {
        let value = self.rvalue(pointer);
        let addr = self.operand(value, pointer.span);
        Some(Object { addr, ty: self.types.unsigned_char() })
    }

    /// A memory order, which must be a constant.
    fn memory_order(&mut self, argument: &'u Expr) -> Order {
        let known = self.try_constant(argument).map(|constant| constant.bits & 0xffff);
        match known {
            Some(0) => Order::Relaxed,
            Some(1 | 2) => Order::Acquire,
            Some(3) => Order::Release,
            Some(4) => Order::AcqRel,
            Some(5) => Order::SeqCst,
            _ => {
                self.unsupported(
                    argument.span,
                    "a memory order that is no constant",
                    "orders decide what is explored",
                );
                Order::SeqCst
            }
        }
    }

    /// A new value for an object: given itself, or by a pointer to it.
    fn new_value(&mut self, direct: bool, object: Object, argument: &'u Expr) -> Value {
        let value = self.rvalue(argument);
        self.given_value(direct, object, value, argument.span)
    }

    /// As [`Self::new_value`], of an argument that was evaluated.
    fn given_value(&mut self, direct: bool, object: Object, value: Value, span: Span) -> Value {
        if direct {
            return self.convert(value, object.ty, span);
        }
        match self.deref(value, span, span) {
            Some(place) => {
                let value = self.read(place, span);
                self.convert(value, object.ty, span)
            }
            None => self.poison(),
        }
    }

    /// Loads an object, inside of an atomic block if it is larger than a word.
    fn load_words(&mut self, object: Object, order: Order, span: Span) -> Vec<Operand> {
        self.load_words_or_fail(object, (order, None), span)
    }

    fn load_words_or_fail(
        &mut self,
        object: Object,
        orders: (Order, Option<Order>),
        span: Span,
    ) -> Vec<Operand> {
        match self.types.word(object.ty) {
            Some(ty) => vec![self.builder.load_or_fail(object.addr, ty, orders, span)],
            None => {
                let words = self.whole_words(object.ty);
                let mut loaded = Vec::new();
                for (offset, ty) in words {
                    let at = self.offset(object.addr, offset, span);
                    loaded.push(self.builder.load_or_fail(at, ty, orders, span));
                }
                loaded
            }
        }
    }

    fn store_words(&mut self, object: Object, words: &[Operand], order: Order, span: Span) {
        match self.types.word(object.ty) {
            Some(ty) => self.builder.store(object.addr, words[0], ty, order, span),
            None => {
                for (i, word) in words.iter().enumerate() {
                    let at = self.offset(object.addr, 8 * i as u64, span);
                    self.builder.store(at, *word, IntTy::U64, order, span);
                }
            }
        }
    }

    /// The words of a value that is not shared.
    fn words_of(&mut self, value: Value, span: Span) -> Vec<Operand> {
        match value.data {
            Data::Word(word) => vec![word],
            Data::Object(addr) => self.load_words(Object { addr, ty: value.ty }, Order::Plain, span),
            Data::Nothing => vec![0.into(), 0.into()],
        }
    }

    /// A value made of words.
    fn value_of(&mut self, words: &[Operand], ty: TypeId, span: Span) -> Value {
        if self.types.word(ty).is_some() {
            return Value::word(ty, words[0]);
        }
        let addr = self.temporary(ty.into(), span);
        self.store_words(Object { addr, ty }, words, Order::Plain, span);
        Value { ty, data: Data::Object(addr) }
    }

    fn atomic_load(&mut self, object: Object, order: Order, span: Span) -> Value {
        let single = self.types.word(object.ty).is_some();
        if !single {
            self.builder.open();
        }
        let words = self.load_words(object, order, span);
        if !single {
            let body = self.builder.close();
            self.builder.emit(StmtKind::Atomic(body), span);
        }
        self.value_of(&words, object.ty, span)
    }

    fn atomic_store(&mut self, object: Object, value: Value, order: Order, span: Span) {
        let words = self.words_of(value, span);
        if self.types.word(object.ty).is_some() {
            return self.store_words(object, &words, order, span);
        }
        self.builder.open();
        self.store_words(object, &words, order, span);
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
    }

    fn exchange(&mut self, object: Object, value: Value, order: Order, span: Span) -> Value {
        let words = self.words_of(value, span);
        let (load, store) = split(order);
        self.builder.open();
        let old = self.load_words(object, load, span);
        self.store_words(object, &words, store, span);
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
        self.value_of(&old, object.ty, span)
    }

    /// Reads, computes and writes at once; returns the old and the new value.
    fn modify(
        &mut self,
        object: Object,
        order: Order,
        span: Span,
        compute: impl FnOnce(&mut Self, Value) -> Value,
    ) -> (Value, Value) {
        let (load, store) = split(order);
        self.builder.open();
        let old = self.load_words(object, load, span);
        let old = self.value_of(&old, object.ty, span);
        let new = compute(self, old);
        let new = self.convert(new, object.ty, span);
        let words = self.words_of(new, span);
        if self.types.word(object.ty).is_some() || words.len() == 2 {
            self.store_words(object, &words, store, span);
        }
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
        (old, new)
    }

    /// A compound assignment to an `_Atomic` object; returns the old and the new value.
    pub(super) fn modify_atomically(
        &mut self,
        addr: Operand,
        ty: QualType,
        op: BinaryOp,
        value: Value,
        span: Span,
    ) -> (Value, Value) {
        let object = Object { addr, ty: ty.id };
        self.modify(object, Order::SeqCst, span, |lowerer, old| lowerer.binary(op, old, value, span))
    }

    fn fetch(
        &mut self,
        op: FetchOp,
        old_wanted: bool,
        scaled: bool,
        arguments: &'u [Expr],
        sync: bool,
        span: Span,
    ) -> Value {
        let Some(object) = self.object(&arguments[0]) else { return self.poison() };
        if self.types.scalar(object.ty).is_none() && !self.is_wide(object.ty) {
            let shown = self.types.show(object.ty);
            self.error(arguments[0].span, format!("expected a pointer to a number, found one to `{shown}`"));
            return self.poison();
        }
        let operand = self.rvalue(&arguments[1]);
        let order = if sync { Order::SeqCst } else { self.memory_order(&arguments[2]) };
        let pointer = self.types.pointee(object.ty).is_some();
        if sync {
            self.full_barrier(span);
        }
        let (old, new) = self.modify(object, order, span, |lowerer, old| {
            if pointer && !scaled {
                // By bytes: as if it were an integer.
                let long = lowerer.types.unsigned_long();
                let old = Value { ty: long, ..old };
                return lowerer.combine(op, old, operand, span);
            }
            lowerer.combine(op, old, operand, span)
        });
        if sync {
            self.full_barrier(span);
        }
        if old_wanted { old } else { new }
    }

    /// What GCC documents `__sync_*` to be on both sides, whether or not a comparison fails.
    fn full_barrier(&mut self, span: Span) {
        self.builder.emit(StmtKind::Fence(Fence::FULL), span);
    }

    fn combine(&mut self, op: FetchOp, old: Value, operand: Value, span: Span) -> Value {
        match op {
            FetchOp::Binary(op) => self.binary(op, old, operand, span),
            FetchOp::Nand => {
                let both = self.binary(BinaryOp::BitAnd, old, operand, span);
                if self.is_wide(both.ty) {
                    return self.wide_not(both, span);
                }
                let ty = self.scalar(both.ty, span);
                let word = self.operand(both, span);
                Value::word(both.ty, self.builder.op(PrimOp::BitNot(ty), &[word], span))
            }
        }
    }

    /// Swaps if the object holds the expected value; returns what it held, and whether it did.
    fn compare_and_swap(
        &mut self,
        object: Object,
        expected: Value,
        desired: Value,
        orders: (Order, Order),
        span: Span,
    ) -> (Value, Operand) {
        let (expected, desired) = (self.words_of(expected, span), self.words_of(desired, span));
        let (success, failure) = orders;
        let (load, failing) = (split(success).0, split(failure).0);
        self.builder.open();
        let orders = (load, (failing != load).then_some(failing));
        let old = self.load_words_or_fail(object, orders, span);
        let same = self.equal_words(&old, &expected, span);
        let skip = self.builder.label();
        self.builder.open();
        self.skip_unless(skip, same, span);
        self.store_words(object, &desired, split(success).1, span);
        self.builder.close_block(skip, false, span);
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
        (self.value_of(&old, object.ty, span), same)
    }

    fn equal_words(&mut self, a: &[Operand], b: &[Operand], span: Span) -> Operand {
        if a.len() != b.len() {
            self.impossible(span, "values of different sizes are compared");
        }
        let mut same: Option<Operand> = None;
        for (&x, &y) in a.iter().zip(b) {
            let equal = self.builder.op(PrimOp::Cmp(CmpOp::Eq, false), &[x, y], span);
            same = Some(match same {
                None => equal,
                Some(same) => self.builder.op(PrimOp::Bin(BinOp::And, IntTy::U64), &[same, equal], span),
            });
        }
        same.unwrap_or(1.into())
    }

    /// Leaves a block unless a flag is set, without being a branch.
    fn skip_unless(&mut self, label: fencepost_lsl::program::Label, flag: Operand, span: Span) {
        let unset = self.builder.op(PrimOp::Not, &[flag], span);
        self.builder.emit(StmtKind::Break { label, when: Some(unset), predicated: true }, span);
    }

    /// `__atomic_compare_exchange[_n](object, expected, desired, weak, success, failure)`.
    fn compare_exchange(&mut self, direct: bool, arguments: &'u [Expr], span: Span) -> Value {
        let Some(object) = self.object(&arguments[0]) else { return self.poison() };
        // `&expected` is a place, not an address: the variable may stay in a register.
        let place = match &arguments[1].kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.place(inner),
            _ => {
                let pointer = self.rvalue(&arguments[1]);
                self.deref(pointer, arguments[1].span, arguments[1].span)
            }
        };
        let Some(place) = place else { return self.poison() };
        let desired = self.rvalue(&arguments[2]);
        match self.try_constant(&arguments[3]) {
            Some(weak) if weak.bits == 0 => {}
            Some(_) => self.caveat(SPURIOUS_FAILURES),
            None => {
                self.discard(&arguments[3]);
                self.caveat(SPURIOUS_FAILURES);
            }
        }
        let orders = (self.memory_order(&arguments[4]), self.memory_order(&arguments[5]));
        // All arguments are evaluated before what they point to is read: one may write there.
        let expected = self.read(place, arguments[1].span);
        let expected = self.convert(expected, object.ty, arguments[1].span);
        let desired = self.given_value(direct, object, desired, arguments[2].span);
        let (old, same) = self.compare_and_swap(object, expected, desired, orders, span);
        // What was found goes back to the caller, without a branch.
        let skip = self.builder.label();
        self.builder.open();
        let different = self.builder.op(PrimOp::Not, &[same], span);
        self.skip_unless(skip, different, span);
        self.write(place, old, span);
        self.builder.close_block(skip, false, span);
        Value::word(self.types.bool(), same)
    }

    /// `dcas(a, b, old_a, old_b, new_a, new_b)`.
    fn double_compare_and_swap(&mut self, arguments: &'u [Expr], span: Span) -> Option<Value> {
        let (a, b) = (self.object(&arguments[0])?, self.object(&arguments[1])?);
        let old_a = self.new_value(true, a, &arguments[2]);
        let old_b = self.new_value(true, b, &arguments[3]);
        let new_a = self.new_value(true, a, &arguments[4]);
        let new_b = self.new_value(true, b, &arguments[5]);
        let [old_a, old_b, new_a, new_b] =
            [old_a, old_b, new_a, new_b].map(|value| self.words_of(value, span));
        self.builder.open();
        let (found_a, found_b) =
            (self.load_words(a, Order::Plain, span), self.load_words(b, Order::Plain, span));
        let same = self.equal_words(&[found_a, found_b].concat(), &[old_a, old_b].concat(), span);
        let skip = self.builder.label();
        self.builder.open();
        self.skip_unless(skip, same, span);
        self.store_words(a, &new_a, Order::Plain, span);
        self.store_words(b, &new_b, Order::Plain, span);
        self.builder.close_block(skip, false, span);
        let body = self.builder.close();
        self.builder.emit(StmtKind::Atomic(body), span);
        Some(Value::word(self.types.int(), same))
    }
}

/// What a fetch operation computes.
#[derive(Clone, Copy)]
enum FetchOp {
    Binary(BinaryOp),
    Nand,
}

/// A place in memory without qualifiers: what is written to it is nobody else's.
fn memory_place(object: Object) -> Place {
    Place::memory(object.ty, object.addr)
}

/// The orders of the load and the store of a read-modify-write.
fn split(order: Order) -> (Order, Order) {
    match order {
        Order::Acquire => (Order::Acquire, Order::Relaxed),
        Order::Release => (Order::Relaxed, Order::Release),
        Order::AcqRel => (Order::Acquire, Order::Release),
        other => (other, other),
    }
}

/// The operation of a `fetch` builtin, and whether it returns the old value.
fn fetch_operation(name: &str) -> Option<(FetchOp, bool)> {
    let rest = name
        .strip_prefix("__atomic_")
        .or(name.strip_prefix("__fencepost_"))
        .or(name.strip_prefix("__sync_"))?;
    let (op, old) = if let Some(op) = rest.strip_prefix("fetch_and_").or(rest.strip_prefix("fetch_")) {
        (op, true)
    } else {
        (rest.strip_suffix("_and_fetch").or(rest.strip_suffix("_fetch"))?, false)
    };
    let op = match op {
        "add" => FetchOp::Binary(BinaryOp::Add),
        "sub" => FetchOp::Binary(BinaryOp::Subtract),
        "and" => FetchOp::Binary(BinaryOp::BitAnd),
        "or" => FetchOp::Binary(BinaryOp::BitOr),
        "xor" => FetchOp::Binary(BinaryOp::BitXor),
        "nand" => FetchOp::Nand,
        _ => return None,
    };
    Some((op, old))
}

/// How many arguments an atomic builtin needs; none if `name` is not the name of one.
fn arity(name: &str) -> Option<usize> {
    Some(match name {
        "__sync_synchronize" => 0,
        "__atomic_thread_fence" | "__atomic_signal_fence" | "__sync_lock_release" => 1,
        "__atomic_load_n"
        | "__atomic_test_and_set"
        | "__atomic_clear"
        | "__sync_lock_test_and_set"
        | "__atomic_always_lock_free"
        | "__atomic_is_lock_free"
        | "__fencepost_init" => 2,
        "__atomic_load"
        | "__atomic_store_n"
        | "__atomic_store"
        | "__atomic_exchange_n"
        | "__fencepost_cas"
        | "__sync_bool_compare_and_swap"
        | "__sync_val_compare_and_swap" => 3,
        "__atomic_exchange" => 4,
        "__atomic_compare_exchange_n" | "__atomic_compare_exchange" | "__fencepost_dcas" => 6,
        _ => {
            fetch_operation(name)?;
            if name.starts_with("__sync") { 2 } else { 3 }
        }
    })
}

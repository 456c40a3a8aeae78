//! Functions that the language, the compiler or we provide.
//!
//! Names that start with `__fencepost_` are for the model headers; users see them as `fence`, `assert`,
//! `malloc` and so on.

use super::typing::MAX_SIZE;
use super::{Data, Lowerer, Value};
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::types::{QualType, Type};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::fault::Fault;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Choice, Operand, Order, Place, StmtKind, address};
use fencepost_lsl::source::Span;
use fencepost_lsl::value::{self, IntTy};

impl<'u> Lowerer<'u> {
    /// The call of something built in; none if there is no such thing.
    pub(super) fn builtin(&mut self, name: &str, arguments: &'u [Expr], span: Span) -> Option<Value> {
        if let Some(value) = self.atomic_builtin(name, arguments, span) {
            return Some(value);
        }
        let void = Value { ty: self.types.void(), data: Data::Nothing };
        let wanted = match name {
            "__fencepost_abort" | "__fencepost_self" | "__builtin_unreachable" | "__builtin_trap" => 0,
            "__fencepost_fence"
            | "__fencepost_assume"
            | "__fencepost_caveat"
            | "__fencepost_any"
            | "__fencepost_zeroed"
            | "malloc"
            | "free"
            | "__builtin_constant_p"
            | "__fencepost_exit" => 1,
            "__fencepost_assert" | "__fencepost_misuse" | "calloc" | "aligned_alloc" | "__builtin_expect" => {
                2
            }
            "posix_memalign" | "memcpy" | "memmove" | "memset" | "__builtin_memcpy" | "__builtin_memset"
            | "__builtin_memmove" => 3,
            "__fencepost_choose" | "__fencepost_spawn" | "__builtin_prefetch" => arguments.len().max(1),
            _ => return None,
        };
        if arguments.len() != wanted {
            let s = if wanted == 1 { "" } else { "s" };
            self.error(span, format!("expected {wanted} argument{s}, found {}", arguments.len()));
            return Some(self.poison());
        }
        Some(match name {
            "__fencepost_fence" => self.fence(&arguments[0], span),
            "__fencepost_assume" => {
                let cond = self.truth(&arguments[0]);
                self.builder.emit(StmtKind::Assume { cond }, span);
                void
            }
            "__fencepost_caveat" => {
                match &arguments[0].kind {
                    ExprKind::String(text) => self.caveat(&String::from_utf8_lossy(&text.bytes)),
                    _ => self.error(span, "expected a string literal"),
                }
                void
            }
            "__fencepost_assert" | "__fencepost_misuse" => {
                let cond = self.truth(&arguments[0]);
                let text = match &arguments[1].kind {
                    ExprKind::String(text) => String::from_utf8_lossy(&text.bytes).into_owned(),
                    _ => {
                        self.error(span, "expected a string literal");
                        String::new()
                    }
                };
                let fault = match name {
                    "__fencepost_misuse" => Fault::Misuse(text),
                    _ => Fault::Assertion(text),
                };
                self.builder.emit(StmtKind::Assert { cond, fault }, span);
                void
            }
            "__fencepost_abort" | "__builtin_trap" => self.fail(Fault::Abort, span),
            "__builtin_unreachable" => self.fail(Fault::Unreachable, span),
            "__fencepost_exit" => {
                // Like one that `main` returns, a status is no error. The thread ends where it stands.
                self.discard(&arguments[0]);
                self.builder.emit(StmtKind::Assume { cond: 0.into() }, span);
                void
            }
            "__fencepost_choose" => self.choose(arguments, span),
            "__fencepost_any" => self.any(&arguments[0], span),
            "__fencepost_spawn" => self.spawn(arguments, span),
            "malloc" => {
                let size = self.size_argument(&arguments[0]);
                self.allocate(size, address::HEAP_ALIGN, false, span)
            }
            "__fencepost_zeroed" => {
                let size = self.size_argument(&arguments[0]);
                self.allocate(size, address::HEAP_ALIGN, true, span)
            }
            "__fencepost_self" => self.current_thread(),
            "calloc" => {
                let (count, size) = (self.size_argument(&arguments[0]), self.size_argument(&arguments[1]));
                self.calloc(count, size, span)
            }
            "aligned_alloc" => {
                let align = self.alignment_argument(&arguments[0])?;
                let size = self.size_argument(&arguments[1]);
                if !align.is_power_of_two() {
                    let why = "the alignment of an allocation is no power of two";
                    self.fail(Fault::Misuse(why.into()), span);
                }
                self.allocate_aligned(size, align, &arguments[0], span)
            }
            "posix_memalign" => self.posix_memalign(arguments, span),
            "free" => {
                let pointer = self.rvalue(&arguments[0]);
                let addr = self.operand(pointer, arguments[0].span);
                self.builder.emit(StmtKind::Free { addr }, span);
                void
            }
            "__builtin_expect" => {
                let value = self.rvalue(&arguments[0]);
                self.discard(&arguments[1]);
                let long = self.types.long();
                self.convert(value, long, span)
            }
            "__builtin_constant_p" => {
                let known = self.try_constant(&arguments[0]).is_some();
                Value::word(self.types.int(), u64::from(known))
            }
            "__builtin_prefetch" => {
                arguments.iter().for_each(|argument| self.discard(argument));
                void
            }
            "memcpy" | "memmove" | "__builtin_memcpy" | "__builtin_memmove" => {
                self.memory_copy(arguments, span)
            }
            _ => self.memory_set(arguments, span),
        })
    }

    fn fail(&mut self, fault: Fault, span: Span) -> Value {
        self.builder.emit(StmtKind::Assert { cond: 0.into(), fault }, span);
        Value { ty: self.types.void(), data: Data::Nothing }
    }

    fn fence(&mut self, kind: &'u Expr, span: Span) -> Value {
        let named = match &kind.kind {
            ExprKind::String(text) => FenceKind::named(&String::from_utf8_lossy(&text.bytes)),
            _ => None,
        };
        match named {
            Some(named) if !named.is_c11() => self.builder.emit(StmtKind::Fence(named.fence()), span),
            _ => {
                let diagnostic = Diagnostic::error(kind.span, "unknown kind of fence")
                    .help("write \"load-load\", \"load-store\", \"store-load\", \"store-store\" or \"full\"");
                self.report(diagnostic);
            }
        }
        Value { ty: self.types.void(), data: Data::Nothing }
    }

    fn choose(&mut self, arguments: &'u [Expr], span: Span) -> Value {
        let ty = self.type_of(&arguments[0]);
        let ty = self.types.decay(ty);
        let mut values = Vec::new();
        for argument in arguments {
            let Some(constant) = self.constant(argument) else { continue };
            let value = self.convert(Value::word(constant.ty, constant.bits), ty, argument.span);
            match value.data {
                Data::Word(Operand::Const(word)) => values.push(word),
                _ => self.impossible(argument.span, "a constant is none once it is converted"),
            }
        }
        let dst = self.builder.reg();
        self.builder.emit(StmtKind::Choose { dst, from: Choice::OneOf(values) }, span);
        Value::word(ty, dst)
    }

    /// Any value of the type of an expression.
    fn any(&mut self, sample: &'u Expr, span: Span) -> Value {
        let ty = self.type_of(sample);
        let Some(scalar) = self.types.scalar(ty.id) else {
            let shown = self.types.show(ty);
            self.error(sample.span, format!("any value of type `{shown}`, which is no integer"));
            return self.poison();
        };
        let dst = self.builder.reg();
        let from = match self.types.get(ty.id) {
            Type::Bool => Choice::OneOf(vec![value::Value::ZERO, value::Value::ONE]),
            _ => Choice::Any(scalar),
        };
        self.builder.emit(StmtKind::Choose { dst, from }, span);
        Value::word(ty.id, dst)
    }

    fn size_argument(&mut self, argument: &'u Expr) -> Operand {
        let value = self.rvalue(argument);
        let size_t = self.types.unsigned_long();
        let value = self.convert(value, size_t, argument.span);
        self.operand(value, argument.span)
    }

    fn allocate(&mut self, size: Operand, align: u64, zeroed: bool, span: Span) -> Value {
        let void = self.types.void();
        let pointer = self.types.pointer(void);
        let dst = self.builder.reg();
        let place = Place::Heap;
        self.builder.emit(StmtKind::Alloc { dst, size, align, zeroed, place, layout: None }, span);
        Value::word(pointer, dst)
    }

    /// `calloc`, which fails if the product of its arguments is no `size_t`.
    fn calloc(&mut self, count: Operand, size: Operand, span: Span) -> Value {
        let u64_op = |op| PrimOp::Bin(op, IntTy::U64);
        let none = self.builder.op(PrimOp::Not, &[size], span);
        let divisor = self.builder.op(u64_op(BinOp::Or), &[size, none], span);
        let most = self.builder.op(u64_op(BinOp::Div), &[u64::MAX.into(), divisor], span);
        let too_much = self.builder.op(PrimOp::Cmp(CmpOp::Lt, false), &[most, count], span);
        let bytes = self.builder.op(u64_op(BinOp::Mul), &[count, size], span);
        if too_much == 0.into() {
            return self.allocate(bytes, address::HEAP_ALIGN, true, span);
        }
        let result = self.builder.reg();
        self.builder.assign(result, 0.into(), span);
        let label = self.builder.label();
        self.builder.open();
        self.builder.break_if(label, too_much, span);
        let made = self.allocate(bytes, address::HEAP_ALIGN, true, span);
        let address = self.operand(made, span);
        self.builder.assign(result, address, span);
        self.builder.close_block(label, false, span);
        Value::word(made.ty, result)
    }

    /// An allocation at a multiple of a number.
    fn allocate_aligned(&mut self, size: Operand, align: u64, argument: &'u Expr, span: Span) -> Value {
        if align > address::MAX_ALIGN {
            let message = format!("an alignment is at most {} here", address::MAX_ALIGN);
            self.error(argument.span, message);
        }
        let align = if align.is_power_of_two() { align.min(address::MAX_ALIGN) } else { 1 };
        self.allocate(size, align.max(address::HEAP_ALIGN), false, span)
    }

    /// An alignment, which must be a constant, as addresses must be known; none after an error.
    fn alignment_argument(&mut self, argument: &'u Expr) -> Option<u64> {
        let Some(align) = self.try_constant(argument) else {
            let why = "objects are placed when the program is read";
            self.unsupported(argument.span, "an alignment that is no constant", why);
            return None;
        };
        Some(align.bits)
    }

    /// Writes the address only if the alignment is one (POSIX: a power of two and a multiple of a pointer's size).
    fn posix_memalign(&mut self, arguments: &'u [Expr], span: Span) -> Value {
        const EINVAL: u64 = 22;
        let int = self.types.int();
        let to = self.rvalue(&arguments[0]);
        let align = self.alignment_argument(&arguments[1]);
        let size = self.size_argument(&arguments[2]);
        if align.is_some_and(|align| !align.is_power_of_two() || align % 8 != 0) {
            return Value::word(int, EINVAL);
        }
        let pointer = self.allocate_aligned(size, align.unwrap_or(1), &arguments[1], span);
        if let Some(place) = self.deref(to, span, arguments[0].span) {
            self.write(place, pointer, span);
        }
        Value::word(int, 0)
    }

    /// Gives an allocation just made the type that its result is converted to, so that traces can name
    /// its parts.
    pub(super) fn name_allocation(&mut self, pointer: Operand, to: QualType) {
        let Some(element) = self.types.size(to.id).filter(|size| *size > 0) else { return };
        let Some(size) = self.builder.last_allocation(pointer) else { return };
        let ty = match size {
            size if size > element && size % element == 0 => self.types.array(to, Some(size / element)),
            _ => to.id,
        };
        let layout = self.layout(ty);
        self.builder.set_layout(layout);
    }

    /// `memcpy` and `memmove` of a known number of bytes.
    fn memory_copy(&mut self, arguments: &'u [Expr], span: Span) -> Value {
        let (to, from) = (self.pointer_argument(&arguments[0]), self.pointer_argument(&arguments[1]));
        let Some(pieces) = self.pieces(to.0, Some(from.0), &arguments[2]) else { return self.poison() };
        // All is read before anything is written, as `memmove` needs.
        let mut words = Vec::new();
        for &(offset, ty) in &pieces {
            let at = self.offset(from.1, offset, span);
            words.push(self.builder.load(at, ty, Order::Plain, span));
        }
        for ((offset, ty), word) in pieces.into_iter().zip(words) {
            let at = self.offset(to.1, offset, span);
            self.builder.store(at, word, ty, Order::Plain, span);
        }
        let void = self.types.void();
        let pointer = self.types.pointer(void);
        Value::word(pointer, to.1)
    }

    fn memory_set(&mut self, arguments: &'u [Expr], span: Span) -> Value {
        let to = self.pointer_argument(&arguments[0]);
        let byte = self.rvalue(&arguments[1]);
        let unsigned_char = self.types.unsigned_char();
        let byte = self.convert(byte, unsigned_char, span);
        let byte = self.operand(byte, arguments[1].span);
        let Some(pieces) = self.pieces(to.0, None, &arguments[2]) else { return self.poison() };
        let repeated = PrimOp::Bin(BinOp::Mul, IntTy::U64);
        let word = self.builder.op(repeated, &[byte, 0x0101_0101_0101_0101.into()], span);
        for (offset, ty) in pieces {
            let at = self.offset(to.1, offset, span);
            let part = self.builder.op(PrimOp::Convert(ty), &[word], span);
            self.builder.store(at, part, ty, Order::Plain, span);
        }
        let void = self.types.void();
        let pointer = self.types.pointer(void);
        Value::word(pointer, to.1)
    }

    /// A pointer and what it points to, before it became `void *`.
    fn pointer_argument(&mut self, argument: &'u Expr) -> (QualType, Operand) {
        let mut inner = argument;
        while let ExprKind::Cast(_, operand) = &inner.kind {
            inner = operand;
        }
        let typed = self.type_of(inner);
        let typed = self.types.decay(typed);
        let to = match &inner.kind {
            // `&array` covers the whole array.
            ExprKind::Unary(UnaryOp::AddressOf, place) => self.type_of(place),
            _ => self.types.pointee(typed).unwrap_or(self.types.void().into()),
        };
        let value = self.rvalue(argument);
        (to, self.operand(value, argument.span))
    }

    /// The pieces in which some bytes are accessed: the parts of the objects there, if types tell.
    fn pieces(&mut self, to: QualType, from: Option<QualType>, size: &'u Expr) -> Option<Vec<(u64, IntTy)>> {
        let Some(size_constant) = self.try_constant(size) else {
            let why = "the number of bytes must be known when the program is read";
            self.unsupported(size.span, "copying or filling a variable number of bytes", why);
            return None;
        };
        let bytes = size_constant.bits;
        if bytes > MAX_SIZE {
            self.error(size.span, format!("{bytes} bytes, more than there is memory"));
            return None;
        }
        let size = bytes;
        for ty in std::iter::once(to).chain(from) {
            let Some(element) = self.types.size(ty.id).filter(|element| *element > 0) else { continue };
            if size % element == 0 && !matches!(self.types.get(ty.id), Type::Void) {
                // Padding, too: all bytes are copied or set, and other types may find members there.
                let pieces = self.types.covering(ty.id);
                return Some(
                    (0..size / element)
                        .flat_map(|i| pieces.iter().map(move |(at, ty)| (at + i * element, *ty)))
                        .collect(),
                );
            }
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < size {
            let bytes = [8, 4, 2, 1].into_iter().find(|bytes| at + bytes <= size).unwrap_or(1);
            pieces.push((at, IntTy::unsigned(8 * bytes as u8)));
            at += bytes;
        }
        Some(pieces)
    }
}

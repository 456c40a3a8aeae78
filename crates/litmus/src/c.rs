//! Threads in C: functions `P0(atomic_int *x) { … }` of accesses, locals and branches.
//!
//! Not C's whole grammar: what a litmus test needs, read in one pass straight to statements. Types make no difference: all that is
//! accessed is a word, `*x` is a plain access whatever `x` points to, as herd has it, and locals belong to the whole function.

use crate::build::{Access, Builder, Change, Modify, WORD, assign, block, go, leave, number};
use crate::read::{Locations, Thread};
use crate::text::{Cursor, Piece, Result};
use fencepost_lsl::op::{BinOp, CmpOp, PrimOp};
use fencepost_lsl::program::{Fence, Operand, Order, Reg, Stmt, StmtKind};
use fencepost_lsl::source::Span;
use std::collections::HashMap;

/// Reads functions until there are no more.
pub(crate) fn threads(mut cursor: Cursor, locations: &mut Locations) -> Result<Vec<Thread>> {
    let mut threads = Vec::new();
    while !cursor.done() {
        while cursor.eat("static") || cursor.eat("void") {}
        let expected = format!("P{}", threads.len());
        let name = cursor.word().filter(|name| name.text == expected);
        let name = name.ok_or_else(|| cursor.error(format!("the function {expected} is missing here")))?;
        let parameters = parameters(&mut cursor, locations)?;
        let builder = Builder::default();
        let mut function = Function { cursor, builder, parameters, locals: HashMap::new(), out: Vec::new() };
        function.cursor.expect("{")?;
        function.statements()?;
        let Function { cursor: rest, builder, locals, out, .. } = function;
        cursor = rest;
        threads.push(Thread { builder, registers: locals, body: out, span: name.span });
    }
    match threads.is_empty() {
        true => Err(cursor.error("the function P0 is missing here")),
        false => Ok(threads),
    }
}

/// `(atomic_int *x, int *y)`: parameters are the locations of the same names.
fn parameters(cursor: &mut Cursor, locations: &mut Locations) -> Result<HashMap<String, u64>> {
    let mut found = HashMap::new();
    cursor.expect("(")?;
    while !cursor.eat(")") {
        let mut last = None;
        while !cursor.sees(",") && !cursor.sees(")") {
            if cursor.eat("*") || cursor.eat("(") {
                continue;
            }
            last = Some(cursor.word().ok_or_else(|| cursor.error("a parameter is missing here"))?);
            // Of `_Atomic(int)`, which ends no list.
            if cursor.sees(")") && cursor.rest().trim_start_matches([')', ' ']).starts_with('*') {
                cursor.expect(")")?;
            }
        }
        if let Some(name) = last.filter(|name| name.text != "void") {
            found.insert(name.text.to_owned(), locations.address(name.text));
        }
        cursor.eat(",");
    }
    Ok(found)
}

struct Function<'t> {
    cursor: Cursor<'t>,
    builder: Builder,
    parameters: HashMap<String, u64>,
    locals: HashMap<String, Reg>,
    /// The statements of the innermost block so far.
    out: Vec<Stmt>,
}

impl Function<'_> {
    /// Statements up to a closing brace.
    fn statements(&mut self) -> Result<()> {
        while !self.cursor.eat("}") {
            if self.cursor.done() {
                return Err(self.cursor.error("`}` is missing at the end of a function"));
            }
            self.statement()?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        self.cursor.deeper()?;
        self.simple_statement()?;
        self.cursor.back();
        Ok(())
    }

    fn simple_statement(&mut self) -> Result<()> {
        let span = self.cursor.here();
        if self.cursor.eat(";") {
            return Ok(());
        }
        if self.cursor.eat("{") {
            return self.statements();
        }
        if self.cursor.eat("if") {
            return self.branch(span);
        }
        for word in ["while", "for", "do", "goto", "switch", "return"] {
            if self.cursor.sees(word) {
                return Err(self.cursor.error(format!("`{word}` is not understood in litmus tests")));
            }
        }
        if self.declaration()? {
            return Ok(());
        }
        if self.cursor.eat("*") {
            let address = self.unary()?;
            if self.cursor.sees("==") || !self.cursor.eat("=") {
                return Err(self.cursor.error("`=` is missing here"));
            }
            let value = self.expression()?;
            let access = Access { addr: address, ty: WORD, order: Order::Plain, span };
            self.builder.store(&mut self.out, access, value);
            return self.cursor.expect(";");
        }
        let before = self.cursor.clone();
        let name = self.cursor.word();
        if let Some(name) = name.filter(|_| !self.cursor.sees("==") && self.cursor.eat("=")) {
            let value = self.expression()?;
            let local = self.local(name)?;
            self.out.push(assign(local, PrimOp::Copy, &[value], span));
            return self.cursor.expect(";");
        }
        self.cursor = before;
        self.expression()?;
        self.cursor.expect(";")
    }

    /// `int r0 = …, r1;`, if it is one: two words one after the other.
    fn declaration(&mut self) -> Result<bool> {
        let before = self.cursor.clone();
        let mut words = Vec::new();
        while let Some(word) = self.cursor.word() {
            words.push(word);
            while self.cursor.eat("*") {}
        }
        let (Some(&first), true) = (words.last(), words.len() >= 2) else {
            self.cursor = before;
            return Ok(false);
        };
        let mut name = first;
        loop {
            let reg = self.builder.named(Some(name.text));
            if self.parameters.contains_key(name.text)
                || self.locals.insert(name.text.to_owned(), reg).is_some()
            {
                return Err(name.error(format!("`{}` is declared twice", name.text)));
            }
            if self.cursor.eat("=") {
                let value = self.expression()?;
                self.out.push(assign(reg, PrimOp::Copy, &[value], name.span));
            }
            if !self.cursor.eat(",") {
                self.cursor.expect(";")?;
                return Ok(true);
            }
            while self.cursor.eat("*") {}
            name = self
                .cursor
                .word()
                .ok_or_else(|| self.cursor.error("the name of a variable is missing here"))?;
        }
    }

    /// `outer: { inner: { if (!condition) break inner; yes; break outer } no }`
    fn branch(&mut self, span: Span) -> Result<()> {
        self.cursor.expect("(")?;
        let condition = self.expression()?;
        self.cursor.expect(")")?;
        let (outer, inner) = (self.builder.label(), self.builder.label());
        let fails = self.compute(PrimOp::Not, &[condition], span);
        let before = std::mem::take(&mut self.out);
        self.out.push(leave(inner, fails, false, span));
        self.statement()?;
        self.out.push(go(outer, span));
        let yes = std::mem::replace(&mut self.out, before);
        let before = std::mem::replace(&mut self.out, vec![block(inner, yes, span)]);
        if self.cursor.eat("else") {
            self.statement()?;
        }
        let both = std::mem::replace(&mut self.out, before);
        self.out.push(block(outer, both, span));
        Ok(())
    }

    fn local(&mut self, name: Piece) -> Result<Reg> {
        let known = self.locals.get(name.text).copied();
        known.ok_or_else(|| name.error(format!("`{}` is no local variable", name.text)))
    }

    fn compute(&mut self, op: PrimOp, args: &[Operand], span: Span) -> Operand {
        let dst = self.builder.temporary();
        self.out.push(assign(dst, op, args, span));
        dst.into()
    }

    fn expression(&mut self) -> Result<Operand> {
        self.binary(0)
    }

    /// Operators from this level on; those that bind least stand first.
    fn binary(&mut self, level: usize) -> Result<Operand> {
        const LEVELS: [&[(&str, Operator)]; 10] = [
            &[("||", Operator::Lazy(true))],
            &[("&&", Operator::Lazy(false))],
            &[("|", Operator::Bin(BinOp::Or))],
            &[("^", Operator::Bin(BinOp::Xor))],
            &[("&", Operator::Bin(BinOp::And))],
            &[("==", Operator::Cmp(CmpOp::Eq, false)), ("!=", Operator::Cmp(CmpOp::Ne, false))],
            &[
                ("<=", Operator::Cmp(CmpOp::Le, false)),
                (">=", Operator::Cmp(CmpOp::Le, true)),
                ("<", Operator::Cmp(CmpOp::Lt, false)),
                (">", Operator::Cmp(CmpOp::Lt, true)),
            ],
            &[("<<", Operator::Bin(BinOp::Shl)), (">>", Operator::Bin(BinOp::Shr))],
            &[("+", Operator::Bin(BinOp::Add)), ("-", Operator::Bin(BinOp::Sub))],
            &[("*", Operator::Bin(BinOp::Mul))],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let span = self.cursor.here();
            let doubled = |text: &str| ["||", "&&", "<<", ">>"].iter().any(|double| text.starts_with(double));
            let rest = self.cursor.rest();
            let found = operators
                .iter()
                .find(|(text, _)| rest.starts_with(text) && (text.len() == 2 || !doubled(rest)));
            let Some(&(text, operator)) = found else { return Ok(left) };
            self.cursor.take(text.len());
            left = match operator {
                Operator::Lazy(either) => self.lazy(left, either, level, span)?,
                Operator::Bin(op) => {
                    let right = self.binary(level + 1)?;
                    self.compute(PrimOp::Bin(op, WORD), &[left, right], span)
                }
                Operator::Cmp(op, swapped) => {
                    let right = self.binary(level + 1)?;
                    let args = if swapped { [right, left] } else { [left, right] };
                    self.compute(PrimOp::Cmp(op, true), &args, span)
                }
            };
        }
    }

    /// `&&` and `||`: the right side is evaluated only if the left one does not decide.
    fn lazy(&mut self, left: Operand, either: bool, level: usize, span: Span) -> Result<Operand> {
        let (label, result) = (self.builder.label(), self.builder.temporary());
        let truth = PrimOp::Truth;
        let before = std::mem::take(&mut self.out);
        self.out.push(assign(result, truth, &[left], span));
        let decided = if either { result.into() } else { self.compute(PrimOp::Not, &[left], span) };
        self.out.push(leave(label, decided, false, span));
        let right = self.binary(level + 1)?;
        self.out.push(assign(result, truth, &[right], span));
        let body = std::mem::replace(&mut self.out, before);
        self.out.push(block(label, body, span));
        Ok(result.into())
    }

    fn unary(&mut self) -> Result<Operand> {
        self.cursor.deeper()?;
        let operand = self.simple()?;
        self.cursor.back();
        Ok(operand)
    }

    fn simple(&mut self) -> Result<Operand> {
        let span = self.cursor.here();
        if self.cursor.eat("*") {
            let addr = self.unary()?;
            return Ok(self.load(Access { addr, ty: WORD, order: Order::Plain, span }));
        }
        for (text, op) in [("!", PrimOp::Not), ("~", PrimOp::BitNot(WORD)), ("-", PrimOp::Neg(WORD))] {
            if !self.cursor.sees("!=") && self.cursor.eat(text) {
                let inner = self.unary()?;
                return Ok(self.compute(op, &[inner], span));
            }
        }
        if self.cursor.eat("(") {
            if self.cast() {
                return self.unary();
            }
            let inner = self.expression()?;
            self.cursor.expect(")")?;
            return Ok(inner);
        }
        if let Some(value) = self.cursor.number() {
            return Ok(number(value));
        }
        let name = self.cursor.word().ok_or_else(|| self.cursor.error("an expression is missing here"))?;
        if self.cursor.sees("(") {
            return self.call(name);
        }
        match self.parameters.get(name.text) {
            Some(&addr) => Ok(number(addr as i64)),
            None => self.local(name).map(Operand::from),
        }
    }

    /// Passes `int)` or `int *)` behind a parenthesis: words that are nothing known.
    fn cast(&mut self) -> bool {
        let before = self.cursor.clone();
        let mut words = 0;
        while let Some(word) = self.cursor.word() {
            let known = self.locals.contains_key(word.text) || self.parameters.contains_key(word.text);
            if known || self.cursor.sees("(") {
                words = 0;
                break;
            }
            words += 1;
        }
        while words > 0 && self.cursor.eat("*") {}
        let cast = words > 0 && self.cursor.eat(")");
        if !cast {
            self.cursor = before;
        }
        cast
    }

    fn load(&mut self, access: Access) -> Operand {
        let dst = self.builder.temporary();
        self.builder.load(&mut self.out, access, dst);
        dst.into()
    }

    /// A function of `<stdatomic.h>`.
    fn call(&mut self, name: Piece) -> Result<Operand> {
        self.cursor.expect("(")?;
        let (base, explicit) = match name.text.strip_suffix("_explicit") {
            Some(base) => (base, true),
            None => (name.text, false),
        };
        let span = name.span;
        if base == "atomic_thread_fence" {
            let order = self.order()?;
            self.cursor.expect(")")?;
            self.out.push(Stmt { kind: StmtKind::Fence(Fence::of_order(order)), span });
            return Ok(number(0));
        }
        let known =
            ["atomic_load", "atomic_store", "atomic_exchange", "atomic_fetch_", "atomic_compare_exchange_"];
        if !known.iter().any(|known| base.starts_with(known)) {
            return Err(name.error(format!("the function `{}` is not understood", name.text)));
        }
        let addr = self.expression()?;
        if base == "atomic_load" {
            let order = self.orders::<1>(explicit)?[0];
            return Ok(self.load(Access { addr, ty: WORD, order, span }));
        }
        self.cursor.expect(",")?;
        if let Some(weak) = ["strong", "weak"].iter().position(|way| base.ends_with(way)) {
            return self.compare_exchange(addr, weak == 1, explicit, span);
        }
        let value = self.expression()?;
        let order = self.orders::<1>(explicit)?[0];
        if base == "atomic_store" {
            self.builder.store(&mut self.out, Access { addr, ty: WORD, order, span }, value);
            return Ok(number(0));
        }
        let change = match base.strip_prefix("atomic_fetch_") {
            None => Change::Swap(value),
            Some("add") => Change::Compute(BinOp::Add, value),
            Some("sub") => Change::Compute(BinOp::Sub, value),
            Some("and") => Change::Compute(BinOp::And, value),
            Some("or") => Change::Compute(BinOp::Or, value),
            Some("xor") => Change::Compute(BinOp::Xor, value),
            Some(_) => return Err(name.error(format!("the function `{}` is not understood", name.text))),
        };
        let (read, write) = split(order);
        let modify = Modify { addr, change, read, write, ty: WORD };
        Ok(self.builder.modify(&mut self.out, modify, span).into())
    }

    /// The rest of `atomic_compare_exchange_strong(x, &expected, desired, success, failure)`.
    fn compare_exchange(&mut self, addr: Operand, weak: bool, explicit: bool, span: Span) -> Result<Operand> {
        let local = self.cursor.eat("&");
        let place = match local {
            true => {
                let name =
                    self.cursor.word().ok_or_else(|| self.cursor.error("a variable is missing here"))?;
                self.local(name)?.into()
            }
            false => self.expression()?,
        };
        self.cursor.expect(",")?;
        let plain = Access { addr: place, ty: WORD, order: Order::Plain, span };
        let new = self.expression()?;
        let [success, failure] = self.orders::<2>(explicit)?;
        let expected = if local { self.compute(PrimOp::Copy, &[place], span) } else { self.load(plain) };
        let (read, write) = split(success);
        // One load for both ways: it has the stronger of their orders.
        let modify = Modify {
            addr,
            change: Change::Compare { expected, new, weak },
            read: read.max(failure),
            write,
            ty: WORD,
        };
        let old = self.builder.modify(&mut self.out, modify, span);
        let failed = self.builder.fails.map_or(number(0), Operand::from);
        let same = self.compute(PrimOp::Not, &[failed], span);
        let label = self.builder.label();
        let mut body = vec![leave(label, same, true, span)];
        match place {
            Operand::Reg(reg) if local => body.push(assign(reg, PrimOp::Copy, &[old.into()], span)),
            _ => self.builder.store(&mut body, plain, old.into()),
        }
        self.out.push(block(label, body, span));
        Ok(same)
    }

    /// The orders at the end of a call, and its end; all `seq_cst` if they are not explicit.
    fn orders<const N: usize>(&mut self, explicit: bool) -> Result<[Order; N]> {
        let mut orders = [Order::SeqCst; N];
        for order in orders.iter_mut().filter(|_| explicit) {
            self.cursor.expect(",")?;
            *order = self.order()?;
        }
        self.cursor.expect(")")?;
        Ok(orders)
    }

    fn order(&mut self) -> Result<Order> {
        let word = self.cursor.word().ok_or_else(|| self.cursor.error("a memory order is missing here"))?;
        Ok(match word.text.trim_start_matches("memory_order_") {
            "relaxed" => Order::Relaxed,
            "acquire" | "consume" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "seq_cst" => Order::SeqCst,
            _ => return Err(word.error(format!("`{}` is no memory order", word.text))),
        })
    }
}

/// A binary operator.
#[derive(Clone, Copy)]
enum Operator {
    Bin(BinOp),
    /// A comparison, maybe with its sides exchanged.
    Cmp(CmpOp, bool),
    /// `||` if true, `&&` if not.
    Lazy(bool),
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

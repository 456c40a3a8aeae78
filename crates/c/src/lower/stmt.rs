//! Statements.

use super::scope::Entity;
use super::{Data, Lowerer, Value};
use crate::ast::{Asm, Block, Expr, Stmt, StmtKind};
use crate::types::Type;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{self as lsl, Fence, Operand};
use fencepost_lsl::source::Span;

impl<'u> Lowerer<'u> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, block: &'u Block) {
        self.scopes.push();
        self.builder.enter_frame(false);
        let outer = self.enter_list(block.span);
        self.statements(&block.statements);
        self.slot_at_end(block.span);
        self.leave_list(outer);
        self.builder.leave_frame();
        self.scopes.pop();
    }

    /// `({ … })`: the value of the last statement.
    pub(super) fn statement_expression(&mut self, block: &'u Block) -> Value {
        self.scopes.push();
        self.builder.enter_frame(false);
        let outer = self.enter_list(block.span);
        let value = match block.statements.split_last() {
            Some((stmt @ Stmt { kind: StmtKind::Expr(last), .. }, before)) => {
                self.statements(before);
                let start = self.builder.mark();
                let value = self.rvalue(last);
                self.slot_before(stmt, start);
                value
            }
            _ => {
                self.statements(&block.statements);
                self.nothing()
            }
        };
        self.leave_list(outer);
        self.builder.leave_frame();
        self.scopes.pop();
        value
    }

    pub(super) fn statement(&mut self, stmt: &'u Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Label(_) | StmtKind::LocalLabels(_) => {}
            StmtKind::Expr(expr) => self.discard(expr),
            StmtKind::Declaration(declaration) => self.declare_local(declaration),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref(), span);
            }
            StmtKind::While { condition, body } => self.repeat(Some(condition), true, None, body, span),
            StmtKind::DoWhile { body, condition } => self.repeat(Some(condition), false, None, body, span),
            StmtKind::For { start, condition, step, body } => {
                self.scopes.push();
                if let Some(start) = start {
                    self.statement(start);
                }
                self.repeat(condition.as_ref(), true, step.as_ref(), body, span);
                self.scopes.pop();
            }
            StmtKind::Switch { value, body } => self.switch(value, body, span),
            StmtKind::Case { .. } | StmtKind::Default => {
                let what = if let StmtKind::Default = stmt.kind { "default" } else { "case" };
                let why = "the labels of a `switch` must stand directly in its body";
                self.unsupported(span, &format!("a `{what}` inside of another statement"), why);
            }
            StmtKind::Goto(name) => self.goto(*name),
            StmtKind::ComputedGoto(_) => {
                self.unsupported(span, "a computed `goto`", "jumps must be known when the program is read");
            }
            StmtKind::Break => match self.builder.breaks.last() {
                Some(&label) => self.builder.break_to(label, span),
                None => self.error(span, "`break` outside of a loop or `switch`"),
            },
            StmtKind::Continue => match self.builder.continues.last() {
                Some(&label) => self.builder.break_to(label, span),
                None => self.error(span, "`continue` outside of a loop"),
            },
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::NestedFunction(function) => {
                self.unsupported(function.declarator.span, "a function inside of a function", "move it out");
                if let Some(name) = function.declarator.name {
                    self.scopes.declare(name.symbol, Entity::Error);
                }
            }
            StmtKind::Atomic(block) | StmtKind::Ghost(block) => {
                self.builder.open();
                let slots = self.slots.take();
                self.block(block);
                self.slots = slots;
                let mut body = self.builder.close();
                if let StmtKind::Ghost(_) = &stmt.kind {
                    self.make_ghostly(&mut body);
                }
                self.builder.emit(lsl::StmtKind::Atomic(body), span);
            }
        }
    }

    fn if_statement(&mut self, condition: &'u Expr, then: &'u Stmt, otherwise: Option<&'u Stmt>, span: Span) {
        // outer: { inner: { if (!condition) break inner; then; break outer } otherwise }
        let (outer, inner) = (self.builder.label(), self.builder.label());
        self.builder.open();
        self.builder.open();
        let failed = self.falsehood(condition);
        if let Operand::Const(failed) = failed {
            // A branch that is never taken is checked, but not made.
            let (taken, dead) = match failed.bits() {
                0 => (Some(then), otherwise),
                _ => (otherwise, Some(then)),
            };
            if let Some(dead) = dead {
                self.unevaluated(|lowerer| lowerer.scoped(dead));
            }
            if let Some(taken) = taken {
                self.scoped(taken);
            }
            self.builder.close_block(inner, false, span);
            return self.builder.close_block(outer, false, span);
        }
        self.builder.break_if(inner, failed, condition.span);
        self.scoped(then);
        if otherwise.is_some() {
            self.builder.break_to(outer, span);
        }
        self.builder.close_block(inner, false, span);
        if let Some(otherwise) = otherwise {
            self.scoped(otherwise);
        }
        self.builder.close_block(outer, false, span);
    }

    /// A statement with a scope of its own, as the body of an `if` or a loop has.
    fn scoped(&mut self, stmt: &'u Stmt) {
        self.scopes.push();
        self.builder.enter_frame(false);
        let outer = self.enter_body(stmt);
        self.statements(std::slice::from_ref(stmt));
        self.slot_behind(stmt);
        self.leave_list(outer);
        self.builder.leave_frame();
        self.scopes.pop();
    }

    /// A loop; `test_first` tells `while` from `do`.
    fn repeat(
        &mut self,
        condition: Option<&'u Expr>,
        test_first: bool,
        step: Option<&'u Expr>,
        body: &'u Stmt,
        span: Span,
    ) {
        // leave: { again: { if (!condition) break leave; next: { body } step; continue again } }
        let (leave, again, next) = (self.builder.label(), self.builder.label(), self.builder.label());
        let mut endless = condition.is_none();
        // The loop is a block, too: what its condition and its step make is made once.
        self.builder.enter_frame(true);
        self.builder.open();
        self.builder.open();
        if let (Some(condition), true) = (condition, test_first) {
            let failed = self.falsehood(condition);
            endless |= matches!(failed, Operand::Const(value) if value.bits() == 0);
            self.builder.break_if(leave, failed, condition.span);
        }
        self.builder.open();
        self.builder.breaks.push(leave);
        self.builder.continues.push(next);
        self.scoped(body);
        self.builder.breaks.pop();
        self.builder.continues.pop();
        self.builder.close_block(next, false, body.span);
        if let Some(step) = step {
            self.discard(step);
        }
        let when = match (condition, test_first) {
            (Some(condition), false) => {
                let holds = self.truth(condition);
                endless |= matches!(holds, Operand::Const(value) if value.bits() != 0);
                Some(holds)
            }
            _ => None,
        };
        match when {
            Some(Operand::Const(value)) if value.bits() == 0 => {}
            Some(Operand::Const(_)) | None => {
                self.builder.emit(lsl::StmtKind::Continue { label: again, when: None }, span);
            }
            when => self.builder.emit(lsl::StmtKind::Continue { label: again, when }, span),
        }
        self.builder.close_block(again, endless, span);
        self.builder.close_block(leave, false, span);
        self.builder.leave_frame();
    }

    fn return_statement(&mut self, value: Option<&'u Expr>, span: Span) {
        let Some(result) = self.builder.result else { return };
        match (value, self.types.get(result.ty).clone()) {
            (Some(value), Type::Void) => self.discard(value),
            (Some(expr), _) => {
                let value = self.rvalue(expr);
                let value = self.convert(value, result.ty, expr.span);
                match (value.data, result.reg) {
                    (Data::Word(word), Some(reg)) => self.builder.assign(reg, word, span),
                    (Data::Object(from), Some(reg)) => {
                        self.copy_object(reg.into(), from, result.ty.into(), span);
                    }
                    _ => self.impossible(span, "a result has no place"),
                }
            }
            // Falling out without a value leaves it undefined, as in C.
            (None, _) => {}
        }
        self.builder.break_to(result.label, span);
    }

    /// Inline assembler: barriers of the usual kinds.
    fn asm(&mut self, asm: &'u Asm) {
        let text = String::from_utf8_lossy(&asm.template).to_lowercase();
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.trim_end_matches(';').trim();
        let kinds = |load_load, load_store, store_load, store_store| Fence {
            load_load,
            load_store,
            store_load,
            store_store,
            ..Fence::NONE
        };
        let fence = match words {
            // A barrier for the compiler alone, or a hint to the processor.
            "" | "nop" | "pause" | "rep; nop" | "rep;nop" | "rep nop" | "yield" | "isb" | "wfe" | "sev" => {
                None
            }
            "mfence" | "dmb ish" | "dmb sy" | "dmb" | "dsb sy" | "fence" | "fence rw,rw" | "fence rw, rw"
            | "fence iorw,iorw" | "sync" | "hwsync" => Some(Fence::FULL),
            "sfence" | "dmb ishst" | "dmb st" | "fence w,w" | "fence w, w" => {
                Some(kinds(false, false, false, true))
            }
            "lfence" | "dmb ishld" | "dmb ld" | "fence r,rw" | "fence r, rw" => {
                Some(kinds(true, true, false, false))
            }
            "lwsync" => Some(kinds(true, true, false, true)),
            "fence rw,w" | "fence rw, w" => Some(kinds(false, true, false, true)),
            "fence r,r" | "fence r, r" => Some(kinds(true, false, false, false)),
            other if other.starts_with("lock; addl $0") || other.starts_with("lock addl $0") => {
                Some(Fence::FULL)
            }
            other if other.starts_with("lock; orl $0") || other.starts_with("lock orl $0") => {
                Some(Fence::FULL)
            }
            _ => {
                let diagnostic = Diagnostic::error(asm.span, "this assembler code is not supported")
                    .note("only barriers and processor hints are known")
                    .help("use `__atomic_*`, `__sync_*` or C11 atomics instead");
                return self.report(diagnostic);
            }
        };
        if let Some(name) = asm.labels.first() {
            return self.unsupported(name.span, "a jump out of assembler code", "write it as an `if`");
        }
        for operand in &asm.inputs {
            match in_memory(&operand.constraint) {
                true => _ = self.place(&operand.value),
                false => self.discard(&operand.value),
            }
        }
        for operand in &asm.outputs {
            // `"+r"(x)` with no instructions leaves x as it is; `"=r"(x)` would leave anything there.
            if operand.constraint.first() == Some(&b'=') {
                let what = "a value that assembler code writes";
                self.unsupported(operand.value.span, what, "only barriers and processor hints are known");
            }
            // What goes through a processor's register is read and written back.
            if let (Some(place), false) = (self.place(&operand.value), in_memory(&operand.constraint)) {
                let value = self.read(place, operand.value.span);
                self.write(place, value, operand.value.span);
            }
        }
        if let Some(fence) = fence {
            self.builder.emit(lsl::StmtKind::Fence(fence), asm.span);
        }
    }
}

/// Whether an operand of assembler code is handed over by its address alone.
fn in_memory(constraint: &[u8]) -> bool {
    constraint.contains(&b'm') && !constraint.iter().any(|letter| matches!(letter, b'r' | b'g' | b'q'))
}

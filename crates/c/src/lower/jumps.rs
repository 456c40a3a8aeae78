//! `goto`, labels and cases: jumps as leaving and repeating blocks.
//!
//! A label that is jumped to from before gets a block that ends in front of it, and the jump leaves that
//! block; one that is jumped to from behind gets a block that starts at it, and the jump repeats that.
//! Blocks must nest: where two would overlap, one is made larger, which changes nothing but the nesting.
//! What remains are jumps into the middle of a loop.

use super::Lowerer;
use super::init::Init;
use crate::ast::{Block, Expr, ExprKind, Initializer, Name, Stmt, StmtKind, Symbol, UnaryOp};
use crate::types::TypeId;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Label, Operand, StmtKind as LslKind};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashSet;

/// A stretch of statements that becomes a block.
#[derive(Clone, Debug)]
struct Region {
    start: usize,
    end: usize,
    label: Label,
    /// The label of the source; none for a case.
    name: Option<Symbol>,
    /// Whether jumps repeat it; otherwise they leave it.
    repeats: bool,
}

/// What a `switch` does before its body.
struct Dispatch {
    word: Operand,
    ty: TypeId,
    leave: Label,
    span: Span,
}

impl<'u> Lowerer<'u> {
    /// Statements in one scope, with the labels among them.
    pub(super) fn statements(&mut self, statements: &'u [Stmt]) {
        let regions = self.label_regions(statements);
        self.emit_regions(statements, regions, &[], None);
    }

    /// The body of a `switch`.
    pub(super) fn switch_body(
        &mut self,
        word: Operand,
        ty: TypeId,
        statements: &'u [Stmt],
        leave: Label,
        span: Span,
    ) {
        let mut regions = self.label_regions(statements);
        let mut cases = Vec::new();
        for (index, stmt) in statements.iter().enumerate() {
            if matches!(stmt.kind, StmtKind::Case { .. } | StmtKind::Default) {
                let label = self.builder.label();
                regions.push(Region { start: 0, end: index, label, name: None, repeats: false });
                cases.push((index, label));
            }
        }
        self.emit_regions(statements, regions, &cases, Some(Dispatch { word, ty, leave, span }));
    }

    fn label_regions(&mut self, statements: &'u [Stmt]) -> Vec<Region> {
        let mut regions = Vec::new();
        for (at, stmt) in statements.iter().enumerate() {
            let StmtKind::Label(name) = stmt.kind else { continue };
            let jumps: Vec<usize> =
                (0..statements.len()).filter(|&i| jumps_to(&statements[i], name.symbol)).collect();
            let name = Some(name.symbol);
            if let Some(&start) = jumps.iter().find(|&&i| i < at) {
                let label = self.builder.label();
                regions.push(Region { start, end: at, label, name, repeats: false });
            }
            if let Some(&last) = jumps.iter().rev().find(|&&i| i > at) {
                let label = self.builder.label();
                regions.push(Region { start: at, end: last + 1, label, name, repeats: true });
            }
        }
        regions
    }

    /// Makes regions nest, then emits statements and blocks.
    fn emit_regions(
        &mut self,
        statements: &'u [Stmt],
        mut regions: Vec<Region>,
        cases: &[(usize, Label)],
        dispatch: Option<Dispatch>,
    ) {
        loop {
            let mut changed = false;
            for i in 0..regions.len() {
                for j in 0..regions.len() {
                    let (a, b) = (&regions[i], &regions[j]);
                    // `a` starts first and ends inside of `b`.
                    if !(a.start < b.start && b.start < a.end && a.end < b.end) {
                        continue;
                    }
                    if a.repeats {
                        regions[i].end = b.end;
                    } else if !b.repeats {
                        regions[j].start = a.start;
                    } else {
                        let span = statements[a.end.min(statements.len() - 1)].span;
                        let why = "a loop can only be entered at its start";
                        return self.unsupported(span, "a jump into the middle of a loop", why);
                    }
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        // The longest first where several start; a leaving block around a repeating one of equal extent.
        regions.sort_by_key(|region| (region.start, std::cmp::Reverse(region.end), region.repeats));
        let mut dispatch = dispatch;
        self.emit_range(statements, 0, statements.len(), &regions, cases, &mut dispatch);
    }

    fn emit_range(
        &mut self,
        statements: &'u [Stmt],
        from: usize,
        to: usize,
        regions: &[Region],
        cases: &[(usize, Label)],
        dispatch: &mut Option<Dispatch>,
    ) {
        let mut at = from;
        let mut next = 0;
        loop {
            if let Some(region) = regions.get(next).filter(|region| region.start == at) {
                // Sorted by start, so what lies inside follows directly; an empty region is inside too.
                let inside =
                    |r: &&Region| r.start < region.end || (r.start, r.end) == (region.start, region.end);
                let count = regions[next + 1..].iter().take_while(inside).count();
                let inner = &regions[next + 1..next + 1 + count];
                let Some(span) = statements.get(at).map(|stmt| stmt.span) else { return };
                self.builder.open();
                if let Some(name) = region.name {
                    self.builder.targets.push((name, region.label, region.repeats));
                }
                self.emit_range(statements, at, region.end, inner, cases, dispatch);
                if region.name.is_some() {
                    self.builder.targets.pop();
                }
                self.builder.close_block(region.label, region.repeats, span);
                at = region.end;
                next += 1 + count;
                continue;
            }
            if at == 0
                && let Some(dispatch) = dispatch.take()
            {
                self.emit_dispatch(statements, cases, dispatch);
            }
            if at >= to {
                return;
            }
            match &statements[at].kind {
                StmtKind::Case { .. } | StmtKind::Default if !cases.is_empty() => {}
                _ => self.statement(&statements[at]),
            }
            at += 1;
        }
    }

    /// Jumps to the case that fits.
    fn emit_dispatch(&mut self, statements: &'u [Stmt], cases: &[(usize, Label)], dispatch: Dispatch) {
        let Dispatch { word, ty, leave, span } = dispatch;
        let mut otherwise = leave;
        for (index, label) in cases {
            match &statements[*index].kind {
                StmtKind::Case { low, high } => {
                    if let Some(test) = self.case_test(word, ty, low, high.as_ref()) {
                        self.builder.break_if(*label, test, low.span);
                    }
                }
                _ => otherwise = *label,
            }
        }
        self.builder.break_to(otherwise, span);
    }

    pub(super) fn goto(&mut self, name: Name) {
        let target = self.builder.targets.iter().rev().find(|(symbol, ..)| *symbol == name.symbol);
        match target {
            Some(&(_, label, true)) => {
                self.builder.emit(LslKind::Continue { label, when: None }, name.span);
            }
            Some(&(_, label, false)) => self.builder.break_to(label, name.span),
            None => {
                let text = self.text(name.symbol);
                let diagnostic = Diagnostic::error(name.span, format!("`goto {text}` is not supported here"))
                    .note(
                        "a jump can leave blocks or go back to an earlier statement, but not enter a block",
                    );
                self.report(diagnostic);
            }
        }
    }
}

/// Whether a statement contains a `goto` to a label.
fn jumps_to(stmt: &Stmt, label: Symbol) -> bool {
    let block = |block: &Block| block.statements.iter().any(|stmt| jumps_to(stmt, label));
    match &stmt.kind {
        StmtKind::Goto(name) => name.symbol == label,
        StmtKind::Block(inner) | StmtKind::Atomic(inner) => block(inner),
        StmtKind::If { then, otherwise, .. } => {
            jumps_to(then, label) || otherwise.as_deref().is_some_and(|stmt| jumps_to(stmt, label))
        }
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::Switch { body, .. } => jumps_to(body, label),
        StmtKind::Expr(expr) => expr_jumps_to(expr, label),
        _ => false,
    }
}

/// Whether a statement expression, such as a macro's, contains a `goto` to a label.
fn expr_jumps_to(expr: &Expr, label: Symbol) -> bool {
    let mut found = false;
    visit(expr, &mut |inner| {
        if let ExprKind::Statements(block) = &inner.kind {
            found |= block.statements.iter().any(|stmt| jumps_to(stmt, label));
        }
        true
    });
    found
}

/// The names whose address is taken in a function.
pub(super) fn addressed_names(body: &Block) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    body.statements.iter().for_each(|stmt| addressed_in(stmt, &mut names));
    names
}

fn addressed_in(stmt: &Stmt, names: &mut FxHashSet<Symbol>) {
    let mut expr = |expr: &Expr| addressed_in_expr(expr, names);
    match &stmt.kind {
        StmtKind::Expr(inner) | StmtKind::Return(Some(inner)) | StmtKind::ComputedGoto(inner) => expr(inner),
        StmtKind::Declaration(declaration) => {
            for declarator in &declaration.declarators {
                if let Some(value) = &declarator.initializer {
                    addressed_in_initializer(value, names);
                }
            }
        }
        StmtKind::Block(block) | StmtKind::Atomic(block) => {
            block.statements.iter().for_each(|stmt| addressed_in(stmt, names));
        }
        StmtKind::If { condition, then, otherwise } => {
            expr(condition);
            addressed_in(then, names);
            otherwise.iter().for_each(|stmt| addressed_in(stmt, names));
        }
        StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
            expr(condition);
            addressed_in(body, names);
        }
        StmtKind::For { start, condition, step, body } => {
            condition.iter().chain(step).for_each(&mut expr);
            start.iter().for_each(|stmt| addressed_in(stmt, names));
            addressed_in(body, names);
        }
        StmtKind::Switch { value, body } => {
            expr(value);
            addressed_in(body, names);
        }
        StmtKind::Asm(asm) => {
            asm.outputs.iter().chain(&asm.inputs).for_each(|o| addressed_in_expr(&o.value, names))
        }
        _ => {}
    }
}

fn addressed_in_initializer(value: &Initializer, names: &mut FxHashSet<Symbol>) {
    match value {
        Initializer::Expr(expr) => addressed_in_expr(expr, names),
        Initializer::List(list) => {
            list.items.iter().for_each(|item| addressed_in_initializer(&item.value, names));
        }
    }
}

fn addressed_in_expr(expr: &Expr, names: &mut FxHashSet<Symbol>) {
    visit(expr, &mut |inner| {
        match &inner.kind {
            ExprKind::Unary(UnaryOp::AddressOf, operand) => names.extend(base_name(operand)),
            ExprKind::Statements(block) => block.statements.iter().for_each(|stmt| addressed_in(stmt, names)),
            ExprKind::CompoundLiteral(_, list) => {
                list.items.iter().for_each(|item| addressed_in_initializer(&item.value, names));
            }
            // The expected value of a compare-exchange is handed over by address, but stays a variable.
            ExprKind::Call { arguments, .. } if arguments.len() == 6 => {
                for (index, argument) in arguments.iter().enumerate() {
                    match &argument.kind {
                        ExprKind::Unary(UnaryOp::AddressOf, place)
                            if index == 1 && base_name(place).is_some() => {}
                        _ => addressed_in_expr(argument, names),
                    }
                }
                return false;
            }
            _ => {}
        }
        true
    });
}

/// Whether an initialiser mentions a name.
pub(super) fn mentions(value: Init, name: Symbol) -> bool {
    match value {
        Init::List(list) => list.items.iter().any(|item| mentions((&item.value).into(), name)),
        Init::Expr(expr) => {
            let mut found = false;
            visit(expr, &mut |inner| {
                found |= matches!(inner.kind, ExprKind::Name(symbol) if symbol == name);
                true
            });
            found
        }
    }
}

/// The variable whose address the address of a place is derived from.
fn base_name(place: &Expr) -> Option<Symbol> {
    match &place.kind {
        ExprKind::Name(symbol) => Some(*symbol),
        ExprKind::Member { object, arrow: false, .. } => base_name(object),
        ExprKind::Index { array, .. } => base_name(array),
        _ => None,
    }
}

/// Visits an expression and, where `f` says so, those in it.
fn visit(expr: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if !f(expr) {
        return;
    }
    let mut go = |inner: &Expr| visit(inner, f);
    match &expr.kind {
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member { object: a, .. } => go(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign { target: a, value: b, .. }
        | ExprKind::Index { array: a, index: b } => {
            go(a);
            go(b);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            go(condition);
            then.iter().for_each(|then| go(then));
            go(otherwise);
        }
        ExprKind::Call { callee, arguments } => {
            go(callee);
            arguments.iter().for_each(go);
        }
        ExprKind::Generic { choices, .. } => choices.iter().for_each(|(_, value)| go(value)),
        _ => {}
    }
}

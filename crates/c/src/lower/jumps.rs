//! `goto`, labels and cases: jumps as leaving and repeating blocks.
//!
//! A label that is jumped to from before gets a block that ends in front of it, and the jump leaves that
//! block; one that is jumped to from behind gets a block that starts at it, and the jump repeats that.
//! Blocks must nest: where two would overlap, one is made larger, which changes nothing but the nesting.
//! What remains are jumps into the middle of a loop.
//!
//! A `switch` is a list of statements with one more in front of it, which jumps to the case that fits.

use super::switch::Dispatch;
use super::{Lowerer, visit};
use crate::ast::{Name, Stmt, StmtKind, Symbol};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::{Label, StmtKind as LslKind};

/// A stretch of statements that becomes a block.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Position of its first statement.
    start: usize,
    /// Position behind its last statement.
    end: usize,
    label: Label,
    /// The label of the source; none for a case.
    name: Option<Symbol>,
    /// Whether jumps repeat it; otherwise they leave it.
    repeats: bool,
}

/// Statements under way, of a block or of the body of a `switch`.
pub(super) struct List<'u> {
    statements: &'u [Stmt],
    /// What jumps to a case: the statement at position 0, where there is one.
    dispatch: Option<Dispatch<'u>>,
}

impl<'u> List<'u> {
    /// The position of a statement.
    fn position(&self, index: usize) -> usize {
        index + usize::from(self.dispatch.is_some())
    }

    fn end(&self) -> usize {
        self.position(self.statements.len())
    }

    /// The statement at a position; none for the one that jumps to a case.
    fn at(&self, position: usize) -> Option<&'u Stmt> {
        self.statements.get(position.checked_sub(usize::from(self.dispatch.is_some()))?)
    }

    /// The position of a label: that of the first label in an unbroken row of them.
    fn target(&self, index: usize) -> usize {
        let is_label =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Case { .. } | StmtKind::Default);
        let row = self.statements[..index].iter().rev().take_while(|stmt| is_label(stmt)).count();
        self.position(index - row)
    }
}

impl<'u> Lowerer<'u> {
    /// Statements in one scope, with the labels among them.
    pub(super) fn statements(&mut self, statements: &'u [Stmt]) {
        let list = List { statements, dispatch: None };
        let regions = self.label_regions(&list);
        self.emit_regions(&list, regions);
    }

    /// The body of a `switch`; `cases` are the labels to leave for the cases at these statements.
    pub(super) fn switch_statements(
        &mut self,
        statements: &'u [Stmt],
        dispatch: Dispatch<'u>,
        cases: &[(usize, Label)],
    ) {
        let list = List { statements, dispatch: Some(dispatch) };
        let mut regions = self.label_regions(&list);
        for &(index, label) in cases {
            let end = list.target(index);
            regions.push(Region { start: 0, end, label, name: None, repeats: false });
        }
        self.emit_regions(&list, regions);
    }

    fn label_regions(&mut self, list: &List<'u>) -> Vec<Region> {
        let mut regions = Vec::new();
        for (index, stmt) in list.statements.iter().enumerate() {
            let StmtKind::Label(name) = stmt.kind else { continue };
            let jumps: Vec<usize> = (0..list.statements.len())
                .filter(|&i| visit::jumps_to(&list.statements[i], name.symbol))
                .collect();
            let (at, name) = (list.target(index), Some(name.symbol));
            if let Some(&first) = jumps.iter().find(|&&i| i < index) {
                let label = self.builder.label();
                let start = list.position(first);
                regions.push(Region { start, end: at, label, name, repeats: false });
            }
            if let Some(&last) = jumps.iter().rev().find(|&&i| i > index) {
                let label = self.builder.label();
                let end = list.position(last) + 1;
                regions.push(Region { start: at, end, label, name, repeats: true });
            }
        }
        regions
    }

    /// Makes regions nest, then emits statements and blocks.
    fn emit_regions(&mut self, list: &List<'u>, mut regions: Vec<Region>) {
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
                        let Some(stmt) = list.at(a.end) else { return };
                        let why = "a loop can only be entered at its start";
                        return self.unsupported(stmt.span, "a jump into the middle of a loop", why);
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
        self.emit_range(list, 0, list.end(), &regions, false);
    }

    /// Emits the statements from one position to another; `skippable` if jumps go past them.
    fn emit_range(&mut self, list: &List<'u>, from: usize, to: usize, regions: &[Region], skippable: bool) {
        let mut at = from;
        let mut next = 0;
        while at < to {
            if let Some(region) = regions.get(next).filter(|region| region.start == at) {
                // Sorted by start, so what lies inside follows directly.
                let count = regions[next + 1..].iter().take_while(|inner| inner.start < region.end).count();
                self.emit_region(list, region, &regions[next + 1..next + 1 + count], skippable);
                at = region.end;
                next += 1 + count;
                continue;
            }
            match list.at(at) {
                Some(stmt @ Stmt { kind: StmtKind::Case { .. } | StmtKind::Default, .. })
                    if list.dispatch.is_some() =>
                {
                    self.pass_label(stmt);
                }
                Some(stmt) => {
                    let outside = self.builder.may_be_skipped;
                    self.builder.may_be_skipped = skippable && matches!(stmt.kind, StmtKind::Declaration(_));
                    let start = self.builder.mark();
                    self.statement(stmt);
                    self.slot_before(stmt, start);
                    self.builder.may_be_skipped = outside;
                }
                None => {
                    if let Some(dispatch) = &list.dispatch {
                        self.emit_dispatch(dispatch);
                    }
                }
            }
            at += 1;
        }
    }

    fn emit_region(&mut self, list: &List<'u>, region: &Region, inner: &[Region], skippable: bool) {
        let span = match (list.at(region.start), &list.dispatch) {
            (Some(stmt), _) => stmt.span,
            (None, Some(dispatch)) => dispatch.span,
            (None, None) => return,
        };
        self.builder.open();
        if let Some(name) = region.name {
            self.builder.targets.push((name, region.label, region.repeats));
        }
        let outside = self.builder.set_repeated(self.builder.is_repeated() || region.repeats);
        self.emit_range(list, region.start, region.end, inner, skippable || !region.repeats);
        self.builder.set_repeated(outside);
        if region.name.is_some() {
            self.builder.targets.pop();
        }
        self.builder.close_block(region.label, region.repeats, span);
    }

    pub(super) fn goto(&mut self, name: Name) {
        let target = self.builder.targets.iter().rev().find(|(symbol, ..)| *symbol == name.symbol);
        let text = self.text(name.symbol);
        match target {
            Some(&(_, label, true)) => {
                self.builder.emit(LslKind::Continue { label, when: None }, name.span);
            }
            Some(&(_, label, false)) => self.builder.break_to(label, name.span),
            None if !self.builder.label_names.contains(&name.symbol) => {
                self.error(name.span, format!("there is no label `{text}` in this function"));
            }
            None => {
                let why = "a jump can leave blocks or go back to an earlier statement, but not enter a block";
                let message = format!("`goto {text}` into a block is not supported");
                self.report(Diagnostic::error(name.span, message).note(why));
            }
        }
    }
}

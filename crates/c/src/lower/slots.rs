//! Slots: the places between statements where the text of a fence could be put.
//!
//! A place is in front of a statement that touches memory or jumps, at the end of a block, or around the lone body of
//! an `if` or a loop, which then needs braces. Of two places with no access between them only the first is made. Text
//! is inserted into files of the user's alone and never into what a macro expands to: of statements that come from
//! one use of a macro, the first has its place in front of that use. Such statements are recognised by the text
//! itself: what lies between the statement before and this one must be blank, or start with the name that expands to
//! it.

use super::Lowerer;
use crate::ast::{Stmt, StmtKind};
use crate::scan::{PieceKind, Scanner};
use fencepost_lsl::program::{Place, Slot, SlotId, Stmt as LslStmt, StmtKind as LslKind};
use fencepost_lsl::source::{FileId, Span};
use rustc_hash::FxHashMap;

/// The places made so far, and where in the text we are.
#[derive(Default)]
pub(super) struct Slots {
    /// By position: what is lowered twice, or included twice, has one place.
    known: FxHashMap<(Span, Option<Span>), SlotId>,
    gap: Gap,
}

/// Where the text of a fence in front of the next statement could go.
#[derive(Clone, Copy, Default)]
pub(super) enum Gap {
    /// Nowhere.
    #[default]
    None,
    /// In a list of statements, behind this offset.
    List { file: FileId, from: u32 },
    /// In front of the lone body of an `if` or a loop.
    Body,
}

impl Lowerer<'_> {
    /// Begins a list of statements between the braces of `span`. Returns what [`Self::leave_list`] takes.
    pub(super) fn enter_list(&mut self, span: Span) -> Gap {
        let braces = self.program.sources.text(span).starts_with('{') && self.program.sources.is_user(span);
        let gap = match braces {
            true => Gap::List { file: span.file, from: span.start + 1 },
            false => Gap::None,
        };
        self.slots.as_mut().map_or(Gap::None, |slots| std::mem::replace(&mut slots.gap, gap))
    }

    /// Begins the body of an `if` or a loop.
    pub(super) fn enter_body(&mut self, stmt: &Stmt) -> Gap {
        let gap = match self.stands_alone(stmt) {
            true => Gap::Body,
            false => Gap::None,
        };
        self.slots.as_mut().map_or(Gap::None, |slots| std::mem::replace(&mut slots.gap, gap))
    }

    /// Ends a list of statements or a body.
    pub(super) fn leave_list(&mut self, outer: Gap) {
        if let Some(slots) = &mut self.slots {
            slots.gap = outer;
        }
    }

    /// Whether a body can be put between braces: it is no block yet, and all of its text is in the file.
    fn stands_alone(&self, stmt: &Stmt) -> bool {
        let (sources, span) = (&self.program.sources, stmt.span);
        if matches!(stmt.kind, StmtKind::Block(_)) || !sources.is_user(span) {
            return false;
        }
        let text = &sources.file(span.file).text;
        let before = text[..span.start as usize].trim_end();
        sources.text(span).ends_with([';', '}'])
            && (before.ends_with(')') || before.ends_with("else") || before.ends_with("do"))
    }

    /// Passes a label of a `switch`.
    pub(super) fn pass_label(&mut self, stmt: &Stmt) {
        if let Some(Slots { gap: Gap::List { file, from }, .. }) = &mut self.slots
            && stmt.span.file == *file
        {
            *from = stmt.span.end.max(*from);
        }
    }

    /// Makes a slot in front of a statement whose code begins at `start` of the list under way, if it needs
    /// one, and passes it.
    pub(super) fn slot_before(&mut self, stmt: &Stmt, start: usize) {
        let Some(slots) = &self.slots else { return };
        let gap = slots.gap;
        self.pass_label(stmt);
        let code = self.builder.list().map_or(&[][..], |list| &list[start.min(list.len())..]);
        let jumps = matches!(
            stmt.kind,
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Return(_)
        );
        if !jumps && !accesses(code) {
            return;
        }
        let place = match gap {
            Gap::None => None,
            Gap::List { file, from } => self.insertion(file, from, stmt.span).map(|at| (at, None)),
            Gap::Body => Some((Span { end: stmt.span.start, ..stmt.span }, Some(stmt.span))),
        };
        if let Some((at, alone)) = place {
            self.make_slot(at, alone, start);
        }
    }

    /// Makes a slot in front of the closing brace of `span`.
    pub(super) fn slot_at_end(&mut self, span: Span) {
        let Some(Slots { gap: Gap::List { .. }, .. }) = self.slots else { return };
        if self.program.sources.text(span).ends_with('}') {
            let at = Span { start: span.end - 1, end: span.end - 1, ..span };
            self.make_slot(at, None, self.builder.mark());
        }
    }

    /// Makes a slot behind the lone body of an `if` or a loop.
    pub(super) fn slot_behind(&mut self, stmt: &Stmt) {
        let Some(Slots { gap: Gap::Body, .. }) = self.slots else { return };
        let at = Span { start: stmt.span.end, ..stmt.span };
        self.make_slot(at, Some(stmt.span), self.builder.mark());
    }

    /// Where text can be inserted in front of a statement, given the end of what comes before it.
    fn insertion(&self, file: FileId, from: u32, stmt: Span) -> Option<Span> {
        if stmt.file != file || stmt.start < from {
            return None;
        }
        let text = &self.program.sources.file(file).text;
        let gap = &text[from as usize..stmt.start as usize];
        let at = |offset| Some(Span::new(file, offset, offset));
        let pieces: Vec<_> = Scanner::new(gap).collect();
        if pieces.iter().any(|piece| piece.kind == PieceKind::Directive) {
            // Some of the text between may be left out by the preprocessor.
            let line = gap.rsplit('\n').next().unwrap_or(gap);
            return if line.trim().is_empty() { at(stmt.start) } else { None };
        }
        match pieces.first() {
            None => at(stmt.start),
            Some(piece) => {
                let first = piece.text(gap).chars().next()?;
                let offset = from + piece.start;
                if first == '_' || first.is_alphabetic() { at(offset) } else { None }
            }
        }
    }

    /// Puts a slot at a position of the list under way, unless nothing happens since the one before it or
    /// the position is never reached.
    fn make_slot(&mut self, at: Span, alone: Option<Span>, position: usize) {
        if self.unevaluated > 0 {
            return;
        }
        let function = self.builder.name.clone();
        let (Some(slots), Some(list)) = (&mut self.slots, self.builder.list()) else { return };
        let behind = list[position..].iter().find(|stmt| !is_silent(&stmt.kind));
        if behind.is_some_and(|stmt| matches!(stmt.kind, LslKind::Slot(_))) {
            return;
        }
        let before = list[..position].iter().rev().find(|stmt| !is_silent(&stmt.kind));
        if before.is_some_and(|stmt| {
            matches!(
                stmt.kind,
                LslKind::Slot(_) | LslKind::Break { when: None, .. } | LslKind::Continue { when: None, .. }
            )
        }) {
            return;
        }
        let table = &mut self.program.slots;
        let id = *slots.known.entry((at, alone)).or_insert_with(|| {
            // Loops are counted when all procedures are made.
            table.push(Slot { at, alone, function, loop_depth: 0 });
            SlotId(table.len() as u32 - 1)
        });
        list.insert(position, LslStmt { kind: LslKind::Slot(id), span: at });
    }
}

/// Whether code touches memory, or may.
fn accesses(code: &[LslStmt]) -> bool {
    code.iter().any(|stmt| match &stmt.kind {
        LslKind::Block { body, .. } => accesses(body),
        LslKind::Break { .. } | LslKind::Continue { .. } | LslKind::Slot(_) => false,
        kind => !is_silent(kind),
    })
}

/// Whether a fence in front of a statement orders the same as one behind it.
fn is_silent(kind: &LslKind) -> bool {
    matches!(
        kind,
        LslKind::Assign { .. }
            | LslKind::Fence(_)
            | LslKind::Assert { .. }
            | LslKind::Assume { .. }
            | LslKind::Choose { .. }
            | LslKind::Alloc { place: Place::Stack, .. }
    )
}

//! Which macros turn a line of a file into what was printed for it.
//!
//! Nothing tells us which names are macros, so we look for the cheapest explanation: each piece of the
//! line either was printed as it is, or it is a name that, alone or with the parenthesised arguments
//! behind it, stands for some of the printed words. Macros cost something, and so does each word that
//! comes out of one. The costs of explaining every tail of the words by every tail of the pieces fill a
//! table from the end, as for an edit distance.

use crate::scan::{Piece, PieceKind};
use crate::token::Punctuator;

/// How one piece, or a name with arguments, became words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The piece was printed as it is.
    Equal,
    /// An invocation of a macro, which stands for the words before `words_end`.
    Macro {
        /// Index of the first word behind the expansion.
        words_end: usize,
        /// Index of the first piece behind the invocation.
        pieces_end: usize,
    },
}

/// What a macro costs; a word from it costs 1.
const MACRO: u32 = 2;
/// What it costs on top if it stands for nothing.
const EMPTY: u32 = 1;
const IMPOSSIBLE: u32 = u32::MAX / 2;

/// Tables larger than this are not filled: that many tokens on a line were not written by people.
const CELL_LIMIT: usize = 1 << 20;
/// How far behind its opening parenthesis an invocation may end.
const ARGUMENT_LIMIT: usize = 4096;

/// The cheapest explanation of all `words` by the pieces `from..to` of `text`, if there is one. Only the
/// last invocation may reach beyond `to`, into further lines.
pub(crate) fn explain(
    words: &[&str],
    text: &str,
    pieces: &[Piece],
    from: usize,
    to: usize,
) -> Option<Vec<Step>> {
    if (words.len() + 1).saturating_mul(to - from + 1) > CELL_LIMIT {
        return None;
    }
    // An expansion nearly always has balanced brackets, which tells where it can end; `#define BEGIN {`
    // is the exception.
    let balanced = Table::fill(words, text, pieces, from, to, &depths(words));
    let table = match balanced.costs_at(0, 0) {
        IMPOSSIBLE => Table::fill(words, text, pieces, from, to, &vec![0; words.len() + 1]),
        _ => balanced,
    };
    table.read(from)
}

/// How many brackets are open before each word and behind the last, counted from the least number.
fn depths(words: &[&str]) -> Vec<usize> {
    let mut depth = 0i32;
    let mut depths = vec![depth];
    for word in words {
        depth += match *word {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        depths.push(depth);
    }
    let least = depths.iter().copied().min().unwrap_or(0);
    depths.into_iter().map(|depth| (depth - least) as usize).collect()
}

/// One way to read a name as a macro.
struct Candidate {
    /// Index of the first piece behind the invocation.
    pieces_end: usize,
    /// Column of the table for what follows.
    next: usize,
    /// By bracket depth: where the expansion best ends, of all places with that depth seen so far, and
    /// the cost of what follows plus the index of that place.
    ends: Vec<(u32, usize)>,
}

#[derive(Clone, Copy)]
struct Cell {
    cost: u32,
    step: Step,
}

/// For each number of words and pieces left out at the start, how to explain the rest.
struct Table {
    /// Row by row; a row for each word and one behind them, a column for each piece and one behind.
    cells: Vec<Cell>,
    columns: usize,
}

impl Table {
    fn fill(words: &[&str], text: &str, pieces: &[Piece], from: usize, to: usize, depths: &[usize]) -> Table {
        let columns = to - from + 1;
        let cell = Cell { cost: IMPOSSIBLE, step: Step::Equal };
        let mut table = Table { cells: vec![cell; (words.len() + 1) * columns], columns };
        if let Some(last) = table.cells.last_mut() {
            last.cost = 0;
        }
        let depth_count = depths.iter().max().map_or(1, |max| max + 1);
        let mut candidates: Vec<Vec<Candidate>> =
            (from..to).map(|name| candidates(pieces, name, from, to, depth_count)).collect();
        for (row, &depth) in depths.iter().enumerate().rev() {
            for (column, candidates) in candidates.iter_mut().enumerate().rev() {
                let mut best = cell;
                let piece = pieces.get(from + column).map(|piece| piece.text(text));
                if piece == words.get(row).copied() {
                    best.cost = table.costs_at(row + 1, column + 1);
                }
                for candidate in candidates {
                    let rest = table.costs_at(row, candidate.next);
                    candidate.explain_from(row, depth, rest, &mut best);
                }
                if let Some(cell) = table.cells.get_mut(row * columns + column) {
                    *cell = best;
                }
            }
        }
        table
    }

    fn costs_at(&self, row: usize, column: usize) -> u32 {
        self.cells.get(row * self.columns + column).map_or(IMPOSSIBLE, |cell| cell.cost)
    }

    /// The steps from the first word and piece to the last.
    fn read(&self, from: usize) -> Option<Vec<Step>> {
        let rows = self.cells.len() / self.columns;
        let (mut row, mut column) = (0, 0);
        let mut steps = Vec::new();
        while row + 1 < rows || column + 1 < self.columns {
            let cell = self.cells.get(row * self.columns + column).filter(|cell| cell.cost < IMPOSSIBLE)?;
            steps.push(cell.step);
            (row, column) = match cell.step {
                Step::Equal => (row + 1, column + 1),
                Step::Macro { words_end, pieces_end } => {
                    (words_end, pieces_end.saturating_sub(from).min(self.columns - 1))
                }
            };
        }
        Some(steps)
    }
}

impl Candidate {
    /// Offers this way to read the name as the explanation of the words from `row` on, where `rest` is
    /// the cost if it stands for none of them.
    fn explain_from(&mut self, row: usize, depth: usize, rest: u32, best: &mut Cell) {
        let mut offer = |cost: u32, words_end: usize| {
            if cost < best.cost {
                *best = Cell { cost, step: Step::Macro { words_end, pieces_end: self.pieces_end } };
            }
        };
        let Some(end) = self.ends.get_mut(depth) else { return };
        if end.0 < IMPOSSIBLE {
            offer(end.0 - row as u32 + MACRO, end.1);
        }
        if rest < IMPOSSIBLE {
            offer(rest + MACRO + EMPTY, row);
            let here = rest + row as u32;
            if here <= end.0 {
                *end = (here, row);
            }
        }
    }
}

/// The ways to read the piece `name` as a macro: with the arguments behind it, and alone.
fn candidates(pieces: &[Piece], name: usize, from: usize, to: usize, depth_count: usize) -> Vec<Candidate> {
    let is_name = pieces.get(name).is_some_and(|piece| piece.kind == PieceKind::Identifier);
    let ends = [behind_arguments(pieces, name + 1), Some(name + 1)];
    let candidate = |pieces_end: usize| Candidate {
        pieces_end,
        next: pieces_end.min(to) - from,
        ends: vec![(IMPOSSIBLE, 0); depth_count],
    };
    ends.into_iter().flatten().filter(|_| is_name).map(candidate).collect()
}

/// The index behind the parenthesised list that opens at `open`, if one does.
fn behind_arguments(pieces: &[Piece], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, piece) in pieces.iter().enumerate().skip(open).take(ARGUMENT_LIMIT) {
        match piece.kind {
            PieceKind::Punctuator(Punctuator::OpenParen) => depth += 1,
            PieceKind::Punctuator(Punctuator::CloseParen) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return (index > open).then_some(index + 1);
        }
    }
    None
}

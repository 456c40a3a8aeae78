//! Random programs with control flow.

use super::{Cond, Expr, REGISTERS, Stmt, VARIABLES};
use crate::random::Random;

/// What a statement stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing that could be left.
    Body,
    /// A loop.
    Loop,
    /// A `switch` in a body.
    Switch,
    /// An atomic block.
    Block,
}

/// The threads of a program.
pub fn program(random: &mut Random) -> Vec<Vec<Stmt>> {
    let threads = if random.one_in(5) { 3 } else { 2 };
    (0..threads)
        .map(|_| {
            let count = 1 + random.below(3);
            list(random, 2, Around::Body, count)
        })
        .collect()
}

fn list(random: &mut Random, depth: usize, around: Around, count: usize) -> Vec<Stmt> {
    (0..count).map(|_| stmt(random, depth, around)).collect()
}

fn some(random: &mut Random, depth: usize, around: Around) -> Vec<Stmt> {
    let count = 1 + random.below(3);
    list(random, depth, around, count)
}

fn expr(random: &mut Random) -> Expr {
    let reg = random.below(REGISTERS);
    match random.below(6) {
        0 | 1 => Expr::Const(random.below(3) as u8),
        2 | 3 => Expr::Reg(reg),
        4 => Expr::Next(reg),
        _ => Expr::Flip(reg),
    }
}

fn cond(random: &mut Random) -> Cond {
    let reg = random.below(REGISTERS);
    match random.below(4) {
        0 => Cond::Set(reg),
        1 => Cond::Clear(reg),
        2 => Cond::Same(reg, random.below(REGISTERS)),
        _ => Cond::Is(reg, random.below(3) as u8),
    }
}

fn stmt(random: &mut Random, depth: usize, around: Around) -> Stmt {
    if depth == 0 || random.below(20) < 9 {
        return leaf(random, around);
    }
    let inside = |around| if around == Around::Body { Around::Switch } else { around };
    match random.below(10) {
        0..=2 => {
            let yes = some(random, depth - 1, around);
            let no = if random.one_in(2) { some(random, depth - 1, around) } else { Vec::new() };
            Stmt::If(cond(random), yes, no)
        }
        3..=5 if around != Around::Block => waiting(random, depth),
        6 => {
            let times = 1 + random.below(2) as u8;
            let inside = if around == Around::Block { Around::Block } else { Around::Loop };
            Stmt::For(times, some(random, depth - 1, inside))
        }
        7 => {
            let case = |random: &mut Random| (some(random, depth - 1, inside(around)), !random.one_in(3));
            let cases = vec![case(random), case(random)];
            let default = random.one_in(2).then(|| some(random, depth - 1, inside(around)));
            Stmt::Switch(random.below(REGISTERS), cases, default)
        }
        8 if around != Around::Block => Stmt::Atomic(some(random, depth - 1, Around::Block)),
        9 => Stmt::Assume(cond(random)),
        _ => leaf(random, around),
    }
}

/// A statement without others in it. Within a loop or `switch` it may leave that.
fn leaf(random: &mut Random, around: Around) -> Stmt {
    let leaves = matches!(around, Around::Loop | Around::Switch);
    if leaves && random.one_in(3) {
        let jump = match around {
            Around::Loop if random.one_in(3) => Stmt::Continue,
            _ => Stmt::Break,
        };
        return Stmt::If(cond(random), vec![jump], Vec::new());
    }
    let (reg, var) = (random.below(REGISTERS), random.below(VARIABLES));
    match random.below(20) {
        0..=5 => Stmt::Load(reg, var),
        6..=11 => Stmt::Store(var, expr(random)),
        12 if around != Around::Block => Stmt::Swap(reg, var, expr(random)),
        13 if around != Around::Block => {
            Stmt::Cas(reg, var, random.below(2) as u8, 1 + random.below(2) as u8)
        }
        14 if around != Around::Block => Stmt::Fence,
        15 => Stmt::Assert(cond(random)),
        _ => Stmt::Set(reg, expr(random)),
    }
}

/// A loop that waits for a variable, mostly; what it does meanwhile may show behind it.
fn waiting(random: &mut Random, depth: usize) -> Stmt {
    let (reg, var) = (random.below(REGISTERS), random.below(VARIABLES));
    let mut round = quiet(random);
    if depth > 1 && random.one_in(6) {
        round.push(stmt(random, depth - 1, Around::Loop));
    }
    if random.one_in(3) {
        round = held(random, round);
    }
    match random.below(4) {
        0 => Stmt::Wait(var, round),
        1 => {
            round.push(Stmt::Load(reg, var));
            Stmt::While(Cond::Clear(reg), round)
        }
        2 => {
            round.insert(0, Stmt::Load(reg, var));
            let on = if random.one_in(4) { random.below(REGISTERS) } else { reg };
            Stmt::DoWhile(round, Cond::Clear(on))
        }
        _ => {
            round.push(Stmt::Load(reg, var));
            Stmt::While(cond(random), round)
        }
    }
}

/// What a loop does, between stores that take a variable and give it back, mostly as it was.
fn held(random: &mut Random, inside: Vec<Stmt>) -> Vec<Stmt> {
    let (reg, var) = (random.below(REGISTERS), random.below(VARIABLES));
    let back = if random.one_in(6) { expr(random) } else { Expr::Const(0) };
    match random.below(3) {
        0 => {
            let take =
                vec![Stmt::Load(reg, var), Stmt::Assume(Cond::Clear(reg)), Stmt::Store(var, Expr::Const(1))];
            [vec![Stmt::Atomic(take)], inside, vec![Stmt::Store(var, back)]].concat()
        }
        1 => {
            let take = Stmt::Swap(reg, var, Expr::Const(1 + random.below(2) as u8));
            let back = if random.one_in(2) { Expr::Reg(reg) } else { back };
            [vec![take], inside, vec![Stmt::Store(var, back)]].concat()
        }
        _ => {
            let taken = [inside, vec![Stmt::Store(var, back)]].concat();
            vec![Stmt::Cas(reg, var, 0, 1), Stmt::If(Cond::Set(reg), taken, Vec::new())]
        }
    }
}

/// Up to two statements that mostly store nothing.
fn quiet(random: &mut Random) -> Vec<Stmt> {
    let count = random.below(3);
    let mut round = Vec::new();
    for _ in 0..count {
        let (reg, var) = (random.below(REGISTERS), random.below(VARIABLES));
        round.push(match random.below(7) {
            0..=2 => Stmt::Load(reg, var),
            3 => Stmt::Set(reg, expr(random)),
            4 => {
                let yes = vec![Stmt::Set(random.below(REGISTERS), expr(random))];
                let no = if random.one_in(2) { vec![Stmt::Set(reg, expr(random))] } else { Vec::new() };
                Stmt::If(cond(random), yes, no)
            }
            5 => {
                let jump = if random.one_in(2) { Stmt::Break } else { Stmt::Continue };
                Stmt::If(cond(random), vec![jump], Vec::new())
            }
            _ => leaf(random, Around::Loop),
        });
    }
    round
}

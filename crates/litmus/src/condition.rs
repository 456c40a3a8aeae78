//! What a test asks of its final states: propositions over registers and locations, their quantifier, and their value in a state.

use crate::text::{Cursor, Result};
use fencepost_lsl::source::Span;
use std::fmt;

/// Something that a final state has a value for, as the test writes it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A register of a thread, or a local variable of one.
    Register {
        /// The number of the thread.
        thread: usize,
        /// The name of the register.
        name: String,
    },
    /// A location of memory.
    Location(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Register { thread, name } => write!(f, "{thread}:{name}"),
            Place::Location(name) => write!(f, "[{name}]"),
        }
    }
}

/// A value of a final state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    /// A number.
    Number(i64),
    /// The address of a location.
    Address(String),
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Number(number) => write!(f, "{number}"),
            Constant::Address(name) => f.write_str(name),
        }
    }
}

/// A proposition. Atoms name values of states by their index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    /// Always, or never.
    Constant(bool),
    /// A value is this one.
    Is(usize, Constant),
    /// Two values are the same.
    Same(usize, usize),
    /// Not.
    Not(Box<Prop>),
    /// Both.
    And(Box<Prop>, Box<Prop>),
    /// At least one.
    Or(Box<Prop>, Box<Prop>),
}

impl Prop {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &[Constant]) -> bool {
        match self {
            Prop::Constant(value) => *value,
            Prop::Is(place, value) => state[*place] == *value,
            Prop::Same(a, b) => state[*a] == state[*b],
            Prop::Not(inner) => !inner.holds(state),
            Prop::And(a, b) => a.holds(state) && b.holds(state),
            Prop::Or(a, b) => a.holds(state) || b.holds(state),
        }
    }

    /// The same where values have other indices.
    fn renumber(&mut self, index: &[usize]) {
        match self {
            Prop::Constant(_) => {}
            Prop::Is(place, _) => *place = index[*place],
            Prop::Same(a, b) => (*a, *b) = (index[*a], index[*b]),
            Prop::Not(inner) => inner.renumber(index),
            Prop::And(a, b) | Prop::Or(a, b) => {
                a.renumber(index);
                b.renumber(index);
            }
        }
    }
}

/// How a condition asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Some state satisfies it.
    Exists,
    /// No state does.
    NotExists,
    /// All states do.
    Forall,
}

impl Quantifier {
    /// herd's word for a test that asks so.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }
}

/// What a test asks.
#[derive(Clone, Debug)]
pub struct Condition {
    /// How.
    pub quantifier: Quantifier,
    /// Of what.
    pub prop: Prop,
    /// As it is written, on one line.
    pub text: String,
}

impl Condition {
    /// That of a test that asks for nothing.
    pub(crate) fn none() -> Condition {
        Condition { quantifier: Quantifier::Forall, prop: Prop::Constant(true), text: "(true)".into() }
    }
}

/// The values that states have: in order of mention, and when all is read, registers first.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) places: Vec<(Place, Span)>,
}

impl Observed {
    fn index(&mut self, place: Place, span: Span) -> usize {
        self.places.iter().position(|(known, _)| *known == place).unwrap_or_else(|| {
            self.places.push((place, span));
            self.places.len() - 1
        })
    }

    fn sort<'p>(&mut self, props: impl Iterator<Item = &'p mut Prop>) {
        let before = self.places.clone();
        self.places.sort();
        let index = |place| self.places.iter().position(|found| found == place);
        let index: Vec<usize> = before.iter().filter_map(index).collect();
        props.for_each(|prop| prop.renumber(&index));
    }
}

/// Reads what stands behind the code: locations, filter, condition.
pub(crate) fn parse(
    cursor: &mut Cursor,
    observed: &mut Observed,
) -> Result<(Option<Prop>, Option<Condition>)> {
    let (mut filter, mut condition) = (None, None);
    while !cursor.done() && !cursor.sees("@") {
        if cursor.eat("locations") {
            locations(cursor, observed)?;
        } else if cursor.eat("filter") {
            filter = Some(implication(cursor, observed)?);
        } else if let Some(quantifier) = quantifier(cursor).filter(|_| condition.is_none()) {
            let before = cursor.clone();
            let prop = implication(cursor, observed)?;
            let length = before.rest().len() - cursor.rest().len();
            let words: Vec<&str> = before.rest()[..length].split_whitespace().collect();
            condition = Some(Condition { quantifier, prop, text: words.join(" ") });
        } else {
            return Err(cursor.error("neither `locations`, `filter`, `exists`, `~exists` nor `forall`"));
        }
    }
    let props = filter.iter_mut().chain(condition.as_mut().map(|condition| &mut condition.prop));
    observed.sort(props);
    Ok((filter, condition))
}

fn quantifier(cursor: &mut Cursor) -> Option<Quantifier> {
    let before = cursor.clone();
    let negated = cursor.eat("~") || cursor.eat("not");
    if cursor.eat("exists") {
        return Some(if negated { Quantifier::NotExists } else { Quantifier::Exists });
    }
    if !negated && cursor.eat("forall") {
        return Some(Quantifier::Forall);
    }
    *cursor = before;
    None
}

fn locations(cursor: &mut Cursor, observed: &mut Observed) -> Result<()> {
    cursor.expect("[")?;
    while !cursor.eat("]") {
        let (place, span) = typed_place(cursor)?;
        observed.index(place, span);
        cursor.eat(";");
    }
    Ok(())
}

fn implication(cursor: &mut Cursor, observed: &mut Observed) -> Result<Prop> {
    let left = disjunction(cursor, observed)?;
    if !cursor.eat("=>") {
        return Ok(left);
    }
    let right = implication(cursor, observed)?;
    Ok(Prop::Or(Box::new(Prop::Not(Box::new(left))), Box::new(right)))
}

fn disjunction(cursor: &mut Cursor, observed: &mut Observed) -> Result<Prop> {
    let mut prop = conjunction(cursor, observed)?;
    while cursor.eat("\\/") || cursor.eat("||") {
        prop = Prop::Or(Box::new(prop), Box::new(conjunction(cursor, observed)?));
    }
    Ok(prop)
}

fn conjunction(cursor: &mut Cursor, observed: &mut Observed) -> Result<Prop> {
    let mut prop = factor(cursor, observed)?;
    while cursor.eat("/\\") || cursor.eat("&&") {
        prop = Prop::And(Box::new(prop), Box::new(factor(cursor, observed)?));
    }
    Ok(prop)
}

fn factor(cursor: &mut Cursor, observed: &mut Observed) -> Result<Prop> {
    cursor.deeper()?;
    let prop = simple(cursor, observed)?;
    cursor.back();
    Ok(prop)
}

fn simple(cursor: &mut Cursor, observed: &mut Observed) -> Result<Prop> {
    if cursor.eat("~") || cursor.eat("not") {
        return Ok(Prop::Not(Box::new(factor(cursor, observed)?)));
    }
    if cursor.eat("(") {
        let prop = implication(cursor, observed)?;
        cursor.expect(")")?;
        return Ok(prop);
    }
    for (word, value) in [("true", true), ("false", false)] {
        if cursor.eat(word) {
            return Ok(Prop::Constant(value));
        }
    }
    let (left, span) = place(cursor)?;
    let left = observed.index(left, span);
    let differs = cursor.eat("!=") || cursor.eat("<>");
    if !differs && !cursor.eat("==") {
        cursor.expect("=")?;
    }
    let is = match right(cursor)? {
        Right::Constant(value) => Prop::Is(left, value),
        Right::Place(place, span) => Prop::Same(left, observed.index(place, span)),
    };
    Ok(if differs { Prop::Not(Box::new(is)) } else { is })
}

enum Right {
    Constant(Constant),
    Place(Place, Span),
}

fn right(cursor: &mut Cursor) -> Result<Right> {
    let before = cursor.clone();
    if cursor.sees("[") || (cursor.number().is_some() && cursor.sees(":")) {
        *cursor = before;
        let (place, span) = place(cursor)?;
        return Ok(Right::Place(place, span));
    }
    *cursor = before;
    constant(cursor).map(Right::Constant)
}

/// A number, or the address of a location.
pub(crate) fn constant(cursor: &mut Cursor) -> Result<Constant> {
    if let Some(number) = cursor.number() {
        return Ok(Constant::Number(crate::run::as_int(number as u64)));
    }
    let address = cursor.eat("&");
    match cursor.word() {
        Some(word) => Ok(Constant::Address(word.text.to_owned())),
        None if address => Err(cursor.error("the name of a location is missing here")),
        None => Err(cursor.error("a number or the name of a location is missing here")),
    }
}

/// A place behind words that say its type, which make no difference.
pub(crate) fn typed_place(cursor: &mut Cursor) -> Result<(Place, Span)> {
    loop {
        let before = cursor.clone();
        let word = cursor.word();
        let parenthesis = word.is_some_and(|word| word.text == "_Atomic") && cursor.eat("(");
        if parenthesis {
            let closed = cursor.until(')').is_some();
            if !closed {
                return Err(cursor.error("`)` is missing here"));
            }
            continue;
        }
        while cursor.eat("*") {}
        let more = cursor
            .rest()
            .trim_start()
            .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '[');
        // `x[` is an array, `int [` a location behind its type.
        if word.is_none() || !more || cursor.rest().starts_with('[') {
            *cursor = before;
            while cursor.eat("*") {}
            return place(cursor);
        }
    }
}

/// `x`, `[x]`, `0:X1`, `P0:r1`.
pub(crate) fn place(cursor: &mut Cursor) -> Result<(Place, Span)> {
    let start = cursor.here();
    if cursor.eat("[") {
        let word = cursor.word().ok_or_else(|| cursor.error("the name of a location is missing here"))?;
        cursor.expect("]")?;
        return Ok((Place::Location(word.text.to_owned()), word.span));
    }
    let before = cursor.clone();
    let thread = match cursor.number() {
        Some(number) => usize::try_from(number).ok(),
        None => cursor.word().and_then(|word| word.text.strip_prefix('P')?.parse().ok()),
    };
    if let Some(thread) = thread.filter(|_| cursor.eat(":")) {
        let _percent = cursor.eat("%");
        let name = cursor.word().ok_or_else(|| cursor.error("the name of a register is missing here"))?;
        return Ok((Place::Register { thread, name: name.text.to_owned() }, start.to(name.span)));
    }
    *cursor = before;
    match cursor.word() {
        Some(word) => Ok((Place::Location(word.text.to_owned()), word.span)),
        None => Err(cursor.error("a register, as in `0:r1`, or a location is missing here")),
    }
}

//! Interned names: an identifier is a number, so that comparing and hashing names costs nothing.

use rustc_hash::FxHashMap;

/// A name in an [`Interner`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// The names of one translation unit, each stored once.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    /// The text of each symbol, by its number.
    texts: Vec<Box<str>>,
    /// The inverse of `texts`.
    symbols: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    /// The symbol of a name, new if the name is.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of a name, if the unit mentions it.
    pub(crate) fn find(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The name of a symbol; empty for a symbol of another interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", |text| text)
    }
}

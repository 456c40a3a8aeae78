//! The rules of a model: which pending instruction may be executed before an older one.
//!
//! An execution buffer without exceptions is sequential consistency; each model is a table of exceptions
//! (*Automatic Inference of Memory Fences*, Section 2.2). Rows are the older instruction, columns the younger.
//! What holds in all models is not in the tables: an instruction needs its operands; fences forbid what they
//! order; a store waits for all branches in front of it.

/// What an instruction does to memory. A block is an atomic block: every read-modify-write is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Class {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic block.
    Block,
}

/// When a younger instruction may overtake an older one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overtake {
    /// Never.
    Never,
    /// Where they do not access the same bytes, or both only load.
    Elsewhere,
    /// Always. If it loads what the older one is going to store, it takes the value from there.
    Forward,
}

use Overtake::{Elsewhere, Forward, Never};
use fencepost_models::{Buffering, Model};

/// A model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Its name.
    pub name: &'static str,
    /// When the instruction of the column may overtake that of the row; in the order of [`Class`].
    pub(crate) overtake: [[Overtake; 3]; 3],
    /// Whether loads may be executed before the branches in front of them are decided.
    pub(crate) speculates: bool,
    /// Whether a block that could store is ordered like a store even if it does not: a compare-and-swap that
    /// fails like one that succeeds.
    pub(crate) failing_stores: bool,
}

/// Sequential consistency.
pub const SC: Rules = Rules {
    name: "sc",
    //          Load   Store  Block
    overtake: [[Never, Never, Never], [Never, Never, Never], [Never, Never, Never]],
    speculates: false,
    failing_stores: false,
};

/// Total store order: a load may be executed before older stores.
pub(crate) const TSO: Rules = Rules {
    name: "tso",
    overtake: [
        [Never, Never, Never],   // Load
        [Forward, Never, Never], // Store
        [Never, Never, Never],   // Block
    ],
    speculates: false,
    failing_stores: false,
};

/// Partial store order: so may stores, and blocks, where they access something else.
pub(crate) const PSO: Rules = Rules {
    name: "pso",
    overtake: [
        [Never, Never, Never],           // Load
        [Forward, Elsewhere, Elsewhere], // Store
        [Never, Never, Never],           // Block
    ],
    speculates: false,
    failing_stores: false,
};

/// Relaxed memory order: everything may overtake everything but accesses to the same bytes.
pub const RMO: Rules = Rules {
    name: "rmo",
    overtake: [
        [Elsewhere, Elsewhere, Elsewhere], // Load
        [Forward, Elsewhere, Elsewhere],   // Store
        [Elsewhere, Elsewhere, Elsewhere], // Block
    ],
    speculates: true,
    failing_stores: true,
};

impl Rules {
    /// What a model allows, as rules, if it is one that machines run.
    pub fn of(model: &Model) -> Option<&'static Rules> {
        match model.buffering {
            Some(Buffering::Sc) => Some(&SC),
            Some(Buffering::Tso) => Some(&TSO),
            Some(Buffering::Pso) => Some(&PSO),
            None => model.out_of_order.then_some(&RMO),
        }
    }

    /// When `younger` may overtake `older`.
    pub(crate) fn overtake(&self, older: Class, younger: Class) -> Overtake {
        self.overtake[older as usize][younger as usize]
    }
}

/// What fences keep in order: a set of the four kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    const LOAD_LOAD: u8 = 1;
    const LOAD_STORE: u8 = 2;
    const STORE_LOAD: u8 = 4;
    const STORE_STORE: u8 = 8;
    /// What an acquiring load, or fence, keeps before all behind it.
    pub(crate) const ACQUIRE: Kinds = Kinds(Kinds::LOAD_LOAD | Kinds::LOAD_STORE);
    /// What a releasing store, or fence, keeps behind all before it.
    pub(crate) const RELEASE: Kinds = Kinds(Kinds::LOAD_STORE | Kinds::STORE_STORE);
    /// What seq_cst adds behind a store or fence.
    pub(crate) const STORES_BEFORE_LOADS: Kinds = Kinds(Kinds::STORE_LOAD);

    /// The kinds of a fence, or of the C11 order that it stands for.
    pub(crate) fn of(fence: fencepost_lsl::program::Fence) -> Kinds {
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        let mut kinds = Kinds(
            bit(fence.load_load, Kinds::LOAD_LOAD)
                | bit(fence.load_store, Kinds::LOAD_STORE)
                | bit(fence.store_load, Kinds::STORE_LOAD)
                | bit(fence.store_store, Kinds::STORE_STORE),
        );
        if fence.order.acquires() {
            kinds = kinds.with(Kinds::ACQUIRE);
        }
        if fence.order.releases() {
            kinds = kinds.with(Kinds::RELEASE);
        }
        if fence.order == fencepost_lsl::program::Order::SeqCst {
            kinds = kinds.with(Kinds::STORES_BEFORE_LOADS);
        }
        kinds
    }

    pub(crate) fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Those whose first part concerns these effects.
    pub(crate) fn after(self, effect: Effect) -> Kinds {
        let loads = if effect.loads { Kinds::LOAD_LOAD | Kinds::LOAD_STORE } else { 0 };
        let stores = if effect.stores { Kinds::STORE_LOAD | Kinds::STORE_STORE } else { 0 };
        Kinds(self.0 & (loads | stores))
    }

    /// Those whose second part does.
    pub(crate) fn before(self, effect: Effect) -> Kinds {
        let loads = if effect.loads { Kinds::LOAD_LOAD | Kinds::STORE_LOAD } else { 0 };
        let stores = if effect.stores { Kinds::LOAD_STORE | Kinds::STORE_STORE } else { 0 };
        Kinds(self.0 & (loads | stores))
    }

    /// Whether an access with the first effect stays before one with the second.
    pub(crate) fn orders(self, older: Effect, younger: Effect) -> bool {
        self.after(older).before(younger) != Kinds::NONE
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effect {
    /// It loads.
    pub loads: bool,
    /// It stores.
    pub stores: bool,
}

impl Effect {
    /// A load.
    pub const LOAD: Effect = Effect { loads: true, stores: false };
    /// A store.
    pub const STORE: Effect = Effect { loads: false, stores: true };

    pub(crate) fn and(self, other: Effect) -> Effect {
        Effect { loads: self.loads || other.loads, stores: self.stores || other.stores }
    }
}

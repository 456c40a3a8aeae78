//! The subset of cat in which models are written: what a model file says, resolved and checked.
//!
//! cat is the model language of the herd tools. A model is a list of definitions and constraints over
//! relations between the events of an execution; this subset has no pattern matching and no procedures.
//! Functions are expanded where they are used and names resolved, so that an engine sees
//! only operators over the built-in sets and relations of [`BaseSet`] and [`BaseRelation`].

use std::sync::Arc;

/// A memory model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name it was asked for by, such as `tso`.
    pub name: String,
    /// The line it introduces itself with.
    pub title: String,
    /// How orders of C are compiled to what it speaks of, if it is that of a machine with instructions for them.
    pub mapping: Option<&'static str>,
    /// What an execution must satisfy.
    pub constraints: Vec<Constraint>,
    /// What an execution must satisfy not to be an error: a data race breaks one.
    pub flags: Vec<Constraint>,
    /// The store buffers of the machine that runs it, if there is one.
    pub buffering: Option<Buffering>,
    /// Whether the machine that executes instructions out of order runs it, or most of it.
    pub out_of_order: bool,
    /// Whether ghost blocks have a meaning: threads come to one access after the other.
    pub ghosts: bool,
}

/// How the stores of a thread wait on their way to memory, on the machine that does what a model allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Buffering {
    /// Stores reach memory at once.
    #[default]
    Sc,
    /// A store buffer for each thread.
    Tso,
    /// A store buffer for each thread and address.
    Pso,
}

/// A requirement on executions.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// What the relation must be.
    pub test: Test,
    /// The relation.
    pub relation: Arc<Relation>,
    /// Its name.
    pub name: String,
}

/// What a constraint requires of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// No path leads from an event to itself.
    Acyclic,
    /// No event is related to itself.
    Irreflexive,
    /// Nothing is related.
    Empty,
}

/// A set of events.
#[derive(Clone, PartialEq, Debug)]
pub enum Set {
    /// A built-in one.
    Base(BaseSet),
    /// Events in either.
    Union(Arc<Set>, Arc<Set>),
    /// Events in both.
    Inter(Arc<Set>, Arc<Set>),
    /// Events in the first and not the second.
    Diff(Arc<Set>, Arc<Set>),
    /// Events that a relation leads from.
    Domain(Arc<Relation>),
    /// Events that a relation leads to.
    Range(Arc<Relation>),
}

/// A relation between events.
#[derive(Clone, PartialEq, Debug)]
pub enum Relation {
    /// Relates nothing.
    Empty,
    /// A built-in one.
    Base(BaseRelation),
    /// Pairs in either.
    Union(Arc<Relation>, Arc<Relation>),
    /// Pairs in both.
    Inter(Arc<Relation>, Arc<Relation>),
    /// Pairs in the first and not the second.
    Diff(Arc<Relation>, Arc<Relation>),
    /// A step of the first, then one of the second.
    Seq(Arc<Relation>, Arc<Relation>),
    /// The relation backwards.
    Inverse(Arc<Relation>),
    /// The relation, or identity.
    Optional(Arc<Relation>),
    /// One or more steps.
    Plus(Arc<Relation>),
    /// Every event of a set to itself.
    Identity(Arc<Set>),
    /// Every event of one set to every event of another.
    Product(Arc<Set>, Arc<Set>),
    /// One of the least relations that satisfy a group of equations.
    Recursive(Arc<Recursion>, usize),
    /// In the equations of a group: one of its relations.
    Variable(u32, usize),
}

/// Relations that are defined by each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Recursion {
    /// Tells it from the other groups of the model.
    pub id: u32,
    /// What each relation is, given all of them.
    pub bodies: Vec<Arc<Relation>>,
}

/// A name and what it means for people; [`docs`] and error messages list them.
macro_rules! base {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident $text:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[doc = $doc])+ $variant),* }
        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// Its name in cat.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
            /// The one of this name.
            pub fn named(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|base| base.name() == name)
            }
        }
    };
}

base! {
    /// The sets that exist in every execution.
    BaseSet {
        /// All events.
        All "_"
        /// Loads.
        R "R"
        /// Stores. The initial content of memory is no event.
        W "W"
        /// Loads and stores.
        M "M"
        /// Fences.
        F "F"
        /// Loads and stores of atomic blocks, read-modify-writes among them.
        InBlock "BLOCK"
        /// Loads and stores of atomic blocks that are more than a read-modify-write.
        Larger "TRANSACTION"
        /// Loads and stores of read-modify-writes.
        Rmw "RMW"
        /// Loads of compare-and-swaps, whether these swap or not.
        Cas "CAS"
        /// Loads and stores of ghost blocks, which are atomic blocks, too.
        G "G"
        /// Load-load fences.
        LL "LL"
        /// Load-store fences.
        LS "LS"
        /// Store-load fences.
        SL "SL"
        /// Store-store fences.
        SS "SS"
        /// Fences that hold up instructions until branches in front of them are decided.
        Isync "INSTRUCTIONS"
        /// Loads and fences that acquire.
        Acq "ACQ"
        /// Loads that acquire and may overtake stores that release.
        AcqPc "ACQPC"
        /// Stores and fences that release.
        Rel "REL"
        /// Loads, stores and fences with order `seq_cst`.
        Sc "SC"
        /// Loads and stores with any C11 order.
        Atomic "ATOMIC"
    }
}

base! {
    /// The relations that exist in every execution.
    BaseRelation {
        /// An event to a later one of its thread.
        Po "po"
        /// An event to a later one of its thread that touches the same location.
        PoLoc "po-loc"
        /// A store to a load that reads from it.
        Rf "rf"
        /// A store to a later one to the same location, in the order in which memory sees them.
        Co "co"
        /// A load to the stores that come after the one it reads from.
        Fr "fr"
        /// Accesses to the same location.
        Loc "loc"
        /// Events of the same thread.
        Int "int"
        /// Events of different threads.
        Ext "ext"
        /// An event to itself.
        Id "id"
        /// A load to an access whose address depends on it.
        Addr "addr"
        /// A load to a store whose value depends on it.
        Data "data"
        /// A load to whatever follows a branch that depends on it.
        Ctrl "ctrl"
        /// Accesses of the same atomic block.
        Atom "atom"
        /// The load of a read-modify-write to its store.
        Rmw "rmw"
        /// Events of the same operation.
        Op "op"
        /// Loads that read from the same store, or both the initial content.
        Siblings "siblings"
        /// What a thread did before it started another, to what the other does.
        Start "start"
    }
}

impl Relation {
    /// Whether it, or any relation that it is made of, is one that is looked for.
    pub fn any(&self, wanted: &mut impl FnMut(&Relation) -> bool) -> bool {
        if wanted(self) {
            return true;
        }
        match self {
            Relation::Empty | Relation::Base(_) | Relation::Variable(..) => false,
            Relation::Inverse(r) | Relation::Optional(r) | Relation::Plus(r) => r.any(wanted),
            Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) | Relation::Seq(a, b) => {
                a.any(wanted) || b.any(wanted)
            }
            Relation::Identity(set) => set.any_relation(wanted),
            Relation::Product(a, b) => a.any_relation(wanted) || b.any_relation(wanted),
            Relation::Recursive(group, _) => group.bodies.iter().any(|body| body.any(wanted)),
        }
    }
}

impl Set {
    /// Whether any relation that it is made of is one that is looked for.
    pub fn any_relation(&self, wanted: &mut impl FnMut(&Relation) -> bool) -> bool {
        match self {
            Set::Base(_) => false,
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                a.any_relation(wanted) || b.any_relation(wanted)
            }
            Set::Domain(r) | Set::Range(r) => r.any(wanted),
        }
    }
}

impl Constraint {
    /// Whether it mentions a base relation.
    pub fn mentions(&self, base: BaseRelation) -> bool {
        self.relation.any(&mut |r| matches!(r, Relation::Base(found) if *found == base))
    }
}

impl Model {
    /// Whether it says the same as another, by whatever names.
    pub(crate) fn says_the_same(&self, other: &Model) -> bool {
        let requirements = |model: &Model| -> Vec<(Test, Arc<Relation>)> {
            model
                .constraints
                .iter()
                .chain(&model.flags)
                .map(|constraint| (constraint.test, constraint.relation.clone()))
                .collect()
        };
        self.flags.len() == other.flags.len() && requirements(self) == requirements(other)
    }

    /// Whether threads do one thing after the other, so that fences mean nothing.
    pub fn keeps_all_in_order(&self) -> bool {
        self.buffering == Some(Buffering::Sc) || self.ghosts && self.buffering.is_none()
    }

    /// The constraint that is an order in which memory sees all accesses, by its number: one without closures, about
    /// program order and all that is read and written. Models of languages, and of machines on which a store
    /// need not be seen by all others at once, have none.
    pub fn memory_order(&self) -> Option<usize> {
        use BaseRelation::{Co, Fr, Po, Rf};
        let is_long = |r: &Relation| matches!(r, Relation::Plus(_) | Relation::Recursive(..));
        self.constraints.iter().position(|constraint| {
            constraint.test == Test::Acyclic
                && [Po, Rf, Co, Fr].iter().all(|&base| constraint.mentions(base))
                && !constraint.relation.any(&mut |r| is_long(r))
        })
    }

    /// Whether any constraint mentions a base relation.
    pub fn mentions(&self, base: BaseRelation) -> bool {
        self.constraints.iter().any(|constraint| constraint.mentions(base))
    }
}

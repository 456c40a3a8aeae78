//! Values of an unrolled program: each is assigned once, by a constant, an operation, a load, a choice,
//! or a selection where paths join (CheckFence, Section 3.2.1).

use crate::guard::{Guard, Guards};
use fencepost_lsl::op::{CmpOp, PrimOp};
use fencepost_lsl::program::Choice;
use fencepost_lsl::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ValId(pub u32);

impl ValId {
    /// As an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a value comes about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// Known.
    Const(Value),
    /// Computed.
    Op(PrimOp, SmallVec<[ValId; 2]>),
    /// The first where the guard holds, else the second.
    Select(Guard, ValId, ValId),
    /// What an event, a load, reads.
    Load(u32),
    /// A nondeterministic choice, by number.
    Choice(u32),
    /// The same value behind a check: where the check fails, the thread ends.
    Checked(Check, ValId),
}

/// What a check lets pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Check {
    /// Numbers less than this.
    Below(u64),
    /// Addresses that belong to the same object as this one does.
    With(ValId),
}

/// All values, with equal ones shared, and the guards over them.
#[derive(Default)]
pub(crate) struct Values {
    nodes: Vec<Node>,
    /// What each is by the way it is made.
    traits: Vec<Traits>,
    shared: FxHashMap<Node, ValId>,
    /// The choices, by number.
    pub choices: Vec<Choice>,
    /// The guards.
    pub guards: Guards,
    /// The value that decides each condition of the guards; only whether it is zero matters.
    pub conditions: Vec<ValId>,
    condition_of: FxHashMap<ValId, u32>,
    /// When values are not zero, as far as that was asked.
    truths: FxHashMap<ValId, Guard>,
}

/// What a value is by the way it is made, worked out once: values are shared, and so would the work be repeated for each
/// way that leads to them.
#[derive(Clone, Copy)]
struct Traits {
    /// Zero or one.
    flag: bool,
    /// May have undefined bits.
    undefined: bool,
}

impl Values {
    /// How a value comes about.
    pub(crate) fn node(&self, id: ValId) -> &Node {
        &self.nodes[id.index()]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The constant, if the value is one.
    pub(crate) fn constant(&self, id: ValId) -> Option<Value> {
        match self.node(id) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// The loads that values are computed from, by event. What decides branches is not among them.
    pub(crate) fn loads(&self, values: Vec<ValId>) -> FxHashSet<usize> {
        let (mut work, mut seen, mut loads) = (values, FxHashSet::default(), FxHashSet::default());
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.node(id) {
                Node::Const(_) | Node::Choice(_) => {}
                Node::Checked(_, inner) => work.push(*inner),
                Node::Op(_, args) => work.extend(args),
                Node::Select(_, yes, no) => work.extend([*yes, *no]),
                Node::Load(event) => _ = loads.insert(*event as usize),
            }
        }
        loads
    }

    fn share(&mut self, node: Node) -> ValId {
        if let Some(&known) = self.shared.get(&node) {
            return known;
        }
        let id = ValId(u32::try_from(self.nodes.len()).expect("statements are fewer, and so are values"));
        self.traits.push(self.traits_of(&node));
        self.nodes.push(node.clone());
        self.shared.insert(node, id);
        id
    }

    fn traits_of(&self, node: &Node) -> Traits {
        let of = |id: &ValId| self.traits[id.index()];
        let both = |a: &ValId, b: &ValId| Traits {
            flag: of(a).flag && of(b).flag,
            undefined: of(a).undefined || of(b).undefined,
        };
        match node {
            Node::Const(value) => {
                Traits { flag: *value == Value::ZERO || *value == Value::ONE, undefined: value.undef() != 0 }
            }
            Node::Op(op, args) => Traits {
                flag: match op {
                    PrimOp::Cmp(..) | PrimOp::Not | PrimOp::Truth => true,
                    PrimOp::Convert(_) => of(&args[0]).flag,
                    _ => false,
                },
                undefined: !op.needs_defined() && args.iter().any(|arg| of(arg).undefined),
            },
            Node::Select(_, yes, no) => both(yes, no),
            Node::Checked(_, inner) => of(inner),
            Node::Load(_) => Traits { flag: false, undefined: true },
            Node::Choice(number) => Traits {
                flag: false,
                undefined: match &self.choices[*number as usize] {
                    Choice::OneOf(values) => values.iter().any(|value| value.undef() != 0),
                    Choice::Any(_) => false,
                },
            },
        }
    }

    /// A constant.
    pub(crate) fn make_const(&mut self, value: Value) -> ValId {
        self.share(Node::Const(value))
    }

    /// What a load event reads.
    pub(crate) fn make_load(&mut self, event: u32) -> ValId {
        self.share(Node::Load(event))
    }

    /// A new choice.
    pub(crate) fn make_choice(&mut self, choice: Choice) -> ValId {
        self.choices.push(choice);
        self.share(Node::Choice(self.choices.len() as u32 - 1))
    }

    /// An operation. Folded if its arguments are constants and it is no fault on them; copies vanish.
    pub(crate) fn make_op(&mut self, op: PrimOp, args: &[ValId]) -> ValId {
        if op == PrimOp::Copy {
            return args[0];
        }
        let constants: Option<SmallVec<[Value; 2]>> = args.iter().map(|&arg| self.constant(arg)).collect();
        if let Some(Ok(value)) = constants.map(|values| op.eval(&values)) {
            return self.make_const(value);
        }
        self.share(Node::Op(op, SmallVec::from_slice(args)))
    }

    /// The first where the guard holds, else the second.
    pub(crate) fn make_select(&mut self, guard: Guard, yes: ValId, no: ValId) -> ValId {
        match guard {
            Guard::TRUE => yes,
            Guard::FALSE => no,
            _ if yes == no => yes,
            _ => self.share(Node::Select(guard, yes, no)),
        }
    }

    /// A value that has passed a check, for the thread that made the check to go on with.
    pub(crate) fn make_checked(&mut self, check: Check, id: ValId) -> ValId {
        match (check, self.node(id)) {
            (_, Node::Const(_)) => id,
            (Check::Below(limit), Node::Checked(Check::Below(known), _)) if *known <= limit => id,
            _ => self.share(Node::Checked(check, id)),
        }
    }

    /// The value itself, whatever checks it has passed.
    pub(crate) fn unchecked(&self, mut id: ValId) -> ValId {
        while let Node::Checked(_, inner) = self.node(id) {
            id = *inner;
        }
        id
    }

    /// When a value is not zero. Negations and comparisons with zero are looked through, so that a
    /// flag and its test become the same condition.
    pub(crate) fn truth(&mut self, id: ValId) -> Guard {
        if let Some(&known) = self.truths.get(&id) {
            return known;
        }
        let truth = self.find_truth(id);
        self.truths.insert(id, truth);
        truth
    }

    fn find_truth(&mut self, id: ValId) -> Guard {
        let is_zero = |values: &Values, id| values.constant(id) == Some(Value::ZERO);
        match self.node(id).clone() {
            Node::Const(value) => {
                if value.bits() != 0 {
                    Guard::TRUE
                } else {
                    Guard::FALSE
                }
            }
            Node::Op(PrimOp::Not, args) => self.untruth(args[0]),
            Node::Op(PrimOp::Truth, args) => self.truth(args[0]),
            Node::Op(PrimOp::Cmp(CmpOp::Ne, _), args) if is_zero(self, args[1]) => self.truth(args[0]),
            Node::Op(PrimOp::Cmp(CmpOp::Eq, _), args) if is_zero(self, args[1]) => self.untruth(args[0]),
            Node::Op(PrimOp::Convert(_), args) if self.is_flag(args[0]) => self.truth(args[0]),
            Node::Select(guard, yes, no) => {
                let (yes, no) = (self.truth(yes), self.truth(no));
                self.guards.ite(guard, yes, no)
            }
            Node::Checked(_, inner) => self.truth(inner),
            _ => {
                let cond = *self.condition_of.entry(id).or_insert_with(|| {
                    self.conditions.push(id);
                    self.conditions.len() as u32 - 1
                });
                self.guards.condition(cond)
            }
        }
    }

    /// Whether a value is zero or one by the way it is made.
    fn is_flag(&self, id: ValId) -> bool {
        self.traits[id.index()].flag
    }

    /// Whether a value may have undefined bits, by the way it is made.
    pub(crate) fn may_be_undefined(&self, id: ValId) -> bool {
        self.traits[id.index()].undefined
    }

    fn untruth(&mut self, id: ValId) -> Guard {
        let truth = self.truth(id);
        self.guards.not(truth)
    }
}

//! Observations: the argument and return values of the calls of one execution (CheckFence, Section 2.2).

use crate::operation::{Harness, OpId, ValueTy};
use crate::test::Test;
use fencepost_lsl::memory::Memory;
use fencepost_lsl::program::Place;
use fencepost_lsl::value::Value;
use rustc_hash::FxHashSet;

/// What one slot of an observation holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The call, counted as in [`Test::invocations`].
    pub invocation: usize,
    /// Whether it is an input; otherwise it is an output.
    pub input: bool,
    /// Index among the operation's inputs or outputs.
    pub index: usize,
    /// How to print it.
    pub ty: ValueTy,
}

/// The slots of a test's observations: per call its inputs, then its outputs.
pub fn slots(harness: &Harness, test: &Test) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (invocation, call) in test.invocations().enumerate() {
        let op = harness.op(call.op);
        let inputs = op.inputs.iter().map(|input| (true, input.ty)).enumerate();
        let outputs = op.outputs.iter().map(|output| (false, output.ty)).enumerate();
        slots.extend(inputs.chain(outputs).map(|(index, (input, ty))| Slot { invocation, input, index, ty }));
    }
    slots
}

/// What one slot of an observation holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Seen {
    /// A word. Pointers to globals, to functions and to nothing are words: their addresses are the same in all
    /// executions.
    Word(Value),
    /// A pointer into an object that the execution made.
    New {
        /// Which one: objects are numbered from 0 in the order in which the slots first show them.
        object: u32,
        /// Where in it; tag bits add up with it.
        offset: u64,
    },
}

impl From<Value> for Seen {
    fn from(value: Value) -> Seen {
        Seen::Word(value)
    }
}

impl Seen {
    /// The word, unless it is a pointer into a new object.
    pub fn word(self) -> Option<Value> {
        match self {
            Seen::Word(value) => Some(value),
            Seen::New { .. } => None,
        }
    }

    /// The number, if it is a word all of which is defined.
    pub fn defined(self) -> Option<u64> {
        self.word().and_then(Value::defined)
    }
}

/// One entry for each slot. Executions that differ in nothing but the addresses of the objects they made have
/// the same observation.
pub type Observation = Vec<Seen>;

/// The objects that an execution made: address and size of each heap object and local variable, freed or not.
pub struct NewObjects {
    /// Sorted, each address once.
    places: Vec<(u64, u64)>,
}

impl FromIterator<(u64, u64)> for NewObjects {
    fn from_iter<T: IntoIterator<Item = (u64, u64)>>(objects: T) -> NewObjects {
        let mut places: Vec<(u64, u64)> = objects.into_iter().collect();
        places.sort_unstable();
        places.dedup_by_key(|(base, _)| *base);
        NewObjects { places }
    }
}

impl NewObjects {
    /// Those of a serial execution that ended with this memory.
    pub fn of(memory: &Memory) -> NewObjects {
        let made = memory.objects().filter(|object| object.place != Place::Global);
        made.map(|object| (object.base, object.size())).collect()
    }

    /// The object that an address belongs to, and how far into it. Just behind its end still belongs to an
    /// object, as C has it.
    pub fn find(&self, addr: u64) -> Option<(u64, u64)> {
        let after = self.places.partition_point(|(base, _)| *base <= addr);
        let (base, size) = self.places[..after].last()?;
        (addr - base <= *size).then_some((*base, addr - base))
    }

    /// All addresses that belong to objects of at least this size at some offset, with the objects they belong to.
    pub fn at_offset(&self, offset: u64) -> impl Iterator<Item = (u64, u64)> {
        let addresses = self.places.iter().map(move |(base, _)| (*base, base.wrapping_add(offset)));
        addresses.filter(|(base, addr)| self.find(*addr).is_some_and(|(found, _)| found == *base))
    }

    /// All addresses that belong to objects.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.places.iter().flat_map(|(base, size)| *base..=base + size)
    }
}

/// Which slots of a test's observations are pointers, by their C types. Others are compared as numbers, whatever
/// they look like.
pub fn pointers(harness: &Harness, test: &Test) -> Vec<bool> {
    slots(harness, test).iter().map(|slot| slot.ty == ValueTy::Pointer).collect()
}

/// The observation of an execution: the values of its slots, with pointers to the objects that it made
/// numbered. A pointer with undefined bits belongs to no object.
pub fn observe(pointers: &[bool], values: &[Value], objects: &NewObjects) -> Observation {
    debug_assert_eq!(pointers.len(), values.len());
    let mut numbers: Vec<u64> = Vec::new();
    let see = |(&value, &pointer): (&Value, &bool)| {
        let addr = value.defined().filter(|_| pointer);
        let Some((base, offset)) = addr.and_then(|addr| objects.find(addr)) else { return Seen::Word(value) };
        let number = numbers.iter().position(|known| *known == base).unwrap_or_else(|| {
            numbers.push(base);
            numbers.len() - 1
        });
        Seen::New { object: number as u32, offset }
    };
    values.iter().zip(pointers).map(see).collect()
}

/// The observations of all serial executions of a test: its specification.
///
/// An output that a serial execution leaves unwritten is undefined in its observation: the data type
/// promises nothing about it, so any value matches there. That is so for each bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservationSet {
    set: FxHashSet<Observation>,
}

impl ObservationSet {
    /// Adds an observation; says whether it is new.
    pub fn insert(&mut self, observation: Observation) -> bool {
        self.set.insert(observation)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The observations, sorted.
    pub fn sorted(&self) -> Vec<&Observation> {
        let mut all: Vec<&Observation> = self.set.iter().collect();
        all.sort();
        all
    }

    /// Whether an execution with this observation looks serial.
    pub fn admits(&self, observation: &Observation) -> bool {
        self.set.contains(observation) || self.set.iter().any(|serial| matches(serial, observation))
    }

    /// As [`ObservationSet::admits`], but slots may differ in which a serial observation has something that is
    /// excused.
    pub fn admits_but_for(&self, observation: &Observation, excused: &dyn Fn(usize, Seen) -> bool) -> bool {
        let all = |serial: &Observation| {
            differing(serial, observation, |_| false).all(|slot| excused(slot, serial[slot]))
        };
        self.set.iter().any(all)
    }

    /// As [`ObservationSet::admits`], but these objects may each stand for several of a serial execution.
    pub fn admits_if_shared(&self, observation: &Observation, shared: &[u32]) -> bool {
        let shares = |object| shared.contains(&object);
        self.set.iter().any(|serial| differing(serial, observation, shares).next().is_none())
    }

    /// The observations that differ from `observation` in the fewest slots, with those slots; of these, those
    /// that promise most.
    pub fn nearest(&self, observation: &Observation) -> Vec<(&Observation, Vec<usize>)> {
        let mut all: Vec<(&Observation, Vec<usize>)> = self
            .set
            .iter()
            .map(|serial| (serial, differing(serial, observation, |_| false).collect()))
            .collect();
        let fewest = all.iter().map(|(_, slots)| slots.len()).min().unwrap_or(0);
        all.retain(|(_, slots)| slots.len() == fewest);
        let open = |serial: &Observation| -> u32 {
            serial.iter().filter_map(|seen| seen.word()).map(|word| word.undef().count_ones()).sum()
        };
        let least = all.iter().map(|(serial, _)| open(serial)).min().unwrap_or(0);
        all.retain(|(serial, _)| open(serial) == least);
        all.sort();
        all
    }
}

impl ObservationSet {
    /// The same observations with other words for the pointers among them; none if one has no other word.
    pub fn with_pointers(
        &self,
        pointers: &[bool],
        translate: impl Fn(Value) -> Option<Value>,
    ) -> Option<ObservationSet> {
        let mut set = FxHashSet::default();
        for observation in &self.set {
            let slots = observation.iter().zip(pointers).map(|(&seen, &pointer)| match seen {
                Seen::Word(value) if pointer => translate(value).map(Seen::Word),
                seen => Some(seen),
            });
            set.insert(slots.collect::<Option<Observation>>()?);
        }
        Some(ObservationSet { set })
    }
}

/// Whether a serial observation stands for this one.
///
/// # Soundness
///
/// Bits that the serial execution left undefined promise nothing; all others must be defined and the same. Pointers
/// to objects that the executions made must agree up to a bijection of these objects, one for all slots: a data type
/// cannot promise an address, only which of its results are the same object, and where in it they point.
pub fn matches(serial: &Observation, observation: &Observation) -> bool {
    serial.len() == observation.len() && differing(serial, observation, |_| false).next().is_none()
}

/// The slots in which an observation is not as a serial one promises. Of two slots that do not go together, the
/// later one counts. Objects that are shared may stand for several of the serial execution.
fn differing(
    serial: &Observation,
    observation: &Observation,
    shared: impl Fn(u32) -> bool,
) -> impl Iterator<Item = usize> {
    // Objects of the serial execution, and those that stand for them.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut agrees = move |serial: Seen, seen: Seen| match (serial, seen) {
        (Seen::Word(promised), Seen::Word(value)) => keeps(promised, value),
        (Seen::Word(promised), Seen::New { .. }) => promised.undef() == u64::MAX,
        (Seen::New { .. }, Seen::Word(_)) => false,
        (Seen::New { object: a, offset: x }, Seen::New { object: b, offset: y }) => {
            let stands = |(first, second): &&(u32, u32)| *first == a || *second == b && !shared(b);
            let known = pairs.iter().find(stands).copied();
            if known.is_none() && x == y {
                pairs.push((a, b));
            }
            x == y && known.is_none_or(|pair| pair == (a, b))
        }
    };
    serial.iter().zip(observation).enumerate().filter_map(move |(slot, (&serial, &seen))| {
        let agrees = agrees(serial, seen);
        (!agrees).then_some(slot)
    })
}

/// Whether a value is as promised: wherever the promise is defined, the value is, too, and the same.
pub fn keeps(promised: Value, value: Value) -> bool {
    (promised.bits() ^ value.bits() | value.undef()) & !promised.undef() == 0
}

/// A call with its values, for people: `enqueue(1)`, `dequeue() = true, 1`, `get() = .found: true, .key: 3`.
pub fn show_call(harness: &Harness, op: OpId, inputs: &[Value], outputs: Option<&[Value]>) -> String {
    show_call_with(harness, op, inputs, outputs, &ValueTy::show)
}

/// As [`show_call`], with a way to show values.
pub fn show_call_with<V: Copy>(
    harness: &Harness,
    op: OpId,
    inputs: &[V],
    outputs: Option<&[V]>,
    show: &dyn Fn(ValueTy, V) -> String,
) -> String {
    let op = harness.op(op);
    let args: Vec<String> = op.inputs.iter().zip(inputs).map(|(input, &seen)| show(input.ty, seen)).collect();
    let call = format!("{}({})", op.name, args.join(", "));
    match outputs {
        None => format!("{call} = ?"),
        Some([]) => call,
        Some(outputs) => {
            let named = op.outputs.iter().zip(outputs);
            let named = named.map(|(output, &seen)| output.label(show(output.ty, seen)));
            format!("{call} = {}", named.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The calls of an observation, one string for each invocation of the test.
///
/// In an observation of a serial execution, `any` stands where it promises nothing.
pub fn show(harness: &Harness, test: &Test, observation: &Observation, serial: bool) -> Vec<String> {
    let mut rest = &observation[..];
    let mut take = |n: usize| {
        let (head, tail) = rest.split_at(n);
        rest = tail;
        head
    };
    let show = |ty: ValueTy, seen: Seen| match seen {
        Seen::Word(value) if serial && ty.unwritten(value) => "any".to_owned(),
        Seen::Word(value) => ty.show(value),
        Seen::New { object, offset: 0 } => format!("new object {}", object + 1),
        Seen::New { object, offset } => format!("new object {} + {offset}", object + 1),
    };
    test.invocations()
        .map(|call| {
            let op = harness.op(call.op);
            let inputs = take(op.inputs.len());
            show_call_with(harness, call.op, inputs, Some(take(op.outputs.len())), &show)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bits: u64, undef: u64) -> Seen {
        Seen::Word(Value::partial(bits, undef))
    }

    fn new(object: u32, offset: u64) -> Seen {
        Seen::New { object, offset }
    }

    #[test]
    fn only_undefined_bits_match_anything() {
        let serial = vec![word(0x0700, 0x00ff)];
        for (bits, undef, right) in [
            (0x0700, 0, true),
            (0x0742, 0, true),
            (0x0742, 0x0f, true),
            (0x0642, 0, false),
            (0x0742, 0x100, false),
        ] {
            assert_eq!(matches(&serial, &vec![word(bits, undef)]), right, "{bits:#x} {undef:#x}");
        }
        assert!(!matches(&vec![word(3, 0)], &vec![word(0, u64::MAX)]), "a promised value must be there");
    }

    #[test]
    fn new_objects_match_up_to_one_bijection() {
        let serial = vec![new(0, 0), new(1, 8), new(0, 4)];
        assert!(matches(&serial, &serial));
        assert!(matches(&serial, &vec![new(5, 0), new(2, 8), new(5, 4)]));
        assert!(!matches(&serial, &vec![new(0, 0), new(0, 8), new(0, 4)]), "two objects are one");
        assert!(!matches(&serial, &vec![new(0, 0), new(1, 8), new(1, 4)]), "one object is two");
        assert!(!matches(&serial, &vec![new(0, 0), new(1, 0), new(0, 4)]), "another place in it");
        assert!(!matches(&serial, &vec![new(0, 0), word(0, 0), new(0, 4)]), "no object");
        // What is left open does not count for the numbers of the others.
        assert!(matches(&vec![word(0, u64::MAX), new(0, 0)], &vec![new(0, 8), new(1, 0)]));
    }

    #[test]
    fn objects_are_numbered_as_they_are_seen() {
        let objects: NewObjects = [(0x100, 8), (0x200, 8)].into_iter().collect();
        let values = [0x208, 0x100, 0x100, 0x109, 0].map(Value::new);
        let seen = observe(&[true, true, false, true, true], &values, &objects);
        assert_eq!(seen, [new(0, 8), new(1, 0), word(0x100, 0), word(0x109, 0), word(0, 0)]);
    }

    #[test]
    fn the_nearest_differs_in_bits_that_are_promised() {
        let mut set = ObservationSet::default();
        set.insert(vec![word(1, 0), word(0, u64::MAX)]);
        set.insert(vec![word(2, 0), word(5, 0)]);
        let observed = vec![word(3, 0), word(5, 0)];
        assert!(!set.admits(&observed));
        assert_eq!(set.nearest(&observed), [(&vec![word(2, 0), word(5, 0)], vec![0])]);
    }
}

//! Roles: what an operation does, in the words of the collection's interface, whatever C calls it.

use super::Kind;

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Set: adds an element; whether it was not there.
    Add,
    /// Set: removes an element; whether it was there.
    Remove,
    /// Set: whether an element is there.
    Contains,
    /// Queue: adds an item at the end.
    Enqueue,
    /// Queue: removes the first item.
    Dequeue,
    /// Stack: adds an item on top.
    Push,
    /// Stack: removes the item on top.
    Pop,
    /// Deque: adds an item at the left.
    PushLeft,
    /// Deque: adds an item at the right.
    PushRight,
    /// Deque: removes the leftmost item.
    PopLeft,
    /// Deque: removes the rightmost item.
    PopRight,
    /// Priority queue: adds an item with a score.
    Insert,
    /// Priority queue: removes an item of the least score.
    RemoveMin,
    /// Map: gives a key a value; the value it had.
    Put,
    /// Map: gives a key a value unless it has one; whether it had none.
    PutIfAbsent,
    /// Map: the value of a key.
    Get,
    /// Map: removes a key; the value it had.
    RemoveKey,
    /// Map: whether a key has a value.
    ContainsKey,
    /// An operation of a file whose oracle is a reference: its number, and how many arguments it has.
    Other(u32, u32),
}

/// What an argument of a role is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// An element of a set, a key of a map, a score.
    Key,
    /// What is put in, and may be given back.
    Item,
}

/// What a call of a role tells its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tells {
    /// Whether it did something; the caller may not care.
    Whether,
    /// Whether something is so; the call is pointless without it.
    Truth,
    /// An item and perhaps more, up to this many values, or that there is none.
    Items(usize),
}

/// What is fixed for a role.
pub struct Entry {
    /// The role.
    pub role: Role,
    /// Names that C functions have for it, the best first; blanks stand for `_` or a capital letter.
    pub names: &'static [&'static str],
    /// How many arguments it takes, besides the collection.
    pub inputs: usize,
    /// What it tells.
    pub tells: Tells,
}

const fn entry(role: Role, names: &'static [&'static str], inputs: usize, tells: Tells) -> Entry {
    Entry { role, names, inputs, tells }
}

const SET: &[Entry] = &[
    entry(Role::Add, &["add", "insert", "put"], 1, Tells::Whether),
    entry(Role::Remove, &["remove", "delete", "erase", "rem", "del"], 1, Tells::Whether),
    entry(Role::Contains, &["contains", "member", "find", "search", "lookup", "has"], 1, Tells::Truth),
];

const QUEUE: &[Entry] = &[
    entry(Role::Enqueue, &["enqueue", "enq", "add", "push", "offer", "put", "send"], 1, Tells::Whether),
    entry(
        Role::Dequeue,
        &["dequeue", "deq", "remove", "pop", "poll", "take", "get", "receive"],
        0,
        Tells::Items(1),
    ),
];

const STACK: &[Entry] = &[
    entry(Role::Push, &["push", "add", "put"], 1, Tells::Whether),
    entry(Role::Pop, &["pop", "remove", "take", "get"], 0, Tells::Items(1)),
];

const DEQUE: &[Entry] = &[
    entry(
        Role::PushLeft,
        &["push left", "add left", "push front", "add first", "push first"],
        1,
        Tells::Whether,
    ),
    entry(
        Role::PushRight,
        &["push right", "add right", "push back", "add last", "push last"],
        1,
        Tells::Whether,
    ),
    entry(
        Role::PopLeft,
        &["pop left", "remove left", "pop front", "remove first", "pop first"],
        0,
        Tells::Items(1),
    ),
    entry(
        Role::PopRight,
        &["pop right", "remove right", "pop back", "remove last", "pop last"],
        0,
        Tells::Items(1),
    ),
];

const PRIORITY_QUEUE: &[Entry] = &[
    entry(Role::Insert, &["add", "insert", "enqueue", "push", "put", "offer"], 2, Tells::Whether),
    entry(
        Role::RemoveMin,
        &["remove min", "delete min", "extract min", "pop min", "dequeue", "remove", "pop", "poll"],
        0,
        Tells::Items(2),
    ),
];

const MAP: &[Entry] = &[
    entry(Role::Put, &["put", "set", "store", "update"], 2, Tells::Items(1)),
    entry(Role::PutIfAbsent, &["put if absent", "insert", "add"], 2, Tells::Whether),
    entry(Role::Get, &["get", "lookup", "find", "load", "search"], 1, Tells::Items(1)),
    entry(Role::RemoveKey, &["remove", "delete", "erase", "remove key"], 1, Tells::Items(1)),
    entry(Role::ContainsKey, &["contains", "contains key", "has", "has key", "member"], 1, Tells::Truth),
];

impl Kind {
    /// The roles of its interface.
    pub fn entries(self) -> &'static [Entry] {
        match self {
            Kind::Set => SET,
            Kind::Queue => QUEUE,
            Kind::Stack => STACK,
            Kind::Deque => DEQUE,
            Kind::PriorityQueue => PRIORITY_QUEUE,
            Kind::Map => MAP,
        }
    }

    /// The role that a C name speaks of: `LockFreeList_removeMin` ends with `remove min`.
    ///
    /// The longest name counts, and one at the end of `name` before one at its beginning.
    pub(crate) fn role_named(self, name: &str) -> Option<&'static Entry> {
        let words = words(name);
        let places: [fn(&[String], usize) -> String; 2] =
            [|words, n| words[words.len() - n..].concat(), |words, n| words[..n].concat()];
        for place in places {
            for count in (1..=words.len()).rev() {
                let part = place(&words, count);
                let named = |name: &&str| part == name.replace(' ', "");
                if let Some(found) = self.entries().iter().find(|entry| entry.names.iter().any(named)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

impl Role {
    /// What is fixed for it; it must be that of a collection.
    pub fn entry(self) -> &'static Entry {
        let mut all = Kind::ALL.iter().flat_map(|kind| kind.entries());
        all.find(|entry| entry.role == self).expect("every role stands in the table of its kind")
    }

    /// The best of its names.
    pub fn name(self) -> &'static str {
        if let Role::Other(..) = self { "operation" } else { self.entry().names[0] }
    }

    /// What its arguments are, in order; nothing is known of those of an operation that only a reference knows.
    pub fn arguments(self) -> &'static [Argument] {
        use Argument::{Item, Key};
        use Role::*;
        match self {
            Add | Remove | Contains | Get | RemoveKey | ContainsKey => &[Key],
            Enqueue | Push | PushLeft | PushRight => &[Item],
            Insert => &[Item, Key],
            Put | PutIfAbsent => &[Key, Item],
            Dequeue | Pop | PopLeft | PopRight | RemoveMin => &[],
            Other(..) => &[],
        }
    }

    /// Whether it puts something in.
    pub fn adds(self) -> bool {
        use Role::*;
        matches!(self, Add | Enqueue | Push | PushLeft | PushRight | Insert | Put | PutIfAbsent)
    }

    /// Whether it takes something out.
    pub(crate) fn removes(self) -> bool {
        use Role::*;
        matches!(self, Remove | Dequeue | Pop | PopLeft | PopRight | RemoveMin | RemoveKey)
    }
}

/// The words of a C name, in small letters and without numbers: it is cut at `_`, at digits, and before a
/// capital after a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut last = '_';
    for c in name.chars() {
        let starts = c == '_' || c.is_ascii_digit() != last.is_ascii_digit();
        if starts || (c.is_uppercase() && !last.is_uppercase()) {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_functions() {
        let check = |kind: Kind, name: &str, role: Option<Role>| {
            assert_eq!(kind.role_named(name).map(|entry| entry.role), role, "{name}");
        };
        check(Kind::Set, "add", Some(Role::Add));
        check(Kind::Set, "LockFreeList_contains", Some(Role::Contains));
        check(Kind::Set, "remove_fixed", Some(Role::Remove));
        check(Kind::Set, "a", None);
        check(Kind::Queue, "msq_enqueue2", Some(Role::Enqueue));
        check(Kind::Queue, "tryDequeue", Some(Role::Dequeue));
        check(Kind::PriorityQueue, "SkipQueue_removeMin", Some(Role::RemoveMin));
        check(Kind::PriorityQueue, "deletemin", Some(Role::RemoveMin));
        check(Kind::Deque, "add_left", Some(Role::PushLeft));
        check(Kind::Deque, "popRight", Some(Role::PopRight));
        check(Kind::Deque, "push", None);
        check(Kind::Map, "map_put_if_absent", Some(Role::PutIfAbsent));
        check(Kind::Map, "HashMap_put", Some(Role::Put));
    }

    #[test]
    fn no_name_has_two_roles() {
        for kind in Kind::ALL {
            let mut names: Vec<_> = kind.entries().iter().flat_map(|entry| entry.names).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count, "{}", kind.name());
        }
    }
}

//! How operations of a C file play the roles of a collection, and what is said if they do not.

mod support;

use fencepost_harness::client::FixedCall;
use fencepost_harness::operation::{Harness, OpId, Operation, ValueTy};
use fencepost_harness::oracle::binding::bind;
use fencepost_harness::oracle::collection::Specification;
use fencepost_harness::oracle::{Kind, Oracle, Protocol};
use fencepost_harness::schedule::{Configuration, Scope};
use fencepost_lsl::value::{IntTy, Value};
use support::operation;

const INT: ValueTy = ValueTy::Int(IntTy::I32);
const BOOL: ValueTy = ValueTy::Bool;
const PLAIN: Protocol = Protocol::NonBlocking;

/// An operation: name, number of open arguments, outputs.
type Declared<'a> = (&'a str, usize, &'a [(&'a str, ValueTy)]);

fn file(ops: &[Declared]) -> Harness {
    let ops = ops.iter().map(|&(name, inputs, outputs)| operation(name, inputs, outputs)).collect();
    Harness { ops, ..Harness::default() }
}

/// Makes calls `(operation, arguments)` one after the other and shows the results that the oracle promises.
fn check(harness: &Harness, kind: Kind, empty: Option<u64>, calls: &[(u32, &[u64])], expected: &str) {
    let binding = bind(harness, kind, PLAIN, empty.map(Value::new)).expect("it fits");
    let oracle = Specification::new(binding, PLAIN).expect("it suits");
    let mut state = oracle.initial();
    let mut shown = Vec::new();
    for (op, args) in calls {
        let call = FixedCall { op: OpId(*op), args: args.iter().copied().map(Value::new).collect() };
        let outcome = oracle.outcomes(&state, &call).remove(0);
        let outputs = harness.op(call.op).outputs.iter().zip(&outcome.results);
        let results: Vec<String> = outputs.map(|(output, value)| output.ty.show(*value)).collect();
        shown.push(results.join(","));
        state = outcome.next;
    }
    assert_eq!(shown.join(" "), expected);
}

#[test]
fn shapes() {
    let calls: &[(u32, &[u64])] = &[(0, &[7]), (1, &[]), (1, &[])];
    let flag = file(&[("enqueue", 1, &[]), ("dequeue", 0, &[("", BOOL), ("out", INT)])]);
    check(&flag, Kind::Queue, None, calls, " true,7 false,undefined");
    let number = file(&[("ms_enqueue", 1, &[("", BOOL)]), ("ms_dequeue", 0, &[("", INT)])]);
    check(&number, Kind::Queue, None, calls, "true 7 -1");
    check(&number, Kind::Queue, Some(99), calls, "true 7 99");
    let unsigned = file(&[("push", 1, &[]), ("pop", 0, &[("", ValueTy::Int(IntTy::U32))])]);
    check(&unsigned, Kind::Stack, None, calls, " 7 4294967295");
    let pointer = file(&[("push", 1, &[]), ("pop", 0, &[("", ValueTy::Pointer)])]);
    check(&pointer, Kind::Stack, None, calls, " 0x7 NULL");
    let through = file(&[("push", 1, &[]), ("pop", 0, &[("out", INT)])]);
    check(&through, Kind::Stack, None, calls, " 7 -1");
    let silent = file(&[("push", 1, &[("", INT)]), ("pop", 0, &[("", BOOL)])]);
    check(&silent, Kind::Stack, None, calls, "1 true false");
}

#[test]
fn scores_and_keys() {
    let calls: &[(u32, &[u64])] = &[(0, &[5, 9]), (0, &[6, 8]), (1, &[]), (1, &[]), (1, &[])];
    let both = file(&[("add", 2, &[]), ("removeMin", 0, &[("", BOOL), ("item", INT), ("score", INT)])]);
    check(&both, Kind::PriorityQueue, None, calls, "  true,6,8 true,5,9 false,undefined,undefined");
    let item = file(&[("add", 2, &[]), ("removeMin", 0, &[("", INT)])]);
    check(&item, Kind::PriorityQueue, None, calls, "  6 5 -1");
    let own = file(&[("insert", 1, &[]), ("delete_min", 0, &[("", INT)])]);
    let minus = -3i64 as u64;
    check(&own, Kind::PriorityQueue, None, &[(0, &[2]), (0, &[minus]), (1, &[]), (1, &[])], "  -3 2");
    let map = file(&[
        ("put", 2, &[("", BOOL)]),
        ("get", 1, &[("", BOOL), ("out", INT)]),
        ("remove", 1, &[("", INT)]),
        ("put_if_absent", 2, &[("", BOOL)]),
        ("contains", 1, &[("", BOOL)]),
    ]);
    let calls: &[(u32, &[u64])] =
        &[(0, &[1, 5]), (0, &[1, 6]), (1, &[1]), (3, &[1, 7]), (4, &[1]), (2, &[1]), (2, &[1])];
    check(&map, Kind::Map, None, calls, "true false true,6 false true 6 -1");
}

/// The calls of the first numbers by each operation.
fn arguments(harness: &Harness, kind: Kind) -> Vec<Vec<u64>> {
    let binding = bind(harness, kind, PLAIN, None).expect("it fits");
    let methods = binding.methods().into_iter().filter(|method| !method.role.arguments().is_empty());
    methods
        .map(|method| {
            let value = |number: u64| {
                let numbers = vec![Value::new(number); method.role.arguments().len()];
                binding.call(method, &numbers).expect("it is called").args[0].bits()
            };
            (0..3).map(value).collect()
        })
        .collect()
}

/// Arguments are never what stands for nothing.
#[test]
fn arguments_are_something() {
    let pointer = ValueTy::Pointer;
    let mut queue = file(&[("enqueue", 1, &[]), ("dequeue", 0, &[("", INT)])]);
    assert_eq!(arguments(&queue, Kind::Queue), [[0, 1, 2]]);
    queue.ops[0].inputs[0].ty = pointer;
    queue.ops[1].outputs[0].ty = pointer;
    assert_eq!(arguments(&queue, Kind::Queue), [[1, 2, 3]]);
    // What is given back decides as well as what is put in.
    queue.ops[0].inputs[0].ty = INT;
    assert_eq!(arguments(&queue, Kind::Queue), [[1, 2, 3]]);
    // A flag does not make `NULL` an item.
    let mut flag = file(&[("push", 1, &[]), ("pop", 0, &[("", BOOL), ("out", INT)])]);
    flag.ops[0].inputs[0].ty = pointer;
    assert_eq!(arguments(&flag, Kind::Stack), [[1, 2, 3]]);
    let mut set = file(&[("add", 1, &[]), ("contains", 1, &[("", BOOL)])]);
    set.ops[1].inputs[0].ty = pointer;
    assert_eq!(arguments(&set, Kind::Set), [[1, 2, 3], [1, 2, 3]]);
    // Keys and items are different things, unless items are their own scores.
    let mut map = file(&[("put", 2, &[]), ("get", 1, &[("", pointer)])]);
    map.ops[0].inputs[1].ty = pointer;
    assert_eq!(arguments(&map, Kind::Map), [[0, 1, 2], [0, 1, 2]]);
    let own = file(&[("insert", 1, &[]), ("delete_min", 0, &[("", pointer)])]);
    assert_eq!(arguments(&own, Kind::PriorityQueue), [[1, 2, 3]]);
    // What stands for nothing in the middle is left out.
    let binding =
        bind(&file(&[("push", 1, &[]), ("pop", 0, &[("", INT)])]), Kind::Stack, PLAIN, Some(Value::ONE));
    let binding = binding.expect("it fits");
    let push = binding.methods()[0];
    let args = [0, 1, 2]
        .map(|number| binding.call(push, &[Value::new(number)]).expect("it is called").args[0].bits());
    assert_eq!(args, [0, 2, 3]);
}

/// Numbers that a type has no room for would be taken for different ones and be equal.
#[test]
fn arguments_fit_their_types() {
    let check = |ty: ValueTy, values: usize, generic: bool, fits: bool| {
        let mut queue = file(&[("enqueue", 1, &[]), ("dequeue", 0, &[("", INT)])]);
        queue.ops[0].inputs[0].ty = ty;
        let binding = bind(&queue, Kind::Queue, PLAIN, None).expect("it fits");
        let scope =
            Scope { values, generic_values: generic, ..Scope::of(Configuration::B, Kind::Queue, PLAIN) };
        assert_eq!(binding.problems(&queue, &scope).is_empty(), fits, "{ty:?} {values}");
    };
    check(BOOL, 2, false, true);
    check(BOOL, 3, false, false);
    // One pre-add and two steps: items 0, 1 and 2.
    check(BOOL, 2, true, false);
    check(ValueTy::Int(IntTy::U8), 256, false, true);
    check(ValueTy::Int(IntTy::U8), 257, false, false);
    check(ValueTy::Int(IntTy::signed(8)), 129, false, false);
    check(INT, 1 << 20, false, true);
}

/// Pragma names decide before those of functions.
#[test]
fn names() {
    let op = |name: &str, function: &str, inputs| Operation {
        function: function.into(),
        ..operation(name, inputs, &[("", BOOL)])
    };
    let harness = Harness {
        ops: vec![op("a", "list_add", 1), op("remove", "list_add_not", 1), op("c", "list_contains", 1)],
        ..Harness::default()
    };
    check(&harness, Kind::Set, None, &[(0, &[1]), (1, &[1]), (2, &[1])], "true true false");
}

fn refused(harness: &Harness, kind: Kind, protocol: Protocol) -> Vec<String> {
    let errors = bind(harness, kind, protocol, None).expect_err("it does not fit");
    errors
        .into_iter()
        .map(|error| format!("{} ({})", error.message, error.help.unwrap_or_default()))
        .collect()
}

#[test]
fn misfits() {
    let harness = file(&[
        ("frob", 1, &[]),
        ("enqueue", 0, &[("", BOOL)]),
        ("push", 1, &[("", ValueTy::Pointer)]),
        ("dequeue", 0, &[("", BOOL), ("a", INT), ("b", INT)]),
    ]);
    assert_eq!(
        refused(&harness, Kind::Queue, PLAIN),
        [
            "`frob` is not known as an operation of a queue (name it after what it does, for example \
             `op enqueue = frob(…)`)",
            "`enqueue` cannot be `enqueue`: it has no open argument, but `enqueue` takes one argument (write \
             its one argument as `any(…)`)",
            "`push` cannot be `enqueue`: it gives back one value, but the role tells only whether (let it \
             return `bool` or `void`)",
            "`dequeue` cannot be `dequeue`: it gives back 2 values, but the role tells at most one item (let it \
             give back `bool` and the item through `out`, or the item alone)",
        ]
    );
    let set = file(&[("add", 1, &[]), ("contains", 1, &[])]);
    assert_eq!(
        refused(&set, Kind::Set, Protocol::Synchronous),
        [
            "a set cannot be synchronous ()",
            "`contains` cannot be `contains`: it does not give back whether (let it return `bool`)",
        ]
    );
    let queue = file(&[("enqueue", 1, &[]), ("dequeue", 0, &[("", INT)])]);
    assert_eq!(
        refused(&queue, Kind::Queue, Protocol::Limited(2)),
        ["`enqueue` cannot say that the queue is full (let it return `bool`, or check it as `bounded`)"]
    );
    let empty = file(&[("pop", 0, &[("", INT)])]);
    assert_eq!(
        refused(&empty, Kind::Stack, PLAIN),
        ["nothing is ever added to the stack (declare an operation `push`)"]
    );
}

//! Random closed programs whose `main` waits in a loop while another thread goes through a few stores, and then asserts
//! something of what the loop left behind.

use fencepost_reference::random::Random;

/// A statement of the loop's body that ends nothing.
fn statement(random: &mut Random, depth: usize) -> String {
    let kinds = if depth == 0 { 6 } else { 10 };
    match random.below(kinds) {
        0 => "a = x;".into(),
        1 => "b = y;".into(),
        2 => "a = b;".into(),
        3 => random.pick(&["a = 1;", "b = 1;", "a = 0;", "b = 2;"]).to_owned(),
        // Once: the number of ways to choose for ever has no end.
        4 => "if (!n) { n = 1; c = fp_any(0, 1); }".into(),
        5 => "old = __atomic_exchange_n(&l, 1, __ATOMIC_SEQ_CST);".into(),
        6 => {
            let condition = random.pick(&["x", "y", "a", "b == 1", "f", "c"]);
            let (yes, no) = (statements(random, depth - 1), statements(random, depth - 1));
            format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
        }
        7 => {
            let condition = random.pick(&["x", "a + b", "y"]);
            let (first, second) = (statements(random, depth - 1), statements(random, depth - 1));
            let leave = random.pick(&["break;", "if (b) break;", "if (f) break;"]);
            let last = statements(random, depth - 1);
            format!(
                "switch ({condition}) {{ case 0: {first} break; case 1: {second} {leave} default: {last} }}"
            )
        }
        8 => format!("if (f) {{ {} break; }}", statements(random, 0)),
        _ => {
            format!("if ({}) {{ {} continue; }}", random.pick(&["!x", "y", "!f && a"]), statements(random, 0))
        }
    }
}

fn statements(random: &mut Random, depth: usize) -> String {
    let several: Vec<String> = (0..1 + random.below(2)).map(|_| statement(random, depth)).collect();
    several.join(" ")
}

/// A program.
pub(crate) fn program(random: &mut Random) -> String {
    let stores: Vec<&str> = (0..1 + random.below(3))
        .map(|_| {
            random.pick(&["x = 1;", "x = 0;", "y = 1;", "y = 2;", "l = 1;", "l = 0;", "fence(\"full\");"])
        })
        .collect();
    let body = statements(random, 2);
    let test = random.pick(&["flag", "x", "flag || y", "flag && !old"]);
    let waiting = match random.below(4) {
        0 => format!("while (!(f = {test})) {{ {body} }}"),
        1 => format!("do {{ f = {test}; {body} }} while (!f);"),
        2 => format!("for (f = {test}; !f; f = {test}) {{ {body} }}"),
        _ => format!("f = {test}; while (!f) {{ {body} f = {test}; }}"),
    };
    let claims =
        ["a == 0", "b == 0", "!(a && b)", "a == b", "old == 0", "c == 0 || a", "a + b == old", "x || !a"];
    let claim = random.pick(&claims);
    format!(
        "#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x, y, l, flag;
void *writer(void *arg)
{{
    {}
    flag = 1;
    return arg;
}}
int main(void)
{{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int a = 0, b = 0, c = 0, f = 0, n = 0, old = 0;
    {waiting}
    assert({claim});
    return 0;
}}
",
        stores.join(" ")
    )
}

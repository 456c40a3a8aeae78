//! What the parser says about mistakes, where, and that one mistake gives one diagnostic.

mod support;

use support::{parse_file, render};

/// Parses a file and compares all it has to say about it.
fn check(input: &str, expected: &str) {
    let (_, diagnostics, sources) = parse_file(input);
    assert_eq!(render(&diagnostics, &sources).trim_end(), expected, "{input}");
}

/// Parses statements on line 2 of a function that is followed by another one without fault.
fn check_body(input: &str, expected: &str) {
    check(&format!("void f(int a, int b) {{\n{input}\n}}\nint g(void) {{ return 1; }}\n"), expected);
}

#[test]
fn three_mistakes_three_diagnostics() {
    check(
        "int f(void) {\n  int x = 1\n  return x;\n}\nint g(int a) {\n  if (a { a = 2; }\n  return a +;\n}\nint h;\n",
        "2:12: expected `;` after declaration, found `return`\n\
         6:9: expected `)` after condition of `if`, found `{`\n  6:6: to close this `(`\n\
         7:13: expected expression, found `;`",
    );
}

#[test]
fn missing_semicolons() {
    check_body("a = 1", "2:6: expected `;` after expression, found `}`");
    check_body("a = 1\nb = 2;", "2:6: expected `;` after expression, found `b`");
    check_body("a = 1 b = 2; a = 3;", "2:7: expected `;` after expression, found `b`");
    check_body("return a", "2:9: expected `;` after `return`, found `}`");
    check_body("do a(); while (b)", "2:18: expected `;` after `do` loop, found `}`");
    check_body("break }", "2:7: expected `;` after `break`, found `}`\n3:1: unmatched `}`");
    check("int x\nint y;", "1:6: expected `;` after declaration, found `int`");
    check(
        "struct s { int x; }\nint f(void) { return 0; }",
        "1:20: expected `;` after declaration, found `int`",
    );
    check(
        "typedef int T;\nstruct s { int x; }\nT f(void) { return 0; }",
        "2:20: expected `;` after declaration, found `T`",
    );
    check("struct s { int x }; struct s y;", "1:18: expected `;` after field, found `}`");
    check("struct s { int x\nint y; };", "1:17: expected `;` after field, found `int`");
    check("int x = 1", "1:10: expected `;` after declaration, found end of file");
}

#[test]
fn brackets() {
    check_body("a = (1 + 2;", "2:11: expected `)` after expression, found `;`\n  2:5: to close this `(`");
    check_body("g(g(1;", "2:6: expected `)` after arguments, found `;`\n  2:4: to close this `(`");
    check_body("a = b[1;", "2:8: expected `]` after index, found `;`\n  2:6: to close this `[`");
    check_body("g(a));", "2:5: expected `;` after expression, found `)`");
    check_body("for (a = 0; a < 1 a++) { b = 1; }", "2:19: expected `;` after condition of `for`, found `a`");
    check_body("for (int i = 0, i < 1; i++) { b = 1; }", "2:19: expected `;` after declaration, found `<`");
    check_body(
        "int c[] = { 1 2 }; b = 1;",
        "2:15: expected `}` after initial values, found a number\n  2:11: to close this `{`",
    );
    check_body("if a > 1) { b = 2; } else { b = 3; }", "2:4: expected `(` after `if`, found `a`");
    check(
        "int f(int a { return a; }",
        "1:13: expected `)` after parameters, found `{`\n  1:6: to close this `(`",
    );
    check(
        "void f(void) {\n  if (1) {\n    g();\n}\nvoid g(void) { }\n",
        "5:17: unclosed `{` (end of file reached here)\n  1:14: this `{` is never closed",
    );
    check(
        "int f(void) { return 1; } }\nint x y;",
        "1:27: unmatched `}`\n2:7: expected `;` after declaration, found `y`",
    );
    check(
        "struct s { int x;",
        "1:18: unclosed `{` (end of file reached here)\n  1:10: this `{` is never closed",
    );
    check("enum e { A, B", "1:14: unclosed `{` (end of file reached here)\n  1:8: this `{` is never closed");
    check(
        "int a[] = { 1,",
        "1:15: unclosed `{` (end of file reached here)\n  1:11: this `{` is never closed",
    );
    check("int x = (1", "1:11: unclosed `(` (end of file reached here)\n  1:9: this `(` is never closed");
}

#[test]
fn unknown_types() {
    check(
        "typedef int node_t;\nnodet x;\nnodet *y;",
        "2:1: unknown type name `nodet`\n  help: a type with a similar name exists: `node_t`",
    );
    check(
        "struct node { int x; };\nnode *f(node *n) { node y; return 0; }",
        "2:1: unknown type name `node`\n  help: write `struct node`",
    );
    check("int f(foo x, int y);", "1:7: unknown type name `foo`");
    check("int f(int x, foo);", "1:14: unknown type name `foo`");
    check("int f(foo, bar *);", "1:7: unknown type name `foo`\n1:12: unknown type name `bar`");
    check("int f(foo);", "1:7: unknown type name `foo`");
    check("struct s { foo x; int y; };", "1:12: unknown type name `foo`");
    check("int (*p)(foo);", "1:10: unknown type name `foo`");
    check_body("foo x; x = 1;", "2:1: unknown type name `foo`");
    check_body("foo *x = 0; foo y;", "2:1: unknown type name `foo`");
    check_body("static foo x;", "2:8: unknown type name `foo`");
    check_body("a = (foo *) b;", "2:6: unknown type name `foo`");
    check_body("a = (foo) b;", "2:6: unknown type name `foo`");
    check_body("a = sizeof(foo *);", "2:12: unknown type name `foo`");
    check_body("for (foo i = 0; i < 1; i++) ;", "2:6: unknown type name `foo`");
    check_body("a b;", "2:3: expected `;` after expression, found `b`");
    check_body("c * b;", "2:1: unknown type name `c`");
    check_body("a * b;", "");
}

#[test]
fn declarations() {
    check("x = 1;\nint y;", "1:1: expected a declaration, found `x`");
    check("DEFINE_LIST(x);\nint y;", "1:1: expected a type before `DEFINE_LIST`");
    check("static x;", "1:8: expected a type, found `x`");
    check("int;", "");
    check("int 3;", "1:5: expected a name, found a number");
    check("int *;", "1:6: expected a name, found `;`");
    check("unsigned float x;", "1:10: `unsigned float` is not a type");
    check("long long long x;", "1:11: `long long long` is not a type");
    check("struct s int x;", "1:10: `int` behind another type");
    check("int struct s x;", "1:12: two types in one declaration");
    check("struct 3;", "1:8: expected a tag or `{` after `struct`, found a number");
    check(
        "enum e { A, B C, D } x;\nenum e y;",
        "1:15: expected `,` or `}` after enumeration constant, found `C`",
    );
    check(
        "typedef enum { 3 } T;\nT x;",
        "1:16: expected the name of an enumeration constant, found a number",
    );
    check("int x = ;\nint y = 1;", "1:9: expected expression, found `;`");
    check(
        "int f(int a b) { return 1; }\nint g(void) { return }",
        "1:13: expected `)` after parameters, found `b`\n  1:6: to close this `(`\n\
         2:22: expected expression, found `}`",
    );
    check("struct s { int x; 3; int y; };", "1:19: expected a type, found a number");
    check("int x __attribute__((3));", "1:22: expected the name of an attribute, found a number");
    check("int x = sizeof(int y);", "1:20: expected a type without a name, found `y`");
    check(")\nint x;", "1:1: expected a declaration, found `)`");
}

#[test]
fn lost_braces_do_not_cascade() {
    check(
        "int f(void)\n  int x = 1;\n  x = 2;\n  while (x) { x = 3; }\n  return x;\n}\nint g(void) { return }",
        "1:12: expected `;` after declaration, found `int`\n7:22: expected expression, found `}`",
    );
    check(
        "struct s {\n  int x;\n\nstatic struct s y = { 1 };\nint f(void) { return 1; }",
        "4:1: expected `}` after members, found `static`\n  1:10: to close this `{`",
    );
    check(
        "typedef enum { A, B ;\nint x;",
        "1:21: expected `}` after enumeration constants, found `;`\n  1:14: to close this `{`",
    );
    check(
        "int a[] = { 1, 2 ;\nint f(void) { return 1; }",
        "1:18: expected `}` after initial values, found `;`\n  1:11: to close this `{`",
    );
    check(
        "int f(x) int x { return x; }\nint y z;",
        "1:16: expected `;` after parameter's type, found `{`\n2:7: expected `;` after declaration, found `z`",
    );
}

#[test]
fn a_name_is_reported_once() {
    check("struct node x;\nint f(x *a, x *b) { x *c = a; return 0; }", "2:7: `x` is not a type");
    check(
        "int f(int a, value) { return value; }\nvoid g(value v) { value = 1; }",
        "1:14: unknown type name `value`",
    );
}

#[test]
fn statements() {
    check_body("else a = 1;", "2:1: `else` without `if`");
    check_body("if (a) int x;", "2:8: expected a statement, found `int`");
    check_body("case 1 a = 2;", "2:8: expected `:` after `case`, found `a`");
    check_body("goto 3;", "2:6: expected a label, found a number");
    check_body("do a(); b();", "2:9: expected `while` after body of `do`, found `b`");
    check_body("a = int;", "2:5: expected expression, found `int`");
    check_body("a.3 = 1;", "2:2: expected `;` after expression, found a number");
    check_body("a->1 = 1;", "2:4: expected a field, found a number");
    check_body("a ? b;", "2:6: expected `:` in conditional expression, found `;`");
    check_body("asm(3);", "2:5: expected a string literal, found a number");
    check_body("a = \"x\" L\"y\" u\"z\";", "2:14: string literals with different prefixes cannot be joined");
    check("typedef int T; int f(void) { return T + 1; }", "1:37: expected expression, found type name `T`");
}

#[test]
fn lexical_mistakes_do_not_cascade() {
    check_body("a = @ 1;", "2:5: stray character `@`");
    check_body("a = 'x;", "2:5: unterminated character constant");
    check_body("g(\"x);", "2:3: unterminated string literal");
    check_body("a = 1x;", "2:5: unknown suffix `x` on an integer");
}

#[test]
fn nesting_is_bounded() {
    check_one_line(&format!("int x = {};", "(".repeat(100_000)), "nesting too deep");
    check_one_line(&format!("int f(void) {}", "{".repeat(100_000)), "nesting too deep");
    let deep = 10_000;
    let wrap = |open: &str, close: &str| {
        format!("int f(void) {{\n{}1{};\n}}\nint x y;", open.repeat(deep), close.repeat(deep))
    };
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("(", ""),
        ("{", ""),
        ("-", ""),
        ("*", ""),
        ("a = ", ""),
        ("a ? ", " : 1"),
        ("a ? 1 : ", ""),
    ] {
        check_one_line(&wrap(open, close), "nesting too deep");
    }
    for open in
        ["sizeof ", "(int) ", "({", "if (1) ", "while (1) ", "for (;;) ", "do ", "f(", "a[", "({ int x = "]
    {
        check_one_line(&wrap(open, ""), "nesting too deep");
    }
    for chain in ["1 + ", "a || ", "a, ", "if (1) ; else ", "1 * 2 + "] {
        check_one_line(&wrap(chain, ""), "nesting too deep");
    }
    for suffix in ["[1]", ".a", "->a", "()", "++"] {
        check_one_line(&format!("int f(void) {{ a{}; }}", suffix.repeat(deep)), "nesting too deep");
    }
    for (start, open) in [
        ("int ", "("),
        ("int f", "(int g"),
        ("int x = ", "{"),
        ("int x", "[sizeof(int"),
        ("int ", "*"),
        ("int x", "[1]"),
        ("int f", "(void)"),
        ("", "struct {"),
        ("", "_Atomic("),
        ("", "typeof("),
        ("enum { A = ", "("),
    ] {
        check_one_line(&(start.to_owned() + &open.repeat(deep)), "nesting too deep");
    }
}

fn check_one_line(input: &str, expected: &str) {
    let (_, diagnostics, _) = parse_file(input);
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let shown: String = input.chars().take(60).collect();
    assert!(messages.first().is_some_and(|message| message.starts_with(expected)), "{shown}: {messages:?}");
    assert_eq!(messages.len(), 1, "{shown}: {messages:?}");
}

#[test]
fn long_lists_are_not_deep() {
    let many = 20_000;
    check(&format!("int a[] = {{ {} }};", "1 + 2 * 3, ".repeat(many)), "");
    check(&format!("void f(void) {{ {} }}", "a = b + c; ".repeat(many)), "");
    check(&format!("void f(void) {{ switch (1) {{ {} }} }}", "case 1: ".repeat(many)), "");
    check(&format!("void f(void) {{ g({} 0); }}", "a + b, ".repeat(many)), "");
    check(&format!("int {} x;", "a, *b[2], ".repeat(many)), "");
}

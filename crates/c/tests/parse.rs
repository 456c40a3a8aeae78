//! What the parser makes of each construct: source text beside the tree's dump.

mod support;

use fencepost_c::ast::{Item, StmtKind, dump, dump_expression};
use fencepost_c::parse::Fragment;
use fencepost_c::token::{Punctuator, TokenKind};
use support::{parse_file, render};

/// Parses items, which must be without fault, and compares their dump.
fn check(input: &str, expected: &str) {
    let (unit, diagnostics, sources) = parse_file(input);
    assert_eq!(render(&diagnostics, &sources), "", "{input}");
    assert_eq!(dump(&unit).trim_end(), expected, "{input}");
}

/// Parses the statements of a function.
fn check_body(input: &str, expected: &str) {
    check(
        &format!("void f(void) {{ {input} }}"),
        &format!("(function (f (function-type () void)) {{{expected}}})"),
    );
}

/// Parses an expression in a file where `T` and `struct s` are types.
fn check_expr(input: &str, expected: &str) {
    let text = format!("typedef int T;\nvoid f(void) {{ {input}; }}");
    let (unit, diagnostics, sources) = parse_file(&text);
    assert_eq!(render(&diagnostics, &sources), "", "{input}");
    let Some(Item::Function(function)) = unit.items.last() else { panic!("{input}: no function") };
    let [statement] = function.body.statements.as_slice() else { panic!("{input}: not one statement") };
    let StmtKind::Expr(expression) = &statement.kind else { panic!("{input}: no expression") };
    assert_eq!(dump_expression(expression, &unit.names), expected, "{input}");
}

#[test]
fn basic_declarations() {
    check("int x;", "(declare (x int))");
    check("unsigned long long x, *y;", "(declare (x unsigned long long) (y (pointer unsigned long long)))");
    check("static const volatile int x = 3;", "(declare static (= (x const volatile int) 3))");
    check("extern __thread int x;", "(declare extern thread-local (x int))");
    check("_Bool b; bool c;", "(declare (b _Bool))\n(declare (c _Bool))");
    check(
        "unsigned __int128 a; __uint128_t b;",
        "(declare (a unsigned __int128))\n(declare (b unsigned __int128))",
    );
    check(
        "float f; long double d; _Complex double c; _Float128 q;",
        "(declare (f float))\n(declare (d long double))\n(declare (c _Complex))\n(declare (q _Float128))",
    );
    check("__builtin_va_list v;", "(declare (v va-list))");
    check(";;int x;;", "(declare (x int))");
    check(
        "_Alignas(16) int x; _Alignas(long) char y; alignas(8) char z;",
        "(declare (align 16) (x int))\n(declare (align long) (y char))\n(declare (align 8) (z char))",
    );
    check("_Noreturn inline void f(void);", "(declare inline noreturn (f (function-type () void)))");
}

#[test]
fn declarators() {
    check("int *a[3];", "(declare (a (array 3 (pointer int))))");
    check("int (*a)[3];", "(declare (a (pointer (array 3 int))))");
    check("int *const volatile *p;", "(declare (p (pointer (pointer const volatile int))))");
    check("int (*f)(int, char *);", "(declare (f (pointer (function-type (int (pointer char)) int))))");
    check(
        "void (*signal(int s, void (*h)(int)))(int);",
        "(declare (signal (function-type ((s int) (h (pointer (function-type (int) void)))) \
         (pointer (function-type (int) void)))))",
    );
    check(
        "int f(), g(void), h(int, ...);",
        "(declare (f (function-type () old-style int)) (g (function-type () int)) (h (function-type (int) ... int)))",
    );
    check(
        "void f(int n, int a[static const 3], int b[n][*], int c[restrict]);",
        "(declare (f (function-type ((n int) (a (array const static 3 int)) (b (array n (array * int))) \
         (c (array restrict int))) void)))",
    );
    check("int ((x));", "(declare (x int))");
    check("int a[] = {1}, b[2][3];", "(declare (= (a (array int)) {1}) (b (array 2 (array 3 int))))");
    check("int x asm(\"y\") __attribute__((unused));", "(declare (x int (asm \"y\") @unused))");
}

#[test]
fn typedefs_and_scopes() {
    check(
        "typedef int T; T x; T *y;",
        "(declare typedef (T int))\n(declare (x T))\n(declare (y (pointer T)))",
    );
    check(
        "typedef unsigned char bool; bool b;",
        "(declare typedef (bool unsigned char))\n(declare (b bool))",
    );
    check(
        "typedef int T; void f(void) { T * x; { int T = 2; T * x; } T y; }",
        "(declare typedef (T int))\n(function (f (function-type () void)) {(declare (x (pointer T))) \
         {(declare (= (T int) 2)) (* T x)} (declare (y T))})",
    );
    check(
        "typedef int T; void f(int T) { T = 1; }",
        "(declare typedef (T int))\n(function (f (function-type ((T int)) void)) {(= T 1)})",
    );
    check(
        "typedef int T; void f(int (T)); struct s { T T; };",
        "(declare typedef (T int))\n(declare (f (function-type ((function-type (T) int)) void)))\n\
         (declare (struct s {(T T)}))",
    );
    check(
        "typedef int T; enum { T1, U }; void f(void) { enum { T } x; x = T; }",
        "(declare typedef (T int))\n(declare (enum {T1 U}))\n\
         (function (f (function-type () void)) {(declare (x (enum {T}))) (= x T)})",
    );
    check(
        "typedef int T; void f(void) { for (int T = 0; T < 3; T++) T; T x; }",
        "(declare typedef (T int))\n(function (f (function-type () void)) \
         {(for (declare (= (T int) 0)) (< T 3) (post++ T) T) (declare (x T))})",
    );
    check(
        "struct thread_local { int x; }; thread_local int y;",
        "(declare (struct thread_local {(x int)}))\n(declare thread-local (y int))",
    );
}

#[test]
fn records() {
    check(
        "struct s { int a, *b; struct s *next; };",
        "(declare (struct s {(a int) (b (pointer int)) (next (pointer (struct s)))}))",
    );
    check(
        "union u { int a : 3, : 0; unsigned b : 4; } x;",
        "(declare (x (union u {(bits (a int) 3) (bits int 0) (bits (b unsigned int) 4)})))",
    );
    check(
        "struct s { struct { int a; }; union { int b; } u; _Static_assert(1, \"m\"); ; };",
        "(declare (struct s {(struct {(a int)}) (u (union {(b int)})) (static-assert 1 \"m\")}))",
    );
    check(
        "struct __attribute__((packed)) s { char c; int x __attribute__((aligned(2 * 4))); };",
        "(declare (struct s @packed {(c char) (x int @(aligned (* 2 4)))}))",
    );
    check(
        "struct s { int x; } __attribute__((__packed__, __aligned__)) y;",
        "(declare (y (struct s @packed @aligned {(x int)})))",
    );
    check("struct s { int n; char data[]; };", "(declare (struct s {(n int) (data (array char))}))");
    check("struct e {};", "(declare (struct e {}))");
    check("enum e { A, B = 3, C, };", "(declare (enum e {A (= B 3) C}))");
    check("enum e : unsigned char { A } x;", "(declare (x (enum e (: unsigned char) {A})))");
    check("enum e; struct t;", "(declare (enum e))\n(declare (struct t))");
}

#[test]
fn gnu_and_atomic_types() {
    check(
        "typeof(int *) x; __typeof__(x) y;",
        "(declare (x (typeof-type (pointer int))))\n(declare (y (typeof x)))",
    );
    check(
        "_Atomic(int *) p; _Atomic int q; int *_Atomic r;",
        "(declare (p (atomic (pointer int))))\n(declare (q _Atomic int))\n(declare (r (pointer _Atomic int)))",
    );
    check(
        "void f(void) { __auto_type x = 1; }",
        "(function (f (function-type () void)) {(declare (= (x auto-type) 1))})",
    );
    check("__extension__ typedef long long T;", "(declare typedef (T long long))");
}

#[test]
fn attributes() {
    check(
        "__attribute__((noreturn, cold)) void f(void);",
        "(declare @noreturn @cold (f (function-type () void)))",
    );
    check(
        "void f(void) __attribute__((constructor(101)));",
        "(declare (f (function-type () void) @constructor))",
    );
    check("[[gnu::unused]] static int x [[maybe_unused]];", "(declare static @unused (x int @maybe_unused))");
    check(
        "int f(int x __attribute__((unused)), const char *, ...) __attribute__((format(printf, 2, 3)));",
        "(declare (f (function-type ((x int @unused) (pointer const char)) ... int) @format))",
    );
    check("int * __attribute__((const)) x;", "(declare (x (pointer int) @const))");
    check_body("int x __attribute__((cleanup(done))) = 1;", "(declare (= (x int @(cleanup done)) 1))");
    check_body(
        "switch (1) { case 1: x(); __attribute__((fallthrough)); default:; }",
        "(switch 1 {(case 1): (call x) ; default: ;})",
    );
    let (unit, _, _) = parse_file("int x __attribute__((section(\"a\" \"b\"), aligned));");
    let Some(Item::Declaration(declaration)) = unit.items.first() else { panic!("no declaration") };
    let attributes = &declaration.declarators[0].declarator.attributes;
    assert_eq!(attributes[0].arguments.len(), 2);
    assert!(matches!(attributes[0].arguments[0].kind, TokenKind::String(_)));
}

#[test]
fn initializers() {
    check("int a[3] = {1, 2, 3,};", "(declare (= (a (array 3 int)) {1 2 3}))");
    check(
        "struct s x = {.a = 1, .b.c[2] = {3}, d: 4};",
        "(declare (= (x (struct s)) {(= .a 1) (= .b.c[2] {3}) (= .d 4)}))",
    );
    check(
        "int a[] = {[1] = 2, [3 ... 5] = 6, [7] 8};",
        "(declare (= (a (array int)) {(= [1] 2) (= [3 ... 5] 6) (= [7] 8)}))",
    );
    check("int a[1][1] = {{0}}, b = {};", "(declare (= (a (array 1 (array 1 int))) {{0}}) (= (b int) {}))");
}

#[test]
fn operators() {
    check_expr("a + b * c - d", "(- (+ a (* b c)) d)");
    check_expr("a = b += c ? d : e ? g : h", "(= a (+= b (? c d (? e g h))))");
    check_expr(
        "a || b && c | d ^ e & g == h < i << j",
        "(|| a (&& b (| c (^ d (& e (== g (< h (<< i j))))))))",
    );
    check_expr("!a == -b, ~*c", "(, (== (! a) (- b)) (~ (* c)))");
    check_expr("*p++ = --*q", "(= (* (post++ p)) (-- (* q)))");
    check_expr("a ?: b", "(? a b)");
    check_expr("a->b.c[d](e, (g, h))", "(call (index (. (-> a b) c) d) e (, g h))");
    check_expr("&x[1] + 2 % 3", "(+ (& (index x 1)) (% 2 3))");
    check_expr(
        "x <<= 1, x >>= 2, x %= 3, x ^= 4, x |= 5, x &= 6, x -= 7, x /= 8, x *= 9",
        "(, (, (, (, (, (, (, (, (<<= x 1) (>>= x 2)) (%= x 3)) (^= x 4)) (|= x 5)) (&= x 6)) (-= x 7)) (/= x 8)) (*= x 9))",
    );
    check_expr("a != b >= c > d <= e", "(!= a (<= (> (>= b c) d) e))");
    check_expr("__real__ x + __imag__ y", "(+ (__real__ x) (__imag__ y))");
}

#[test]
fn literals() {
    check_expr("1u + 0x10L + 'a' + L'b'", "(+ (+ (+ 1u 16l) '97') L'98')");
    check_expr(
        "\"a\" \"b\\n\" L\"c\"",
        "L\"a\\x00\\x00\\x00b\\x00\\x00\\x00\\n\\x00\\x00\\x00c\\x00\\x00\\x00\"",
    );
    check_expr("1.5 + .5e3", "(+ 1.5 .5e3)");
}

#[test]
fn casts_and_sizes() {
    check_expr("(T) x + (T *) y", "(+ (cast T x) (cast (pointer T) y))");
    check_expr("(x) + y", "(+ x y)");
    check_expr(
        "sizeof(T) + sizeof x + sizeof(x) + sizeof(T) - 1",
        "(- (+ (+ (+ (sizeof-type T) (sizeof x)) (sizeof x)) (sizeof-type T)) 1)",
    );
    check_expr(
        "_Alignof(int) + __alignof__(x) + alignof(T)",
        "(+ (+ (alignof-type int) (alignof x)) (alignof-type T))",
    );
    check_expr("(struct s){.a = 1}.a", "(. (literal (struct s) {(= .a 1)}) a)");
    check_expr("sizeof (int[]){1, 2}[0]", "(sizeof (index (literal (array int) {1 2}) 0))");
    check_expr("(int (*)(void)) 0", "(cast (pointer (function-type () int)) 0)");
    check_expr("(unsigned char) -1", "(cast unsigned char (- 1))");
}

#[test]
fn built_in_forms() {
    check_expr(
        "_Generic(x, int: 1, char *: 2, default: 3)",
        "(generic x (int 1) ((pointer char) 2) (default 3))",
    );
    check_expr("__builtin_offsetof(struct s, a.b[2].c)", "(offsetof (struct s) .a.b[2].c)");
    check_expr("__builtin_va_arg(list, T *)", "(va-arg list (pointer T))");
    check_expr("__builtin_types_compatible_p(int, T)", "(compatible int T)");
    check_expr("__extension__ x + 1", "(+ x 1)");
    check_expr("({ int y = 1; y + 1; }) * 2", "(* (statements {(declare (= (y int) 1)) (+ y 1)}) 2)");
    check_expr("p = &&label", "(= p (&& label))");
    check_expr("__atomic_load_n(&x, 5)", "(call __atomic_load_n (& x) 5)");
}

#[test]
fn statements() {
    check_body("if (a) b; else if (c) d; else e;", "(if a b (if c d e))");
    check_body("if (a) if (b) c; else d;", "(if a (if b c d))");
    check_body("while (a) { break; continue; }", "(while a {(break) (continue)})");
    check_body("do a(); while (b);", "(do (call a) b)");
    check_body(
        "for (;;) ; for (int i = 0; i < 3; i++) a; for (a = 1; ; ) b;",
        "(for _ _ _ ;) (for (declare (= (i int) 0)) (< i 3) (post++ i) a) (for (= a 1) _ _ b)",
    );
    check_body(
        "switch (a) { case 1: case 2 ... 5: b; break; default: ; }",
        "(switch a {(case 1): (case 2 5): b (break) default: ;})",
    );
    check_body("return; return a + 1;", "(return) (return (+ a 1))");
    check_body(
        "goto end; again: int x; end: }  void g(void) {",
        "(goto end) again: (declare (x int)) end:})\n\
        (function (g (function-type () void)) {",
    );
    check_body("if (a) l: m: b(); while (c) default: ;", "(if a {l: m: (call b)}) (while c {default: ;})");
    check_body("__label__ a, b; goto *p;", "(labels a b) (goto* p)");
    check_body(
        "_Static_assert(sizeof(int) == 4, \"int\"); static_assert(1);",
        "(static-assert (== (sizeof-type int) 4) \"int\") (static-assert 1)",
    );
    check_body("__fencepost_atomic { a = 1; }", "(atomic {(= a 1)})");
    check_body("{ { } ; }", "{{} ;}");
}

#[test]
fn assembler() {
    check_body(
        "asm volatile(\"mf\" \"ence\" ::: \"memory\", \"cc\");",
        "(asm volatile \"mfence\" (clobber \"memory\" \"cc\"))",
    );
    check_body(
        "__asm__(\"xadd %0, %1\" : \"+r\"(x), [m] \"+m\"(*p) : \"i\"(1));",
        "(asm \"xadd %0, %1\" (out (\"+r\" x) (m \"+m\" (* p))) (in (\"i\" 1)))",
    );
    check_body("asm goto(\"jmp %l0\" : : : : out); out:;", "(asm \"jmp %l0\" (goto out)) out: ;");
    check("asm(\".text\");", "(asm \".text\")");
}

#[test]
fn functions() {
    check("int f(int a) { return a; }", "(function (f (function-type ((a int)) int)) {(return a)})");
    check(
        "static inline void *f(void) {}",
        "(function static inline (f (function-type () (pointer void))) {})",
    );
    check(
        "int (*f(int a))(char) { return 0; }",
        "(function (f (function-type ((a int)) (pointer (function-type (char) int)))) {(return 0)})",
    );
    check(
        "int f(a, b) int a; char *b; { return a; }",
        "(function (f (function-type ((a implicit) (b implicit)) old-style int)) \
         (declare (a int)) (declare (b (pointer char))) {(return a)})",
    );
    check("main() { }", "(function (main (function-type () old-style implicit)) {})");
    check(
        "void f(void) { int g(int x) { return x; } g(1); }",
        "(function (f (function-type () void)) {(nested (function (g (function-type ((x int)) int)) {(return x)})) \
         (call g 1)})",
    );
    check("_Static_assert(1, \"a\" \"b\");", "(static-assert 1 \"ab\")");
}

#[test]
fn spans_cover_what_was_written() {
    let (unit, _, sources) = parse_file("int x;\n\nint f(void) {\n  return (x + 1) * 2;\n}\n");
    let Some(Item::Function(function)) = unit.items.last() else { panic!("no function") };
    assert!(sources.text(function.span).starts_with("int f(void) {"));
    assert!(sources.text(function.span).ends_with('}'));
    let statement = &function.body.statements[0];
    assert_eq!(sources.text(statement.span), "return (x + 1) * 2;");
    assert_eq!(sources.position(statement.span).line, 4);
    let StmtKind::Return(Some(value)) = &statement.kind else { panic!("no return") };
    assert_eq!(sources.text(value.span), "(x + 1) * 2");
}

#[test]
fn pragmas_are_read_in_fragments() {
    let text = "typedef int T;\nint q;\n#pragma fencepost op e = enqueue(&q, any(0, (T) 1)) extra\n\
                #pragma fencepost test register = e' ( e d | d )\nint y;\n";
    let (unit, diagnostics, sources) = parse_file(text);
    assert_eq!(render(&diagnostics, &sources), "");
    assert_eq!(unit.items.len(), 3);
    let mut operation = Fragment::new(&unit, &unit.pragmas[0].tokens);
    assert_eq!(operation.take_word().map(|word| word.text), Some("op"));
    assert_eq!(operation.take_name().map(|name| unit.names.text(name.symbol)), Some("e"));
    assert!(operation.expect(Punctuator::Equal, "after the name"));
    let call = operation.expression().expect("a call");
    assert_eq!(dump_expression(&call, &unit.names), "(call enqueue (& q) (call any 0 (cast T 1)))");
    assert_eq!(sources.text(call.span), "enqueue(&q, any(0, (T) 1))");
    assert!(!operation.expect_end());
    assert_eq!(render(&operation.finish(), &sources), "3:53: expected end of pragma, found `extra`\n");

    let mut test = Fragment::new(&unit, &unit.pragmas[1].tokens);
    test.advance();
    assert_eq!(test.expect_word("a name").map(|word| word.text), Some("register"));
    assert!(test.take(Punctuator::Equal) && test.take_name().is_some());
    assert!(test.at(Punctuator::Prime) && test.take(Punctuator::Prime));
    assert!(test.arguments().is_none());
    assert!(test.at_end());
    assert_eq!(
        render(&test.finish(), &sources),
        "4:42: expected `)` after arguments, found `d`\n  4:38: to close this `(`\n"
    );
}

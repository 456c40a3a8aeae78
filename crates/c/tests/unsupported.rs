//! What C allows and we do not: each construct has one diagnostic, at its place, with a reason.

use fencepost_lsl::diagnostic::Severity;
use fencepost_lsl::source::SourceMap;

/// Compiles a file in which `«…»` marks where the one diagnostic must point; returns what it says.
fn refusal(marked: &str) -> (String, Option<String>) {
    let start = marked.find('«').expect("a mark");
    let end = marked.find('»').expect("its end") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let printed = format!("# 1 \"a.c\"\n{text}");
    let loaded = fencepost_c::compile(&printed, SourceMap::default(), &mut |name| {
        (name == "a.c").then(|| text.clone())
    });
    let rejected = loaded.map(|_| ()).expect_err(&text);
    let [diagnostic] = &rejected.diagnostics[..] else {
        panic!("{text}\nhas not one diagnostic, but {:#?}", rejected.diagnostics)
    };
    assert_eq!(diagnostic.severity, Severity::Error);
    let (span, _) = diagnostic.primary.as_ref().expect("it has a place");
    assert_eq!(rejected.sources.file(span.file).name, "a.c");
    assert_eq!((span.start as usize, span.end as usize), (start, end), "{text}\n{diagnostic:?}");
    (diagnostic.message.clone(), diagnostic.notes.first().cloned())
}

/// `what` is not supported, and `why`.
fn check(text: &str, what: &str, why: &str) {
    let (message, note) = refusal(text);
    assert_eq!(message, format!("{what} is not supported"), "{text}");
    assert_eq!(note.as_deref(), Some(why), "{text}");
}

/// Statements of a function that is called.
fn check_body(body: &str, what: &str, why: &str) {
    check(&format!("int x;\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n"), what, why);
}

#[test]
fn floating_point() {
    let (what, why) = ("floating-point arithmetic", "values are integers and pointers");
    check_body("float f = «1»;", what, why);
    check_body("double d; d = «0.5»;", what, why);
    check_body("x = «1e3»;", what, why);
    check_body("double d; x = «d + 1»;", what, why);
    check_body("double d; if («d») x = 1;", what, why);
    check_body("long double d; x = «(int)d»;", what, why);
    check_body("_Complex double c = «1»;", what, why);
    check("static double d = «2.5»;\nint main(void) { return sizeof d != 8 || &d == 0; }\n", what, why);
    check_body("x = «__real__ x»;", "complex arithmetic", why);
}

#[test]
fn alignments_of_objects() {
    let what = "`_Alignof` of an object with an alignment of its own";
    let why = "write it down";
    check_body("int y __attribute__((aligned(32))); x = __alignof__«(y)»;", what, why);
    check_body("struct { int y __attribute__((packed)); } s; x = __alignof__«(s.y)»;", what, why);
    check_body("x = __alignof__«(*(char *)&x)»;", what, why);
}

#[test]
fn more_than_there_is_memory() {
    let (message, _) =
        refusal("int x;\nint main(void) { __builtin_memset(&x, 0, «1ul << 40»); return 0; }\n");
    assert_eq!(message, "1099511627776 bytes, more than there is memory");
}

#[test]
fn variable_lengths() {
    let what = "an array of variable length";
    let why = "its length must be known when the program is read";
    check_body("int n = x, a[«n»]; a[0] = 1;", what, why);
    check_body("x = sizeof(int[«x»]);", what, why);
    check_body("int (*p)[«x»] = 0;", what, why);
}

#[test]
fn jumps() {
    let known = "jumps must be known when the program is read";
    check_body("void *p = «&&l»; l: x = p != 0;", "the address of a label", known);
    check_body("void *p = 0; «goto *p;»", "a computed `goto`", known);
    let enter = "a jump can leave blocks or go back to an earlier statement, but not enter a block";
    check_body("goto «in»; { in: x = 1; }", "`goto in` into a block", enter);
    check_body("if (x) { in: x = 1; } goto «in»;", "`goto in` into a block", enter);
    let middle = "a loop can only be entered at its start";
    check_body(
        "if (x) goto a; goto b; a: x++; «b:» x++; if (x < 8) goto a;",
        "a jump into the middle of a loop",
        middle,
    );
    let inside = "the labels of a `switch` must stand directly in its body";
    check_body("switch (x) { { «case 1:» x = 2; } }", "a `case` inside of another statement", inside);
    check_body("switch (x) while (x) «default:» x--;", "a `default` inside of another statement", inside);
}

#[test]
fn assembler() {
    let (message, note) = refusal("int main(void) { int x; «asm(\"cpuid\" : \"=a\"(x))»; return x; }\n");
    assert_eq!(message, "this assembler code is not supported");
    assert_eq!(note.as_deref(), Some("only barriers and processor hints are known"));
    let why = "only barriers and processor hints are known";
    check_body("asm volatile(\"\" : \"=r\"(«x»));", "a value that assembler code writes", why);
    check_body(
        "asm goto(\"nop\" : : : : «out»); out: x = 1;",
        "a jump out of assembler code",
        "write it as an `if`",
    );
    let why = "its effect on the program is not known";
    check("«asm(\"nop\")»;\nint main(void) { return 0; }\n", "`asm` outside of a function", why);
}

#[test]
fn variable_numbers_of_arguments() {
    let text = |start: &str, next: &str| {
        format!(
            "int f(int n, ...)\n{{\n    __builtin_va_list l;\n    {start}(l, n);\n    \
             n = {next};\n    __builtin_va_end(l);\n    return n;\n}}\n\
             int main(void) {{ return f(1, 2); }}\n"
        )
    };
    let why = "functions with a variable number of arguments cannot be followed";
    check(&text("«__builtin_va_start»", "__builtin_va_arg(l, int)"), "`va_start`", why);
    check(
        "int f(__builtin_va_list l) { return «__builtin_va_arg(l, int)» + __builtin_va_arg(l, int); }\n\
         int main(void) { __builtin_va_list l; return f(l); }\n",
        "`va_arg`",
        why,
    );
}

#[test]
fn storage() {
    let why = "each thread would need an object of its own";
    check("_Thread_local int «t»;\nint main(void) { return t; }\n", "a thread-local variable", why);
    check_body("static __thread int «t»; t = 1; x = t;", "a thread-local variable", why);
    check_body("int «f(void)» { return 1; } x = f();", "a function inside of a function", "move it out");
    check_body(
        "x = *(char *)«__builtin_alloca»(4);",
        "`__builtin_alloca`",
        "the compiler's functions are known by name",
    );
    let why = "a program is checked without a command line";
    check(
        "int main(int argc, char **argv) { (void)argv; return «argc» > 1; }\n",
        "an argument of `main`",
        why,
    );
}

#[test]
fn attributes() {
    check(
        "typedef int v4 __attribute__((«vector_size»(16)));\n\
         int main(void) { v4 a = {1, 2, 3, 4}; a = a + a; return a[0]; }\n",
        "the attribute `vector_size`",
        "it changes the type",
    );
    let why = "it gives an object or function two names";
    check(
        "int x;\nextern int y __attribute__((«alias»(\"x\")));\nint main(void) { y = 1; return y; }\n",
        "the attribute `alias`",
        why,
    );
    check(
        "void f(void) {}\nvoid g(void) __attribute__((«__alias__»(\"f\")));\nint main(void) { g(); return 0; }\n",
        "the attribute `alias`",
        why,
    );
    check(
        "static void f(void) __attribute__((«constructor»));\nstatic void f(void) {}\nint main(void) { return 0; }\n",
        "the attribute `constructor`",
        "call the function where the program starts",
    );
    check_body(
        "int y __attribute__((«cleanup»(f))) = 1; x = y;",
        "the attribute `cleanup`",
        "write the call where it happens",
    );
}

#[test]
fn wide_arithmetic() {
    let why = "such values can only be copied, masked, shifted by constants and compared for equality";
    check_body("__int128 a = x; a = «a * a»;", "128-bit arithmetic", why);
    check_body("unsigned __int128 a = x; «a++»;", "128-bit arithmetic", why);
    let why = "values of 128 bits can be shifted by a constant below 128";
    check_body("__int128 a = x; a = «a << x»;", "this shift of 128 bits", why);
}

#[test]
fn orders_and_sizes_that_vary() {
    check_body(
        "x = __atomic_load_n(&x, «x»);",
        "a memory order that is no constant",
        "orders decide what is explored",
    );
    check(
        "void *memcpy(void *, const void *, unsigned long);\nint a[2], n;\n\
         int main(void) { memcpy(a, a + 1, «n»); return 0; }\n",
        "copying or filling a variable number of bytes",
        "the number of bytes must be known when the program is read",
    );
}

/// What only looks like it.
#[test]
fn supported_after_all() {
    for text in [
        "int main(int argc, char **argv) { (void)argc; (void)argv; return 0; }\n",
        "double unused(double x) { return x / 2; }\nint main(void) { return sizeof(double) != 8; }\n",
        "int f(int n, ...) { return n; }\nint main(void) { return f(0, 1, 2); }\n",
        "int a[];\nint main(void) { return a[2]; }\nint a[3] = {1, 2};\n",
        "int main(void) { asm volatile(\"mfence\" ::: \"memory\"); return 0; }\n",
        "int f(int n, int a[n]) { return a[n - 1]; }\nint main(void) { int a[1] = {0}; return f(1, a); }\n",
    ] {
        let printed = format!("# 1 \"a.c\"\n{text}");
        let loaded = fencepost_c::compile(&printed, SourceMap::default(), &mut |_| Some(text.to_owned()));
        if let Err(rejected) = loaded {
            panic!("{text}\n{:#?}", rejected.diagnostics);
        }
    }
}

/// Objects beyond all memory are reported, not computed with.
#[test]
fn sizes_that_overflow() {
    for text in [
        "struct { int a[0x3fffffffffffffff]; int b[0x3fffffffffffffff]; } x;\nint main(void) { return 0; }\n",
        "int a[] = {[100000000] = 1};\nint main(void) { return a[0]; }\n",
    ] {
        let printed = format!("# 1 \"a.c\"\n{text}");
        let loaded = fencepost_c::compile(&printed, SourceMap::default(), &mut |_| Some(text.to_owned()));
        let rejected = loaded.map(|_| ()).expect_err(text);
        assert!(rejected.diagnostics.iter().all(|diagnostic| diagnostic.primary.is_some()), "{text}");
    }
}

/// What is declared and not defined has no bytes to copy.
#[test]
fn copies_of_unknown_size() {
    let (message, _) = refusal("struct s;\nstruct s *p, *q;\nint main(void) { «*p = *q»; return 0; }\n");
    assert_eq!(message, "the size of `struct s` is not known");
}

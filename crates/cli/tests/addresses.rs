//! Where objects lie, and where pointers may go: what is out of bounds is an error in both engines, wherever it
//! lands; addresses are no better aligned than C promises; memory that was freed is used again (`--reuse`).
//! `PROGRAMS` sets how many random programs there are, `SEED` which.

mod common;

use common::fencepost;
use fencepost_reference::random::Random;

const ENGINES: [&str; 2] = ["bounded", "explicit"];

/// What a check of a program prints.
fn check(text: &str, engine: &str, options: &[&str]) -> String {
    let head = "#include <assert.h>\n#include <fencepost.h>\n#include <pthread.h>\n#include <stddef.h>\n\
                #include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n";
    let run = fencepost(&["check", "-q", "-m", "sc", "--engine", engine, "program.c"]).args(options);
    run.file("program.c", format!("{head}{text}\n")).run().said()
}

fn expect(text: &str, options: &[&str], expected: &str) {
    for engine in ENGINES {
        let says = check(text, engine, options);
        assert!(says.contains(expected), "{engine} says {says}\n{text}");
    }
}

fn main_of(declarations: &str, body: &str) -> String {
    format!("{declarations}\nint main(void) {{ {body} return 0; }}")
}

/// Each of these lands in another object, or in another member.
#[test]
fn out_of_bounds_is_an_error_wherever_it_lands() {
    let arrays = "int a[4], b[4]; int *pa = a;";
    let (index, strayed, outside) = (
        "index outside of the array",
        "pointer arithmetic leaves its object",
        "access outside of any object",
    );
    let cases = [
        (arrays, "a[8] = 1;", index),
        (arrays, "int i = 0; while (i < 4) i++; a[i] = 1;", index),
        (arrays, "pa[256] = 1;", strayed),
        (arrays, "int *q = pa + 256; q[0] = 1;", strayed),
        (arrays, "int *q = pa - 256; *q = 1;", strayed),
        (arrays, "int *q = pa; q += b - a; *q = 1;", strayed),
        (arrays, "int *q = pa; for (int i = 0; i < 256; i++) q++; *q = 1;", strayed),
        (arrays, "int *n = 0; n[0x40300] = 1;", strayed),
        ("", "int *p = malloc(16), *q = malloc(16); *q = 0; p[8] = 1;", outside),
        ("", "int *p = malloc(16), *q = malloc(16); *q = 0; p[1024] = 1;", strayed),
        ("", "int x[4], y[4]; y[0] = 0; int *p = x; p[256] = 1;", strayed),
        ("struct { int a[4], b[4]; } s;", "int i = 5; s.a[i] = 1;", index),
        ("struct { int a[4], b[4]; } s;", "int i = 5; *(s.a + i) = 1;", index),
        ("struct { int a[4], b[4]; } s, *p = &s;", "p->a[4] = 1;", index),
        ("int m[2][3];", "m[0][3] = 1;", index),
        ("int m[2][3];", "int i = 2; m[i][0] = 1;", index),
        (
            "struct big { char pad[5000]; int far; };",
            "struct big *p = malloc(4); int *q = malloc(8000); *q = 0; p->far = 1;",
            strayed,
        ),
        ("struct big { char pad[200]; int far; };", "struct big *p = malloc(4); p->far = 1;", outside),
    ];
    for (declarations, body, fault) in cases {
        expect(&main_of(declarations, body), &[], fault);
    }
}

/// Idioms that move pointers without harm.
#[test]
fn pointers_may_be_moved_around_an_object() {
    let cases = [
        ("int a[4];", "int *p = a, *e = &a[4]; while (p != e) *p++ = 1; assert(p[-1] == 1);"),
        ("int a[4];", "int *p = a + 4; while (p != a) *--p = 1; assert(a[0] == 1);"),
        ("int m[2][3];", "int *e = m[2]; assert(e == &m[2][0] && e == &m[0][0] + 6);"),
        (
            "struct link { int v; }; struct holder { long l[9]; struct link k; } h; struct link alone;",
            "struct holder *p = (void *)((char *)&h.k - offsetof(struct holder, k)); assert(p == &h);\
             p = (void *)((char *)&alone - offsetof(struct holder, k)); assert(&p->k == &alone);",
        ),
        (
            "struct s { int n; long l; } s;",
            "uintptr_t t = (uintptr_t)&s | 1; ((struct s *)(t & ~(uintptr_t)1))->l = 2;\
             assert(((struct s *)(t - 1))->l == 2 && (size_t)&((struct s *)0)->l == 8);",
        ),
        (
            "struct flex { int n; int d[]; }; struct hack { int n; int d[1]; }; struct none { int n; int d[0]; };",
            "struct flex *f = malloc(44); f->d[9] = 1; struct hack *h = malloc(44); h->d[9] = 1;\
             struct none *z = malloc(44); z->d[9] = 1;",
        ),
        (
            "char text[10]; struct { int n; char name[8]; } r;",
            "memcpy(text, text + 5, 5); memset(r.name, 0, 8); char *e = r.name + 8; assert(e - r.name == 8);",
        ),
        ("static int t[3]; static int *end = t + 3, *last = &t[2];", "assert(end - last == 1 && 2[t] == 0);"),
        (
            "uintptr_t k; int a, b;",
            "k = (uintptr_t)&a ^ (uintptr_t)&b; *(int *)(k ^ (uintptr_t)&a) = 3; assert(b == 3);",
        ),
    ];
    for (declarations, body) in cases {
        expect(&main_of(declarations, body), &[], "holds");
    }
}

/// Elements of random objects at random indices, on several ways: an access holds if and only if the index
/// is in bounds. Around lie objects of all kinds that it could land in.
#[test]
fn random_indices() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (programs, seed) = (number("PROGRAMS", 60), number("SEED", 1));
    for program in 0..programs {
        let random = &mut Random::new(seed.wrapping_mul(1_000_003) + program);
        let (ty, size) =
            *random.pick(&[&("char", 1i64), &("short", 2), &("int", 4), &("long", 8), &("struct r", 12)]);
        let length = 1 + random.below(12) as i64;
        let index = match random.below(4) {
            0 => random.below(length as usize) as i64,
            1 => length - 1 + random.below(3) as i64,
            2 => -1 - random.below(2) as i64,
            _ => random.below(4000) as i64 - 2000,
        };
        let at = format!("n[0] + ({index})");
        // Inside of the object or of its margins.
        let back = random.one_in(2);
        let step = random.below((200 / size + if back { 0 } else { length }) as usize) as i64;
        let access = match random.below(6) {
            0 => format!("p[{at}] = v;"),
            1 => format!("*(p + ({at})) = v;"),
            2 => format!("{ty} *q = p + ({at}); *q = v;"),
            _ if !back => format!("{ty} *q = p + {step}; q[{at} - {step}] = v;"),
            _ => format!("{ty} *q = p - {step}; *(q + ({at}) + {step}) = v;"),
        };
        let object = match random.below(4) {
            0 => format!("{ty} *p = g;"),
            1 => format!(
                "{ty} *p = malloc(sizeof({ty}[{length}])), *o = malloc(sizeof({ty}[{length}])); *o = v;"
            ),
            2 => format!("{ty} x[{length}], y[{length}]; {ty} *p = x, *o = y; *o = v;"),
            _ => format!("{ty} *p = s->a;"),
        };
        let text = format!(
            "struct r {{ int a, b, c; }}; int n[3]; {ty} f[{length}], g[{length}], h[{length}];\n\
             struct {{ {ty} a[{length}]; }} before, record, behind, *s = &record;\n\
             int main(void) {{ {ty} v; memset(&v, 0, sizeof v); f[0] = h[0] = before.a[0] = behind.a[0] = v;\n\
             {object} {access} return 0; }}"
        );
        let expected = if (0..length).contains(&index) { "holds" } else { "violated" };
        expect(&text, &[], expected);
    }
}

/// Tag bits that happen to be free are not: only those of the alignment that C promises.
#[test]
fn addresses_are_no_better_aligned_than_promised() {
    let low = |place: &str, mask: u64| format!("((uintptr_t){place} & {mask}) == 0");
    let cases = [
        ("char c;", "", "&c", 1),
        ("short s;", "", "&s", 2),
        ("int i;", "", "&i", 4),
        ("int i[8];", "", "i", 4),
        ("long l;", "", "&l", 8),
        ("struct { char a[3]; } r;", "", "&r", 1),
        ("_Alignas(64) int i;", "", "&i", 64),
        ("", "char c;", "&c", 1),
        ("", "int i[3];", "i", 4),
        ("", "long l;", "&l", 8),
        ("", "_Alignas(32) int i;", "&i", 32),
        ("", "void *p = malloc(24);", "p", 16),
        ("", "void *p = malloc(1);", "p", 16),
        ("", "void *p = calloc(4, 64);", "p", 16),
        ("", "void *p = aligned_alloc(64, 64);", "p", 64),
        ("", "void *p = aligned_alloc(1024, 1024);", "p", 1024),
    ];
    for (declarations, body, place, align) in cases {
        let program = |mask| main_of(declarations, &format!("{body} assert({});", low(place, mask)));
        expect(&program(align - 1), &[], "holds");
        expect(&program(2 * align - 1), &[], "violated");
    }
}

/// More places than a set of values has room for, none of them a multiple of the access's size.
#[test]
fn many_records_beside_a_word() {
    let text = |assertion: &str| {
        format!(
            "struct r {{ int a, b; }}; struct {{ int head; struct r rs[200]; }} s; unsigned char x;\n\
             void *t(void *q) {{ struct r v = {{1, 2}}; s.rs[x] = v; return q; }}\n\
             int main(void) {{ pthread_t a; unsigned char y = 0; y = __fencepost_any(y); if (y >= 200) return 0;\n\
             x = y; pthread_create(&a, 0, t, 0); pthread_join(a, 0); struct r w = s.rs[y];\n\
             {assertion} return 0; }}"
        )
    };
    expect(&text("assert(w.b == 2 && s.head == 0);"), &[], "holds");
    expect(&text("assert(s.rs[7].b == 0);"), &[], "violated");
}

/// Memory that was freed is used again; what nobody frees is not, though it has the same size.
#[test]
fn reuse() {
    let node = "struct n { struct n *next; int v; };";
    let threads = "int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\
                   pthread_join(a, 0); pthread_join(b, 0); return 0; }";
    let thread = |body: &str| format!("{node} void *t(void *x) {{ {body} return x; }} {threads}");
    expect(&thread("int *p = malloc(4); *p = 1; assert(*p == 1); free(p);"), &["--reuse"], "holds");
    // As large as what the model of `pthread_create` keeps for a thread.
    expect(
        &thread("long *p = calloc(2, 8); assert(!p[0] && !p[1]); p[0] = p[1] = 1; free(p);"),
        &["--reuse"],
        "holds",
    );
    let fresh = "int *p = malloc(4); *p = 5; free(p); int *q = calloc(1, 4); if (p == q) assert(*q != 0);";
    expect(&thread(fresh), &["--reuse"], "violated");
    expect(&thread(fresh), &[], "holds");
    let stale =
        "int *p = calloc(1, 4); *p = 5; free(p); int *q = malloc(4); if (p == q && *q == 5) return 0;";
    expect(&thread(stale), &["--reuse"], "undefined value");
    // A thread alone, too.
    let alone = "int *p = malloc(4); free(p); int *q = malloc(4); assert(p != q);";
    expect(&main_of("", alone), &["--reuse"], "violated");
    expect(&main_of("", alone), &[], "holds");
    let other = "int *p = malloc(4); free(p); int *q = malloc(8), *r = aligned_alloc(64, 4); assert(p != q && p != r);";
    expect(&main_of("", other), &["--reuse"], "holds");
    let treiber = "struct n { struct n *next; int v; }; struct n *top;\n\
        void push(int v) { struct n *n = malloc(sizeof *n), *t; n->v = v;\n\
        do { t = top; n->next = t; } while (!cas(&top, (unsigned long)t, (unsigned long)n)); }\n\
        int pop(void) { struct n *t, *n; do { t = top; if (!t) return 0; n = t->next; }\n\
        while (!cas(&top, (unsigned long)t, (unsigned long)n)); int v = t->v; free(t); return v; }\n\
        #pragma fencepost op p = push(any(1, 2))\n#pragma fencepost op o = pop()\n";
    expect(&format!("{treiber}#pragma fencepost test T = ( p | o )"), &["--reuse"], "holds");
    expect(
        &format!("{treiber}#pragma fencepost test T = p ( o | o p )"),
        &["--reuse"],
        "access to freed memory",
    );
}

//! What is not understood is refused, with a message and a place.

/// Reads a text that is no good; returns the message and the text that it points to.
fn refused(text: &str) -> (String, String) {
    let Err(unread) = fencepost_litmus::read("bad.litmus", text) else { panic!("{text} is understood") };
    let diagnostic = &unread.diagnostics[0];
    let at = diagnostic.primary.as_ref().map(|(span, _)| unread.sources.text(*span).to_owned());
    (diagnostic.message.clone(), at.unwrap_or_default())
}

fn check(text: &str, message: &str, at: &str) {
    assert_eq!(refused(text), (message.to_owned(), at.to_owned()), "{text}");
}

/// One instruction of one thread.
fn instruction(arch: &str, text: &str, message: &str, at: &str) {
    check(&format!("{arch} T\n{{}}\n P0 ;\n {text} ;\nexists (x=0)"), message, at);
}

#[test]
fn headers() {
    check("", "a litmus test begins with its architecture", "");
    check("MIPS T\n{}", "the architecture `MIPS` is not known", "MIPS");
    check("C T\nP0() {}\nexists (x=0)", "the initial state `{ … }` is missing in front of this", "P0() {}");
    check("PPC T\n{ int x[2]; }\n", "`;` is missing here", "[");
    check("PPC T\n{ x=; }\n", "a number or the name of a location is missing here", ";");
    check("PPC T\n{}\n", "the threads are missing: `P0 | P1 ;`", "");
    check("PPC T\n{ 1:r1=x; }\n P0 ;\n nop ;\nexists (x=0)", "there is no thread 1: the test has 1", "1:r1");
    check("PPC T\n{ 0:X1=x; }\n P0 ;\n nop ;\nexists (x=0)", "`X1` is no register of PPC", "0:X1");
}

#[test]
fn conditions() {
    let ends = |end: &str| format!("PPC T\n{{}}\n P0 ;\n nop ;\n{end}");
    check(&ends("exists (x=0"), "`)` is missing here", "");
    check(&ends("exists (x 0)"), "`=` is missing here", "0");
    check(&ends("exists (x=0) y"), "neither `locations`, `filter`, `exists`, `~exists` nor `forall`", "y");
    check(&ends("locations [;]\n"), "a register, as in `0:r1`, or a location is missing here", ";");
    check(&ends("exists (0:EAX=0)"), "`EAX` is no register of PPC", "0:EAX");
    let deep = format!("exists {}x=0{}", "(".repeat(9999), ")".repeat(9999));
    assert_eq!(refused(&ends(&deep)).0, "this is nested too deeply");
}

#[test]
fn instructions() {
    instruction("AArch64", "LDRB W0,[X1]", "the instruction `LDRB` is not understood", "LDRB W0,[X1]");
    instruction("AArch64", "LDR W0", "`LDR` has 2 operands here", "LDR W0");
    instruction("AArch64", "LDR W0,X1", "an address, as in `[X1]`, is missing here", "X1");
    instruction("AArch64", "DMB FOO", "the barrier `FOO` is not understood", "FOO");
    instruction("AArch64", "B.EQ L", "nothing was compared before this branch", "B.EQ L");
    instruction("RISCV", "fence x,w", "what the fence keeps in order is `r`, `w` or `rw`", "x");
    instruction("RISCV", "lw x40,0(x1)", "`x40` is no register of RISCV", "x40");
    instruction("PPC", "bne L", "nothing was compared before this branch", "bne L");
    instruction("PPC", "b L", "the thread has no label `L`", "b L");
    instruction("X86", "MOV [x+1],$1", "this address is not understood", "[x+1]");
    instruction("X86", "LOCK MOV [x],$1", "the instruction `MOV` is not understood", "LOCK MOV [x],$1");
    instruction("X86", "nop | nop", "the test has 1 threads only", "nop");
    check(
        "PPC T\n{}\n P0 ;\n L: nop ;\n b L ;\nexists (x=0)",
        "this branch leads back, and loops are not understood",
        "b L",
    );
}

#[test]
fn exclusives() {
    let message = "an access to memory between a load-exclusive and its store-exclusive is not understood";
    let test = |rows: &str| format!("AArch64 T\n{{ 0:X1=x; 0:X4=y; }}\n P0 ;\n{rows}\nexists (x=0)");
    check(&test(" LDXR W0,[X1] ;\n LDR W3,[X4] ;\n STXR W2,W0,[X1] ;"), message, "LDR W3,[X4]");
    let message = "the address of this store-exclusive is not that of its load-exclusive";
    check(&test(" LDXR W0,[X1] ;\n STXR W2,W0,[X4] ;"), message, "STXR W2,W0,[X4]");
    check(
        &test(" STXR W2,W0,[X4] ;"),
        "no load-exclusive belongs to this store-exclusive",
        "STXR W2,W0,[X4]",
    );
}

#[test]
fn functions() {
    let body = |text: &str| format!("C T\n{{}}\nP0 (atomic_int* x) {{ {text} }}\nexists (x=0)");
    check(&body("while (1) {}"), "`while` is not understood in litmus tests", "w");
    check(&body("int r0 = READ_ONCE(*x);"), "the function `READ_ONCE` is not understood", "READ_ONCE");
    check(&body("r0 = 1;"), "`r0` is no local variable", "r0");
    check(&body("int r0; int r0;"), "`r0` is declared twice", "r0");
    check(
        &body("atomic_store_explicit(x, 1, memory_order_strong);"),
        "`memory_order_strong` is no memory order",
        "memory_order_strong",
    );
    check("C T\n{}\nP1 (int *x) {}\nexists (x=0)", "the function P0 is missing here", "(");
    check("C T\n{}\nP0 (int *x) {}\nexists (0:r0=0)", "P0 has no variable `r0`", "0:r0");
}

/// An access to what is no location ends the test without a verdict.
#[test]
fn bad_addresses() {
    let litmus = fencepost_litmus::read("bad.litmus", "PPC T\n{}\n P0 ;\n lwz r1,0(r2) ;\nexists (0:r1=0)");
    let litmus = litmus.unwrap_or_else(|unread| panic!("{:?}", unread.diagnostics));
    let found = litmus.run(&fencepost_models::sc(), &Default::default());
    let reason = found.expect_err("there is no such location").to_string();
    assert!(reason.starts_with("not supported: bad.litmus:4: "), "{reason}");
}

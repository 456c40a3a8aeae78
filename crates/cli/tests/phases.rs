//! `-vv` and `FENCEPOST_LOG` tell what the time goes into: each phase by its name, on the standard error stream and nowhere else.

mod common;

use common::{Ran, fencepost};

const MESSAGE: &str = "int data, flag;
void send(int value) { data = value; flag = 1; }
int receive(void) { return flag ? data : -1; }
#pragma fencepost op s = send(any(1, 2))
#pragma fencepost op r = receive()
#pragma fencepost test T = ( s | r )
";

const CLOSED: &str = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x); return 0; }\n";

fn run(arguments: &[&str]) -> Ran {
    fencepost(arguments).file("message.c", MESSAGE).file("closed.c", CLOSED).run()
}

/// Demands that these phases ended, and that all that did say how long they took.
#[track_caller]
fn shows(ran: &Ran, phases: &[&str]) {
    for phase in phases {
        assert!(ran.err.contains(&format!("{phase}{{")), "no {phase} in\n{}", ran.err);
    }
    assert!(ran.err.lines().all(|line| line.contains("}: close time.busy=")), "{}", ran.err);
}

#[test]
fn each_phase_has_its_name() {
    let front = ["preprocess", "parse", "lower"];
    let ran = run(&["check", "message.c", "-m", "tso", "-vv"]);
    shows(&ran, &front);
    shows(&ran, &["check", "mine", "unroll", "ranges", "encode", "solve", "replay"]);
    let ran = run(&["check", "message.c", "-m", "tso", "--engine", "explicit", "-vv"]);
    shows(&ran, &["check", "mine", "reduce", "explore", "replay"]);
    shows(&run(&["verify", "closed.c", "-m", "tso", "-vv"]), &["verify", "explore"]);
    let logged = |arguments: &[&str]| {
        fencepost(arguments)
            .env("FENCEPOST_LOG", "info")
            .file("message.c", MESSAGE)
            .file("closed.c", CLOSED)
            .run()
    };
    shows(&logged(&["lsl", "closed.c"]), &front);
    for method in ["search", "rlx"] {
        shows(&logged(&["fences", "message.c", "-m", "pso", "--method", method]), &["infer", "prove"]);
    }
    shows(&logged(&["fences", "closed.c", "-m", "pso", "--method", "store-buffers"]), &["infer", "explore"]);
    let scope = ["--threads", "1", "--steps", "1", "--preadds", "0"];
    shows(
        &logged(&[&["sweep", "message.c", "--reference", "message.c"], &scope[..]].concat()),
        &["sweep", "explore"],
    );
}

#[test]
fn the_output_is_the_same() {
    for command in [
        &["check", "message.c"][..],
        &["check", "message.c", "--engine", "explicit"],
        &["verify", "closed.c"],
    ] {
        let [with, without] = ["-vv", "-v"].map(|verbose| run(&[command, &[verbose]].concat()));
        assert_eq!((with.code, with.timeless()), (without.code, without.timeless()), "{command:?}");
        assert_eq!(without.err, "", "{command:?}");
    }
}

#[test]
fn crates_can_be_chosen() {
    let check = |log: &str| {
        fencepost(&["check", "closed.c", "-m", "sc", "-vv"])
            .env("FENCEPOST_LOG", log)
            .file("closed.c", CLOSED)
            .run()
    };
    let ran = check("fencepost_bounded=info");
    shows(&ran, &["solve"]);
    assert!(!ran.err.contains("parse{"), "{}", ran.err);
    check("a=b=c").exits(2).says("error: FENCEPOST_LOG=a=b=c: ");
}

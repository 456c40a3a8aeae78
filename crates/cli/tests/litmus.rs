//! The command `litmus`: what it prints, and how it ends.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The exit code, the output without times, and the errors.
fn litmus(arguments: &[&str]) -> (i32, String, String) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus/herd");
    run(&corpus, arguments)
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .arg("litmus")
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = program.expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let out: Vec<String> = text(&output.stdout).lines().map(without_time).collect();
    (output.status.code().expect("it ends by itself"), out.join("\n"), text(&output.stderr))
}

fn without_time(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [ref front @ .., time, "s"] if time.parse::<f64>().is_ok() => front.join(" "),
        _ => line.to_owned(),
    }
}

fn bad(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bad.litmus");
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

#[test]
fn one_test_as_herd_tells_it() {
    let (code, out, errors) = litmus(&["x86/R.litmus", "--model", "tso"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let expected = "Test R Allowed\nStates 4\n1:EAX=0; [y]=1;\n1:EAX=0; [y]=2;\n1:EAX=1; [y]=1;\n1:EAX=1; [y]=2;\nOk\n\
                    Witnesses\nPositive: 1 Negative: 3\nCondition exists (y=2 /\\ 1:EAX=0)\nObservation R Sometimes 1 3";
    assert_eq!(out, expected);
}

/// Rows come in the order of files, however many cores there are.
#[test]
fn several_tests_as_a_table() {
    let (code, out, _) = litmus(&["x86/SB.litmus", "c/SB.litmus", "-j", "2", "-m", "sc,tso"]);
    let rows = "x86/SB.litmus SB sc Never\nx86/SB.litmus SB tso Sometimes\nc/SB.litmus SB sc Never\nc/SB.litmus SB tso Sometimes";
    assert_eq!((code, out.as_str()), (0, rows));
    let (_, out, _) = litmus(&["x86/CoWW.litmus", "x86/CoRR.litmus", "-m", "sc", "--states"]);
    let rows = "x86/CoWW.litmus CoWW sc Always\n[x]=2;\nx86/CoRR.litmus CoRR sc Never\n\
                1:EAX=0; 1:EBX=0;\n1:EAX=0; 1:EBX=1;\n1:EAX=1; 1:EBX=1;";
    assert_eq!(out, rows);
}

#[test]
fn json_has_a_line_for_each() {
    let (code, out, _) = litmus(&["aarch64/MP+pointer.litmus", "x86/SB.litmus", "-m", "sc", "--json"]);
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((code, lines.len()), (0, 2));
    assert_eq!(lines[0]["verdict"], "Never");
    assert_eq!(lines[0]["states"], serde_json::json!([{ "1:X0": "x", "1:X2": 1 }]));
    assert_eq!((&lines[1]["positive"], &lines[1]["negative"]), (&0.into(), &3.into()));
}

/// What can be run is run; the exit code tells of the rest.
#[test]
fn bad_files_do_not_stop_the_others() {
    let (folder, path) = bad("X86 T\n{}\n P0 ;\n CLFLUSH [x] ;\nexists (x=0)\n");
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus/herd/x86/SB.litmus");
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let (code, out, errors) = run(folder.path(), &[&name(&path), &name(&good), "no.litmus", "-m", "sc"]);
    assert_eq!(code, 2);
    assert!(out.ends_with("SB sc Never"), "{out}");
    for part in
        ["the instruction `CLFLUSH` is not understood", "bad.litmus:4:2", "^^^^", "cannot read `no.litmus`"]
    {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let (folder, path) = bad("PPC T\n{}\n P0 ;\n lwz r1,0(r2) ;\nexists (0:r1=0)\n");
    let (code, out, _) = run(folder.path(), &[&name(&path), "-m", "sc"]);
    assert_eq!(code, 3);
    assert!(out.contains("inconclusive") && out.contains("not supported: "), "{out}");
    let (code, _, errors) = litmus(&["x86/SB.litmus", "--model", "no-such"]);
    assert_eq!(code, 2);
    assert!(errors.contains("unknown memory model `no-such`"), "{errors}");
}

//! The model headers against the compiler's own: every macro that both have means the same, and what the standard wants
//! of `<stdint.h>`, `<limits.h>` and `<inttypes.h>` is there.

use fencepost_c::headers::HEADERS;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The macros without parameters that a header defines, with their text.
fn macros(header: &str) -> Vec<(&'static str, &'static str)> {
    let (_, text) = HEADERS.iter().find(|(name, _)| *name == header).expect("it ships");
    let defines = text.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
    defines.filter(|(name, _)| !name.contains('(')).collect()
}

fn compile(folder: &Path, program: &str) -> std::path::PathBuf {
    let (source, binary) = (folder.join("a.c"), folder.join("a"));
    std::fs::write(&source, program).expect("it can be written");
    let output = Command::new("cc").arg("-std=gnu11").arg("-w").arg("-o").args([&binary, &source]).output();
    let output = output.expect("there is a compiler");
    assert!(output.status.success(), "{program}\n{}", String::from_utf8_lossy(&output.stderr));
    binary
}

#[test]
fn macros_mean_what_the_compiler_says() {
    let folder = tempfile::tempdir().expect("a folder");
    for header in ["errno.h", "inttypes.h", "limits.h", "stdatomic.h", "stdbool.h", "stdint.h", "stdlib.h"] {
        let mut program = format!(
            "#include <{header}>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\nint main(void)\n{{\n"
        );
        for (name, text) in macros(header) {
            if text.contains('{') || ["bool", "true", "false"].contains(&name) && text.contains("_Bool") {
                continue;
            }
            let differ = match text.starts_with('"') {
                true => format!("strcmp({name}, {text})"),
                false => format!(
                    "({name}) != ({text}) || !__builtin_types_compatible_p(__typeof__({name}), __typeof__({text}))"
                ),
            };
            program += &format!("#ifdef {name}\n    if ({differ}) puts(\"{name}\");\n#endif\n");
        }
        program += "    return 0;\n}\n";
        let output = Command::new(compile(folder.path(), &program)).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{header}");
    }
}

#[test]
fn no_limit_is_missing() {
    let parts = |prefix: &str| prefix.starts_with("INT") || prefix.starts_with("UINT");
    for header in ["stdint.h", "limits.h", "inttypes.h"] {
        let ours: BTreeSet<&str> = macros(header).into_iter().map(|(name, _)| name).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("a.c");
        std::fs::write(&source, format!("#include <{header}>\n")).expect("it can be written");
        let output =
            Command::new("cc").args(["-std=c11", "-dM", "-E"]).arg(&source).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let theirs = text.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
        let named = |name: &str| match header {
            "stdint.h" => {
                let limit = name.strip_suffix("_MIN").or(name.strip_suffix("_MAX"));
                limit.is_some_and(|of| {
                    parts(of) || ["SIZE", "PTRDIFF", "SIG_ATOMIC", "WCHAR", "WINT"].contains(&of)
                })
            }
            "limits.h" => {
                let limit = name.strip_suffix("_MIN").or(name.strip_suffix("_MAX"));
                let of = [
                    "CHAR", "SCHAR", "UCHAR", "SHRT", "USHRT", "INT", "UINT", "LONG", "ULONG", "LLONG",
                    "ULLONG", "MB_LEN",
                ];
                limit.is_some_and(|limit| of.contains(&limit)) || name == "CHAR_BIT"
            }
            _ => name.starts_with("PRI") || name.starts_with("SCN"),
        };
        let wanted: Vec<&str> = theirs.map(|(name, _)| name).filter(|name| named(name)).collect();
        assert!(wanted.len() > 15, "{header}");
        let missing: Vec<&str> = wanted.into_iter().filter(|name| !ours.contains(name)).collect();
        assert!(missing.is_empty(), "{header}: {missing:?}");
    }
}

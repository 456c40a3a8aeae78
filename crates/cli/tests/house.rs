//! The rules of the house: what ARCHITECTURE.md promises of all crates, and no compiler asks for.
//!
//! Each check is a function from texts to what is wrong with them; a test holds it against the workspace, and another
//! shows it a text that it must reject.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that may print and end the process.
const LOUD: &[&str] = &["cli", "bench"];

/// Crates that must be able to check each other, although their order would let one use the other.
const APART: &[(&str, &str)] = &[("explore", "bounded")];

/// What a crate may use only in tests.
const FOR_TESTS: &[&str] = &["reference"];

/// Crates that know models by what they say.
const NAMELESS: &[&str] = &["bounded", "explore", "replay", "driver", "fences", "harness", "cli"];

/// The models that ship.
const MODELS: &[&str] =
    &["serial", "sc", "tso", "pso", "rmo", "relaxed", "rlx", "rc11", "x86", "armv8", "riscv", "power"];

/// Names of models that are none, or must be there: file, name, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("cli/src/args.rs", "sc", "the default of `--model` in a sweep; the engine never sees it"),
    ("cli/src/args/fences.rs", "rlx", "the method of `--method`"),
    (
        "explore/src/rlx/rules.rs",
        "sc",
        "a table of execution buffers, which is a model of its own beside the texts",
    ),
    ("explore/src/rlx/rules.rs", "tso", "another such table"),
    ("explore/src/rlx/rules.rs", "pso", "another such table"),
    ("explore/src/rlx/rules.rs", "rmo", "another such table"),
    ("fences/src/orders.rs", "relaxed", "the order of C11 accesses"),
    ("harness/src/consistency/mod.rs", "sc", "the property of COLLECT"),
    ("harness/src/inference.rs", "rlx", "the method of inference"),
];

/// Lines that a source file may have.
const LONGEST: usize = 900;

#[test]
fn crates_use_those_above_them() {
    let workspace = read("Cargo.toml");
    let members = list(&workspace, "members");
    let manifests: BTreeMap<String, String> =
        members.iter().map(|member| (member.clone(), read(&format!("{member}/Cargo.toml")))).collect();
    let folders = fs::read_dir(root().join("crates")).expect("it is there");
    assert_eq!(folders.count(), members.len(), "each folder of crates/ is a member");
    none(&misused(&members, &manifests));
}

#[test]
fn only_the_command_line_prints() {
    let quiet = |path: &String| !LOUD.iter().any(|name| path.starts_with(&format!("{name}/")));
    let sources = sources().into_iter().filter(|(path, _)| quiet(path));
    none(&sources.flat_map(|(path, text)| prints(&path, &text)).collect::<Vec<_>>());
}

#[test]
fn no_engine_knows_a_model_by_name() {
    let nameless = |path: &String| NAMELESS.iter().any(|name| path.starts_with(&format!("{name}/")));
    let named: Vec<_> = sources()
        .iter()
        .filter(|(path, _)| nameless(path))
        .flat_map(|(path, text)| names(path, text))
        .collect();
    let excepted =
        |named: &Named| EXCEPTIONS.iter().any(|(path, name, _)| named.path == *path && named.name == *name);
    none(&named.iter().filter(|named| !excepted(named)).map(Named::show).collect::<Vec<_>>());
    for (path, name, reason) in EXCEPTIONS {
        let used = named.iter().any(|named| named.path == *path && named.name == *name);
        assert!(used, "{path} does not say \"{name}\": the exception ({reason}) is no longer needed");
    }
}

#[test]
fn documents_name_what_exists() {
    let mut documents = vec!["README.md".to_owned(), "ARCHITECTURE.md".into(), "CONTRIBUTING.md".into()];
    for folder in ["docs", "corpus"] {
        documents.extend(files(&root().join(folder), "md").iter().map(|path| relative(path, &root())));
    }
    none(&documents.iter().flat_map(|path| missing(path, &read(path))).collect::<Vec<_>>());
}

#[test]
fn no_file_is_long() {
    none(&sources().iter().flat_map(|(path, text)| long(path, text)).collect::<Vec<_>>());
}

#[test]
fn each_check_can_fail() {
    let manifest = |name: &str, rest: &str| format!("[package]\nname = \"fencepost-{name}\"\n{rest}");
    let members = ["crates/bounded", "crates/explore", "crates/reference"].map(String::from);
    let manifests = [
        ("crates/bounded", manifest("bounded", "[dependencies]\nfencepost-explore.workspace = true")),
        (
            "crates/explore",
            manifest(
                "explore",
                "[dependencies]\nfencepost-bounded.workspace = true\n[dev-dependencies]\nfencepost-reference = { path = \"\" }",
            ),
        ),
        ("crates/reference", manifest("reference", "[dependencies]\nfencepost-reference.workspace = true")),
    ];
    let manifests = manifests.map(|(path, text)| (path.to_owned(), text)).into();
    assert_eq!(
        misused(&members, &manifests),
        [
            "crates/bounded uses fencepost-explore, which is not above it",
            "crates/explore uses fencepost-bounded, by which it is to be checked",
            "crates/reference uses fencepost-reference, which is not above it",
            "crates/reference uses fencepost-reference outside of tests",
        ]
    );

    let text = "// println!(\nfn f() { r#\"print!(\"#; std::process::exit(1) }\n#[cfg(test)]\nmod tests { fn g() { dbg!(1) } }\nfn h() { println!() }";
    assert_eq!(prints("a.rs", text), ["a.rs:2 has `process::exit`", "a.rs:5 has `println!`"]);

    let text = "/* \"sc\" */ const A: [&str; 3] = [\"tso\", \"\\\"pso\", r\"rmo\"]; // \"sc\"\nfn f<'a>(_: &'a str) -> char { '\"' }";
    let found: Vec<_> = names("a.rs", text).iter().map(Named::show).collect();
    assert_eq!(found, ["a.rs:1 says \"tso\"", "a.rs:1 says \"rmo\""]);

    let text = "`crates/cli/tests/house.rs`, docs/no.md. [here](no/where.md) [there](https://a.b/docs/x) corpus/amp/*.c, corpus/c/no-*.c, corpus/NAME.c; `-p fencepost --test house`, `-p fencepost-c --test house`";
    assert_eq!(
        missing("docs/a.md", text),
        [
            "docs/a.md names corpus/c/no-*.c",
            "docs/a.md names docs/no.md",
            "docs/a.md links to no/where.md",
            "docs/a.md names the test house of fencepost-c"
        ]
    );

    assert_eq!(long("a.rs", &"\n".repeat(LONGEST)), None);
    assert_eq!(long("a.rs", &"\n".repeat(LONGEST + 1)), Some("a.rs has 901 lines".into()));
}

/// Which crates use others that they should not, outside of tests. `members` is in order, `manifests` has the text of each.
fn misused(members: &[String], manifests: &BTreeMap<String, String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for member in members {
        let text = &manifests[member];
        let folder = member.trim_start_matches("crates/");
        for used in dependencies(text) {
            let short = used.trim_start_matches("fencepost-");
            if !above.contains(&used) {
                wrong.push(format!("{member} uses {used}, which is not above it"));
            }
            if APART.contains(&(folder, short)) {
                wrong.push(format!("{member} uses {used}, by which it is to be checked"));
            }
            if FOR_TESTS.contains(&short) {
                wrong.push(format!("{member} uses {used} outside of tests"));
            }
        }
        above.push(
            text.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name").trim_matches('"'),
        );
    }
    wrong
}

/// The crates of the workspace that a manifest names outside of tests.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut counts = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            counts = line.contains("dependencies") && !line.contains("dev-dependencies");
        } else if counts && line.starts_with("fencepost") {
            found.push(line.split(['.', ' ', '=']).next().unwrap_or(line));
        }
    }
    found
}

/// The strings of a list in a manifest.
fn list(manifest: &str, name: &str) -> Vec<String> {
    let from = manifest.find(&format!("\n{name} = [")).expect("there is such a list");
    let text = manifest[from..].split(']').next().unwrap_or_default();
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What a source does that only the command line may do.
fn prints(path: &str, text: &str) -> Vec<String> {
    let code = Source::of(text).code;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        for what in ["println!", "print!", "eprintln!", "eprint!", "dbg!", "process::exit"] {
            let mut places = line.match_indices(what);
            if places.any(|(at, _)| !line[..at].ends_with(is_name)) {
                found.push(format!("{path}:{number} has `{what}`"));
            }
        }
    }
    found
}

/// Where a source has the name of a model for a string.
struct Named {
    path: String,
    line: usize,
    name: String,
}

impl Named {
    fn show(&self) -> String {
        format!("{}:{} says \"{}\"", self.path, self.line, self.name)
    }
}

fn names(path: &str, text: &str) -> Vec<Named> {
    let strings = Source::of(text).strings.into_iter();
    let models = strings.filter(|(_, string)| MODELS.contains(&string.as_str()));
    models.map(|(line, name)| Named { path: path.to_owned(), line, name }).collect()
}

/// Which files and tests a document names that do not exist. `*` and `?` stand for anything within a name; names in capitals
/// are left to the reader.
fn missing(path: &str, text: &str) -> Vec<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || "_-./*?".contains(c);
    let mut wrong = Vec::new();
    for folder in ["crates/", "corpus/", "docs/"] {
        for (at, _) in text.match_indices(folder) {
            if text[..at].ends_with(part) {
                continue;
            }
            let named = text[at..].split(|c| !part(c)).next().unwrap_or_default();
            let named = named.trim_end_matches(['.', '/']);
            let open = named.split('/').any(|name| {
                let stem = name.split('.').next().unwrap_or_default();
                !stem.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase()) && name != "README.md"
            });
            if !open && !exists(&root(), named) {
                wrong.push(format!("{path} names {named}"));
            }
        }
    }
    let beside = root().join(path).parent().expect("it is in a folder").to_owned();
    for link in text.split("](").skip(1) {
        let target = link.split([')', '#']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains("://") && !beside.join(target).exists() {
            wrong.push(format!("{path} links to {target}"));
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for command in words.windows(4).filter(|words| words[0].ends_with("-p") && words[2] == "--test") {
        let folder = command[1].trim_start_matches("fencepost").trim_start_matches('-');
        let folder = if folder.is_empty() { "cli" } else { folder };
        let name = command[3].trim_matches(|c: char| !c.is_alphanumeric());
        let tests = root().join("crates").join(folder).join("tests");
        if !tests.join(name).with_extension("rs").exists() && !tests.join(name).join("main.rs").exists() {
            wrong.push(format!("{path} names the test {name} of {}", command[1]));
        }
    }
    wrong
}

/// Whether something in a folder has this path, in which names may have one `*` or `?`.
fn exists(folder: &Path, path: &str) -> bool {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    let goes_on = |at: &Path| rest.is_empty() || exists(at, rest);
    let Some((start, end)) = name.split_once(['*', '?']) else {
        let at = folder.join(name);
        return at.exists() && goes_on(&at);
    };
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let found = entry.file_name().to_string_lossy().into_owned();
        found.starts_with(start) && found.ends_with(end) && goes_on(&entry.path())
    })
}

/// Whether a file is too long.
fn long(path: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > LONGEST).then(|| format!("{path} has {lines} lines"))
}

/// A source file without what is there for tests.
struct Source {
    /// The text, with blanks for comments and the content of strings.
    code: String,
    /// Strings, and the lines in which they begin.
    strings: Vec<(usize, String)>,
}

impl Source {
    fn of(text: &str) -> Source {
        let mut source = Source { code: String::new(), strings: Vec::new() };
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let hashes = rest.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
            let raw = hashes.filter(|hashes| {
                rest[1 + hashes..].starts_with('"')
                    && !source.code.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            });
            rest = if rest.starts_with("//") {
                &rest[rest.find('\n').unwrap_or(rest.len())..]
            } else if rest.starts_with("/*") {
                source.blank(rest, comment(rest))
            } else if let Some(hashes) = raw {
                let end = format!("\"{}", "#".repeat(hashes));
                let from = 2 + hashes;
                let length = rest[from..].find(&end).expect("it ends");
                source.string(rest, from..from + length, end.len())
            } else if next == '"' {
                source.string(rest, 1..1 + until(rest, '"'), 1)
            } else if next == '\'' && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'')) {
                // A character; what else begins so is a lifetime.
                source.blank(rest, until(rest, '\'') + 2)
            } else {
                source.code.push(next);
                &rest[next.len_utf8()..]
            };
        }
        source.without_tests()
    }

    /// Puts a blank for so much of a text, and returns what follows.
    fn blank<'t>(&mut self, text: &'t str, length: usize) -> &'t str {
        self.code.extend(text[..length].chars().filter(|c| *c == '\n'));
        self.code.push(' ');
        &text[length..]
    }

    /// Notes a string that begins a text, and returns what follows.
    fn string<'t>(&mut self, text: &'t str, content: std::ops::Range<usize>, quote: usize) -> &'t str {
        let line = 1 + self.code.matches('\n').count();
        self.strings.push((line, text[content.clone()].to_owned()));
        self.blank(text, content.end + quote)
    }

    /// Leaves out what is compiled for tests alone.
    fn without_tests(mut self) -> Source {
        const MARK: &str = "#[cfg(test)]";
        let mut from = 0;
        while let Some(at) = self.code[from..].find(MARK).map(|at| from + at) {
            let item = &self.code[at..];
            let mut depth = 0;
            let end = item.char_indices().find(|&(_, c)| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth == 0 && (c == '}' || c == ';')
            });
            let end = at + end.map_or(item.len(), |(end, _)| end + 1);
            let line = |place: usize| 1 + self.code[..place].matches('\n').count();
            let lines = line(at)..=line(end);
            self.strings.retain(|(line, _)| !lines.contains(line));
            let blank = "\n".repeat(self.code[at..end].matches('\n').count());
            self.code.replace_range(at..end, &blank);
            from = at;
        }
        self
    }
}

/// The length of what stands between quotes at the start of a text.
fn until(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text[1..].char_indices().find(|&(_, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.expect("it ends").0
}

/// The length of the comment that begins a text; comments nest.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    loop {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += text[at..].chars().next().expect("it ends").len_utf8();
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The source files of all crates, by their paths under `crates/`. Modules of tests that have files of their own are none.
fn sources() -> Vec<(String, String)> {
    let crates = root().join("crates");
    let folders = fs::read_dir(&crates).expect("it is there").flatten();
    let paths = folders.flat_map(|folder| files(&folder.path().join("src"), "rs"));
    let sources = paths.filter(|path| !path.ends_with("tests.rs"));
    let found: Vec<_> = sources
        .map(|path| (relative(&path, &crates), fs::read_to_string(&path).expect("it is text")))
        .collect();
    assert!(found.len() > 100, "the sources are there");
    found
}

/// The files below a folder with this ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).expect("it is below").display().to_string()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! What `--json` prints is as the schema says, which is made from the types of reports.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(arguments).current_dir(folder).output().expect("it runs")
}

fn schema() -> String {
    String::from_utf8(run(&root(), &["schema"]).stdout).expect("it is text")
}

#[test]
fn the_schema_that_ships_is_the_one_of_the_types() {
    let shipped = std::fs::read_to_string(root().join("docs/report.schema.json")).expect("it is there");
    assert!(shipped == schema(), "run `cargo run -- schema > docs/report.schema.json`");
}

/// A loop whose bound nobody knows.
const LOOP: &str = "int n;
void f(void) { for (int i = 0; i < n; i++) n++; }
void g(void) { n = 1; }
#pragma fencepost op f = f()
#pragma fencepost op g = g()
#pragma fencepost test T = ( f | g )
";

/// Waits for a flag that nobody sets.
const WAIT: &str = "int flag;
int main(void) { while (!flag) ; }
";

/// Two who let each other pass for ever.
const POLITE: &str = "int want[2];
void polite(int me)
{
    want[me] = 1;
    while (want[1 - me]) {
        want[me] = 0;
        want[me] = 1;
    }
    want[me] = 0;
}
#pragma fencepost op l = polite(0)
#pragma fencepost op r = polite(1)
#pragma fencepost test T = ( l | r )
";

/// Command lines, and what the first result says: its verdict, its answer, or that there is none.
#[rustfmt::skip]
const RUNS: &[(&str, &str)] = &[
    ("check checkfence/msn.c -m sc -t T0", "holds"),
    ("check checkfence/msn.c -m relaxed -t T0 -DNO_FENCE=1", "violated"),
    ("check checkfence/msn.c -m relaxed -t T0 -DNO_FENCE=4", "violated"),
    ("check attacks/late-load-of-freed.c -m relaxed", "violated"),
    ("check attacks/adjacent-bit-fields.c -m relaxed", "violated"),
    ("check TMP/loop.c -m sc --max-unroll 2", "inconclusive"),
    ("check TMP/wait.c -m sc --engine explicit --stuck", "violated"),
    ("check TMP/polite.c -m sc --engine explicit --endless fair", "violated"),
    ("check no-such-file.c", "nothing"),
    ("verify blender/peterson.c -m tso", "holds"),
    ("verify blender/peterson-unfenced.c -m tso", "violated"),
    ("sweep amp/lazy-list.c --configuration A --shard 1/2 --out TMP/1.jsonl", "holds"),
    ("sweep amp/lazy-list.c --configuration A --shard 2/2 --out TMP/2.jsonl", "holds"),
    ("sweep --merge TMP/1.jsonl TMP/2.jsonl", "holds"),
    ("sweep amp/lazy-list.c --configuration A --dry-run", "nothing"),
    ("sweep amp/lock-free-list-naive-free.c --configuration B", "violated"),
    ("sweep amp/fine-grained-heap-as-printed.c --configuration B", "violated"),
    ("fences checkfence/msn-unfenced.c -m relaxed -t T0", "placements"),
    ("fences TMP/loop.c -m relaxed --max-unroll 2", "inconclusive"),
];

#[test]
fn reports_are_as_the_schema_says() {
    let schema: Value = serde_json::from_str(&schema()).expect("it is JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = root().join("corpus");
    for (name, text) in [("loop.c", LOOP), ("wait.c", WAIT), ("polite.c", POLITE)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    for (line, expected) in RUNS {
        let line = line.replace("TMP", folder.path().to_str().expect("a path")) + " --json";
        let output = run(&corpus, &line.split(' ').collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stderr);
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}: {said}"));
        let result = &document["results"][0];
        let told = ["verdict", "answer"].iter().find_map(|name| result[name].as_str());
        assert_eq!(told.unwrap_or("nothing"), *expected, "{line}: {said}");
        if let Err(wrong) = fits(&schema, &schema, &document) {
            panic!("{line}: {wrong}");
        }
    }
}

/// Whether a value is as a schema says, and has no field that the schema does not name.
fn fits(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let named = described(root, schema, value)?;
    let fields = value.as_object().into_iter().flat_map(|fields| fields.keys());
    match fields.clone().find(|name| !named.contains(*name)) {
        Some(name) => Err(format!("the schema has no `{name}`")),
        None => Ok(()),
    }
}

/// The fields of a value that a schema names, if the value is as it says.
fn described(root: &Value, schema: &Value, value: &Value) -> Result<BTreeSet<String>, String> {
    let mut named = BTreeSet::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    for (keyword, says) in schema.as_object().expect("a schema") {
        let right = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" => true,
            "$ref" => {
                let name =
                    says.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("a definition");
                named.extend(described(root, &root["$defs"][name], value).map_err(within(name))?);
                true
            }
            "type" => list(says).iter().any(|ty| is(ty.as_str().expect("a type"), value)),
            "const" => says == value,
            "minimum" => value.as_f64().is_none_or(|value| says.as_f64().is_some_and(|least| value >= least)),
            "required" => list(says).iter().all(|name| value.get(name.as_str().expect("a name")).is_some()),
            "minItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) >= says.as_u64()),
            "maxItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) <= says.as_u64()),
            "items" => {
                let items = value.as_array().into_iter().flatten();
                items
                    .enumerate()
                    .try_for_each(|(at, item)| fits(root, says, item).map_err(within(&at.to_string())))?;
                true
            }
            "properties" => {
                for (name, schema) in says.as_object().expect("fields") {
                    value
                        .get(name)
                        .map_or(Ok(()), |value| fits(root, schema, value).map_err(within(name)))?;
                    named.insert(name.clone());
                }
                true
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    fits(root, says, value).map_err(within(name))?;
                    named.insert(name.clone());
                }
                true
            }
            "anyOf" | "oneOf" => {
                let tried: Vec<_> = list(says).iter().map(|schema| described(root, schema, value)).collect();
                let fitting = tried.iter().flatten().count();
                let why: Vec<&String> = tried.iter().filter_map(|tried| tried.as_ref().err()).collect();
                if fitting == 0 || keyword == "oneOf" && fitting > 1 {
                    return Err(format!("{fitting} of {keyword} fit: {why:?}"));
                }
                named.extend(tried.into_iter().flatten().flatten());
                true
            }
            other => panic!("this test does not know what `{other}` means"),
        };
        if !right {
            return Err(format!("{keyword} is {says} for {value}"));
        }
    }
    Ok(named)
}

/// Says where something is wrong.
fn within(place: &str) -> impl Fn(String) -> String {
    move |wrong| format!("{place}: {wrong}")
}

fn is(ty: &str, value: &Value) -> bool {
    match ty {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("there is no type `{ty}`"),
    }
}

#[test]
fn misfits_are_found() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": ["integer", "null"], "minimum": 0 }, "b": { "$ref": "#/$defs/B" } },
        "required": ["a"],
        "$defs": { "B": { "oneOf": [{ "const": "x" }, { "type": "array", "items": { "type": "string" }, "maxItems": 1 }] } },
    });
    let good = [json!({ "a": null }), json!({ "a": 1, "b": "x" }), json!({ "a": 1, "b": ["y"] })];
    let bad = [
        json!([]),
        json!({}),
        json!({ "a": -1 }),
        json!({ "a": "1" }),
        json!({ "a": 1, "c": 1 }),
        json!({ "a": 1, "b": "y" }),
        json!({ "a": 1, "b": [1] }),
        json!({ "a": 1, "b": ["y", "z"] }),
    ];
    good.iter().for_each(|value| assert_eq!(fits(&schema, &schema, value), Ok(()), "{value}"));
    bad.iter().for_each(|value| assert!(fits(&schema, &schema, value).is_err(), "{value}"));
}

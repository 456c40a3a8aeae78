//! Reports as JSON, and the schema of that. docs/json.md describes it.

use crate::Report;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// A report as a document.
pub fn render(report: &Report) -> String {
    pretty(report)
}

/// The JSON Schema of all reports.
pub fn schema() -> String {
    // What is written is described, not what a reader should put up with: no field can be missing that is always there.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    pretty(&settings.into_generator().into_root_schema_for::<Report>())
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("all keys are strings, and nothing else can fail")
}

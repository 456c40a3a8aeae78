//! Helpers shared by the parser's tests.

use fencepost_c::ast::Unit;
use fencepost_c::parse::parse;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;

/// Parses a file `a.c` that looks the same before and after preprocessing.
pub(crate) fn parse_file(text: &str) -> (Unit, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::default();
    let printed = format!("# 1 \"a.c\"\n{text}");
    let (unit, diagnostics) = parse(&printed, &mut sources, &mut |_| Some(text.to_owned()));
    (unit, diagnostics, sources)
}

/// Each diagnostic as `line:column: message`, with indented lines for all else it says.
pub(crate) fn render(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        if let Some((span, label)) = &diagnostic.primary {
            let position = sources.position(*span);
            text += &format!("{}:{}: {}", position.line, position.column, diagnostic.message);
            text += &if label.is_empty() { "\n".to_owned() } else { format!(" ({label})\n") };
        }
        for (span, label) in &diagnostic.related {
            let position = sources.position(*span);
            text += &format!("  {}:{}: {label}\n", position.line, position.column);
        }
        if let Some(help) = &diagnostic.help {
            text += &format!("  help: {help}\n");
        }
    }
    text
}

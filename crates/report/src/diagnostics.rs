//! Diagnostics as text, with the lines they speak of.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use fencepost_lsl::diagnostic::{Diagnostic, Severity};
use fencepost_lsl::source::{SourceMap, Span};

/// A diagnostic as text.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let mut group = match &diagnostic.primary {
        Some((span, label)) => title.element(snippet(sources, *span, label, AnnotationKind::Primary)),
        None => Group::with_title(title),
    };
    for (span, label) in &diagnostic.related {
        group = group.element(snippet(sources, *span, label, AnnotationKind::Context));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// The lines around a span, with carets under it.
fn snippet<'a>(
    sources: &'a SourceMap,
    span: Span,
    label: &'a str,
    kind: AnnotationKind,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(span.file);
    // Only the first line of a long stretch: where it starts says enough.
    let line = file.line_range(file.line_of(span.start));
    let start = (span.start as usize).min(file.text.len());
    let end = (span.end as usize).clamp(start, line.end.max(start));
    let annotation = kind.span(start..end);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    Snippet::source(file.text.as_str()).path(file.name.as_str()).annotation(annotation)
}

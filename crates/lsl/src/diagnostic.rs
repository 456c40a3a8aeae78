//! What is wrong with an input, for the person who wrote it.
//!
//! Bad input is data, not an error path: a front end collects as many diagnostics as it can find in one
//! run and hands them to the report. A diagnostic says what, where, why, and what to do about it.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; the input is still used.
    Warning,
    /// The input cannot be used.
    Error,
}

/// One message with the places it speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// Where, with a few words under the caret (may be empty).
    pub primary: Option<(Span, String)>,
    /// Other places that explain it.
    pub related: Vec<(Span, String)>,
    /// Why it is so.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { primary: Some((span, String::new())), ..Diagnostic::general(message) }
    }

    /// An error that has no place in a file.
    pub fn general(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            primary: None,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Words under the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        if let Some((_, text)) = &mut self.primary {
            *text = label.into();
        }
        self
    }

    /// Another place that explains it.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.related.push((span, label.into()));
        self
    }

    /// Why it is so.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// What to do.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

//! C text as far as patches must understand it: what is code, where directives stand, which arguments a call has.

/// The text with comments and what stands in quotes blanked out, of the same length, so that offsets stay.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        // What is blanked, and where the text goes on.
        let (blank, next) = if rest.starts_with(b"/*") {
            let end = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
            (at..end, end)
        } else if rest.starts_with(b"//") {
            let end = line_end(bytes, at);
            (at..end, end)
        } else if let quote @ (b'"' | b'\'') = rest[0] {
            let end = quoted_end(bytes, at + 1, quote);
            (at + 1..end, end + 1)
        } else {
            (at..at, at + 1)
        };
        out[blank].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = next;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// Where a line ends, with those that a backslash joins to it.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && (bytes[at] != b'\n' || bytes[at - 1] == b'\\') {
        at += 1;
    }
    at
}

/// Where the closing quote stands; the end of the line if there is none, as in the text of `#error`.
fn quoted_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// A directive of the preprocessor.
pub(crate) struct Directive<'t> {
    /// Where its line begins.
    pub(crate) line: usize,
    /// Its name.
    pub(crate) name: &'t str,
    /// What stands behind the name.
    pub(crate) rest: &'t str,
}

/// The directives in a text without comments.
pub(crate) fn directives(code: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut line = 0;
    for text in code.split_inclusive('\n') {
        if let Some(directive) = text.trim_start().strip_prefix('#') {
            let directive = directive.trim();
            let end = directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len());
            found.push(Directive { line, name: &directive[..end], rest: directive[end..].trim() });
        }
        line += text.len();
    }
    found
}

/// The name and the arguments of a call in a text without comments that begins with it; the arguments with where they
/// stand, without blanks around them.
pub(crate) fn call(code: &str) -> Option<(&str, Vec<(usize, &str)>)> {
    let open = code.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let name = &code[..open];
    let mut arguments = Vec::new();
    let mut depth = 0;
    let mut from = 0;
    for (at, c) in code.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' | '[' | '{' => {
                depth += 1;
                if depth == 1 {
                    from = at + 1;
                }
            }
            ')' | ']' | '}' if depth == 1 => {
                arguments.push((from, at));
                let trimmed = |(from, to): (usize, usize)| {
                    let text = &code[from..to];
                    (from + text.len() - text.trim_start().len(), text.trim())
                };
                return Some((name, arguments.into_iter().map(trimmed).collect()));
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => {
                arguments.push((from, at));
                from = at + 1;
            }
            c if depth == 0 && !c.is_whitespace() => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_left() {
        for (text, expected) in [
            ("a /* b\n c */ d", "a     \n      d"),
            ("a // b\nc", "a     \nc"),
            ("f(\"x, \\\"y\", 'a', '\\'')", "f(\"      \", ' ', '  ')"),
            ("f(\"\", x)", "f(\"\", x)"),
            ("\"/*\" x /* \" */ y", "\"  \" x         y"),
            ("a // b \\\nc\nd", "a       \n \nd"),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }

    #[test]
    fn calls_have_arguments() {
        let text = code("f (a, g(b, c)[1, 2], \", \" /* , */ ) + 1");
        let (name, arguments) = call(&text).expect("a call");
        assert_eq!(name, "f");
        let texts: Vec<&str> = arguments.iter().map(|(_, text)| *text).collect();
        assert_eq!(texts, ["a", "g(b, c)[1, 2]", "\"  \""]);
        assert!(arguments.iter().all(|(at, argument)| text[*at..].starts_with(argument)));
        assert!(call("f + (a)").is_none() && call("f(a").is_none());
    }
}

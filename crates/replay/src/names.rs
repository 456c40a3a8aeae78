//! How the program wrote a location that it got to by a pointer.

/// The location `rest` behind where a pointer points, `rest` being a path such as `.next`: `q.tail->next`. None
/// if that cannot be said in C.
pub(crate) fn via(pointer: &str, rest: &str) -> Option<String> {
    // What a pointer to an element of an array points to is that element.
    let rest = rest.strip_prefix("[0]").unwrap_or(rest);
    match rest.chars().next() {
        None => Some(format!("*{pointer}")),
        Some('.') => Some(format!("{pointer}->{}", &rest[1..])),
        Some('[') => Some(format!("{pointer}{rest}")),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_elements() {
        assert_eq!(via("q.tail", ".next").as_deref(), Some("q.tail->next"));
        assert_eq!(via("p", "").as_deref(), Some("*p"));
        assert_eq!(via("p", "[0].next").as_deref(), Some("p->next"));
        assert_eq!(via("p", "[2].next").as_deref(), Some("p[2].next"));
        assert_eq!(via("p", "+3"), None);
    }
}

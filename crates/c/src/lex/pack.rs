//! `#pragma pack`: the alignment that members of structs get at most, from one token on.

/// The limits set so far, as GCC keeps them.
#[derive(Default)]
pub(super) struct Packs {
    current: Option<u64>,
    /// What `push` saved, with the name it was given.
    stack: Vec<(Option<String>, Option<u64>)>,
}

impl Packs {
    /// Follows a directive, given by the words behind `pack`, and returns the limit that then holds; none
    /// if it makes no sense.
    pub(super) fn follow(&mut self, words: &[&str]) -> Option<Option<u64>> {
        let ["(", arguments @ .., ")"] = words else { return None };
        let mut arguments: Vec<&str> = arguments.iter().copied().filter(|word| *word != ",").collect();
        let limit = match arguments.last().map(|last| last.parse::<u64>()) {
            Some(Ok(limit @ (0 | 1 | 2 | 4 | 8 | 16))) => {
                arguments.pop();
                Some((limit > 0).then_some(limit))
            }
            Some(Ok(_)) => return None,
            _ => None,
        };
        match arguments[..] {
            [] => self.current = limit.unwrap_or(None),
            ["push"] => self.stack.push((None, self.current)),
            ["push", name] => self.stack.push((Some(name.to_owned()), self.current)),
            ["pop"] if limit.is_none() => self.current = self.stack.pop()?.1,
            ["pop", name] => {
                let at = self.stack.iter().rposition(|(known, _)| known.as_deref() == Some(name))?;
                self.current = self.stack[at].1;
                self.stack.truncate(at);
            }
            _ => return None,
        }
        if let (Some(limit), ["push", ..]) = (limit, &arguments[..]) {
            self.current = limit;
        }
        Some(self.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_nest() {
        let mut packs = Packs::default();
        let mut follow = |text: &str| packs.follow(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(follow("( 2 )"), Some(Some(2)));
        assert_eq!(follow("( push , 1 )"), Some(Some(1)));
        assert_eq!(follow("( push , here , 4 )"), Some(Some(4)));
        assert_eq!(follow("( push )"), Some(Some(4)));
        assert_eq!(follow("( pop , here )"), Some(Some(1)));
        assert_eq!(follow("( pop )"), Some(Some(2)));
        assert_eq!(follow("( )"), Some(None));
        assert_eq!(follow("( pop )"), None);
        assert_eq!(follow("( 3 )"), None);
    }
}

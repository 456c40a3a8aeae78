//! The arithmetic types, from the keywords that name them in any order (C11 6.7.2).

use crate::ast::BasicType;
use crate::token::Keyword;

/// Whether a keyword is part of the name of a basic type.
pub(super) fn is_type_word(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        Void | Bool
            | Char
            | Short
            | Int
            | Long
            | Float
            | Double
            | Signed
            | Unsigned
            | Complex
            | Int128
            | ExtendedFloat
    )
}

/// The type that these words name; none for nonsense such as `unsigned float`.
pub(super) fn basic_type(words: &[Keyword]) -> Option<BasicType> {
    let count = |word: Keyword| words.iter().filter(|&&other| other == word).count();
    let unsigned = match (count(Keyword::Signed), count(Keyword::Unsigned)) {
        (0, 0) => None,
        (1, 0) => Some(false),
        (0, 1) => Some(true),
        _ => return None,
    };
    if count(Keyword::Int) > 1 {
        return None;
    }
    let size = [Keyword::Short, Keyword::Long].map(count);
    let is_modifier =
        |word: &Keyword| matches!(word, Keyword::Signed | Keyword::Unsigned | Keyword::Short | Keyword::Long);
    let core: Vec<Keyword> = words.iter().copied().filter(|word| !is_modifier(word)).collect();
    let by_sign =
        |signed, unsigned_type| if unsigned == Some(true) { Some(unsigned_type) } else { Some(signed) };
    match (core.as_slice(), size) {
        ([] | [Keyword::Int], [0, 0]) => by_sign(BasicType::Int, BasicType::UnsignedInt),
        ([] | [Keyword::Int], [1, 0]) => by_sign(BasicType::Short, BasicType::UnsignedShort),
        ([] | [Keyword::Int], [0, 1]) => by_sign(BasicType::Long, BasicType::UnsignedLong),
        ([] | [Keyword::Int], [0, 2]) => by_sign(BasicType::LongLong, BasicType::UnsignedLongLong),
        ([Keyword::Int128], [0, 0]) => by_sign(BasicType::Int128, BasicType::UnsignedInt128),
        ([Keyword::Char], [0, 0]) => Some(match unsigned {
            None => BasicType::Char,
            Some(false) => BasicType::SignedChar,
            Some(true) => BasicType::UnsignedChar,
        }),
        _ if core.contains(&Keyword::Complex) => complex_type(&core, size, unsigned),
        (_, _) if unsigned.is_some() => None,
        ([Keyword::Double], [0, 1]) => Some(BasicType::LongDouble),
        ([word], [0, 0]) => match word {
            Keyword::Void => Some(BasicType::Void),
            Keyword::Bool => Some(BasicType::Bool),
            Keyword::Float => Some(BasicType::Float),
            Keyword::Double => Some(BasicType::Double),
            Keyword::ExtendedFloat => Some(BasicType::ExtendedFloat),
            _ => None,
        },
        _ => None,
    }
}

/// A complex type, of floating or, as GNU has it, integer parts.
fn complex_type(core: &[Keyword], size: [usize; 2], unsigned: Option<bool>) -> Option<BasicType> {
    let part: Vec<Keyword> = core.iter().copied().filter(|&word| word != Keyword::Complex).collect();
    let modifiers = [(size[0], Keyword::Short), (size[1], Keyword::Long)];
    let mut words = part.clone();
    words.extend(modifiers.iter().flat_map(|&(count, word)| std::iter::repeat_n(word, count)));
    words.extend(unsigned.map(|unsigned| if unsigned { Keyword::Unsigned } else { Keyword::Signed }));
    let valid = core.len() == part.len() + 1 && (words.is_empty() || basic_type(&words).is_some());
    valid.then_some(BasicType::Complex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<BasicType>) {
        let find = |word| Keyword::SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map(|(_, k)| *k);
        let words: Vec<Keyword> = text.split(' ').filter_map(find).collect();
        assert_eq!(basic_type(&words), expected, "{text}");
    }

    #[test]
    fn words_in_any_order() {
        check("int", Some(BasicType::Int));
        check("unsigned", Some(BasicType::UnsignedInt));
        check("signed", Some(BasicType::Int));
        check("long unsigned int long", Some(BasicType::UnsignedLongLong));
        check("char signed", Some(BasicType::SignedChar));
        check("short int", Some(BasicType::Short));
        check("double long", Some(BasicType::LongDouble));
        check("unsigned __int128", Some(BasicType::UnsignedInt128));
        check("_Complex double", Some(BasicType::Complex));
        check("long double _Complex", Some(BasicType::Complex));
        check("_Float64x", Some(BasicType::ExtendedFloat));
    }

    #[test]
    fn nonsense() {
        for text in [
            "unsigned float",
            "long long long",
            "short long",
            "signed unsigned",
            "int int",
            "void int",
            "long char",
            "unsigned _Bool",
            "long float",
            "unsigned void",
            "_Complex _Complex",
            "_Complex void int",
        ] {
            check(text, None);
        }
    }
}

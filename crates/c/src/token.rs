//! C tokens: C11 with the GNU keywords that real code uses.
//!
//! Literals carry their value, so nothing behind the lexer looks at spellings. GNU's alternate keywords
//! (`__const__`, `__inline`, …) are the same token as the plain C11 keyword.

use crate::symbol::{Interner, Symbol};
use fencepost_lsl::source::Span;

/// One token and the place in the original file it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it was written; for the result of a macro, where the macro was invoked.
    pub span: Span,
    /// Whether it opens a line of the original file: where a forgotten `;` is likely to belong before it.
    pub first_on_line: bool,
}

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub enum TokenKind {
    /// A name; whether it names a type is for the parser to know.
    Identifier(Symbol),
    /// A reserved word.
    Keyword(Keyword),
    /// An operator or a separator.
    Punctuator(Punctuator),
    /// An integer constant.
    Integer(IntegerLiteral),
    /// A floating constant, by its spelling.
    Float(Symbol),
    /// A character constant.
    Character(CharacterLiteral),
    /// A string literal; adjacent ones are still apart.
    String(StringLiteral),
    /// Behind the last token.
    End,
}

impl TokenKind {
    /// The token for a message: `` `;` ``, `` `count` ``, `a number`.
    pub(crate) fn describe(&self, names: &Interner) -> String {
        match self {
            TokenKind::Identifier(symbol) => format!("`{}`", names.text(*symbol)),
            TokenKind::Keyword(keyword) => format!("`{}`", keyword.text()),
            TokenKind::Punctuator(punctuator) => format!("`{}`", punctuator.text()),
            TokenKind::Integer(_) | TokenKind::Float(_) => "a number".to_owned(),
            TokenKind::Character(_) => "a character constant".to_owned(),
            TokenKind::String(_) => "a string literal".to_owned(),
            TokenKind::End => "end of file".to_owned(),
        }
    }
}

/// An integer constant: its value and what its spelling says about its type (C11 6.4.4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerLiteral {
    /// The value.
    pub value: u64,
    /// Written in base ten: then only an `unsigned` suffix makes it unsigned.
    pub decimal: bool,
    /// Has the suffix `u`.
    pub unsigned: bool,
    /// Has the suffix `l` or `ll`.
    pub length: IntegerLength,
}

/// The least rank an integer constant's suffix asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntegerLength {
    /// No suffix: `int` or longer.
    Int,
    /// `l`: `long` or longer.
    Long,
    /// `ll`: `long long`.
    LongLong,
}

/// A character constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharacterLiteral {
    /// Its value in its type: `'\xff'` is -1, for `char` is signed.
    pub value: i64,
    /// Its prefix.
    pub encoding: Encoding,
}

/// A string literal without the zero that ends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// Its elements as they lie in memory, little-endian where they are wider than a byte.
    pub bytes: Vec<u8>,
    /// Its prefix.
    pub encoding: Encoding,
}

/// The prefix of a character constant or string literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// None: elements are `char`.
    Plain,
    /// `u8`: elements are `char`.
    Utf8,
    /// `u`: elements are `char16_t`.
    Utf16,
    /// `U`: elements are `char32_t`.
    Utf32,
    /// `L`: elements are `wchar_t`.
    Wide,
}

impl Encoding {
    /// Size in bytes of one element.
    pub(crate) fn element_size(self) -> usize {
        match self {
            Encoding::Plain | Encoding::Utf8 => 1,
            Encoding::Utf16 => 2,
            Encoding::Utf32 | Encoding::Wide => 4,
        }
    }

    /// The prefix as written.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Encoding::Plain => "",
            Encoding::Utf8 => "u8",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
            Encoding::Wide => "L",
        }
    }
}

/// An enum whose variants are words of the language, with the table of their spellings.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $usual:literal $($other:literal)*,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $(#[doc = concat!("`", $usual, "`")] $variant,)*
        }

        impl $name {
            /// Every spelling, with what it stands for.
            pub const SPELLINGS: &'static [(&'static str, $name)] =
                &[$(($usual, $name::$variant), $(($other, $name::$variant),)*)*];

            /// The usual spelling.
            pub fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $usual,)*
                }
            }
        }
    };
}

words! {
    /// The reserved words.
    Keyword {
        Alignas "_Alignas",
        Alignof "_Alignof" "__alignof" "__alignof__",
        Asm "asm" "__asm" "__asm__",
        Atomic "_Atomic",
        Attribute "__attribute__" "__attribute",
        Auto "auto",
        AutoType "__auto_type",
        Bool "_Bool",
        Break "break",
        Case "case",
        Char "char",
        Complex "_Complex" "__complex__" "__complex" "_Imaginary",
        Const "const" "__const" "__const__",
        Continue "continue",
        Default "default",
        Do "do",
        Double "double",
        Else "else",
        Enum "enum",
        ExtendedFloat "_Float128" "__float128" "__float80" "__ibm128" "_Float16" "__bf16" "_Float32" "_Float64"
            "_Float32x" "_Float64x" "_Float128x" "_Decimal32" "_Decimal64" "_Decimal128",
        Extension "__extension__",
        Extern "extern",
        FencepostAtomic "__fencepost_atomic",
        FencepostGhost "__fencepost_ghost",
        Float "float",
        For "for",
        Generic "_Generic",
        Goto "goto",
        If "if",
        Imaginary "__imag__" "__imag",
        Inline "inline" "__inline" "__inline__",
        Int "int",
        Int128 "__int128",
        Label "__label__",
        Long "long",
        Noreturn "_Noreturn",
        OffsetOf "__builtin_offsetof",
        Real "__real__" "__real",
        Register "register",
        Restrict "restrict" "__restrict" "__restrict__",
        Return "return",
        Short "short",
        Signed "signed" "__signed" "__signed__",
        Sizeof "sizeof",
        Static "static",
        StaticAssert "_Static_assert",
        Struct "struct",
        Switch "switch",
        ThreadLocal "_Thread_local" "__thread",
        Typedef "typedef",
        Typeof "typeof" "__typeof" "__typeof__",
        TypesCompatible "__builtin_types_compatible_p",
        Union "union",
        Unsigned "unsigned",
        VaArg "__builtin_va_arg",
        Void "void",
        Volatile "volatile" "__volatile" "__volatile__",
        While "while",
    }
}

words! {
    /// The operators and separators, those with the longest spelling first, as a lexer must try them.
    Punctuator {
        Ellipsis "...",
        ShiftLeftAssign "<<=",
        ShiftRightAssign ">>=",
        AddAssign "+=",
        AndAnd "&&",
        AndAssign "&=",
        Arrow "->",
        Decrement "--",
        DivideAssign "/=",
        EqualEqual "==",
        GreaterEqual ">=",
        Increment "++",
        LessEqual "<=",
        MultiplyAssign "*=",
        NotEqual "!=",
        OrAssign "|=",
        OrOr "||",
        RemainderAssign "%=",
        ShiftLeft "<<",
        ShiftRight ">>",
        SubtractAssign "-=",
        XorAssign "^=",
        OpenBracket "[" "<:",
        CloseBracket "]" ":>",
        OpenBrace "{" "<%",
        CloseBrace "}" "%>",
        Ampersand "&",
        Bar "|",
        Caret "^",
        CloseParen ")",
        Colon ":",
        Comma ",",
        Dot ".",
        Equal "=",
        Exclamation "!",
        Greater ">",
        Less "<",
        Minus "-",
        OpenParen "(",
        Percent "%",
        Plus "+",
        Prime "'",
        Question "?",
        Semicolon ";",
        Slash "/",
        Star "*",
        Tilde "~",
    }
}

// The C-like languages as data: C, C++, Objective-C, Java, Go, Rust, Swift.
// Words from the languages' own references (ISO C23 6.4.1, C++23 lex.key, JLS 21 3.9, Go specification, Rust reference).

extension Grammar {
    static let quoted = StringStyle("\"")
    static let character = StringStyle("'")

    private static let cWords = """
        auto break case const constexpr continue default do else enum extern for goto if inline register restrict return
        sizeof static static_assert struct switch thread_local typedef typeof typeof_unqual union volatile while alignas alignof
        _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local __attribute__
        __asm__ __inline __inline__ __restrict __volatile__ __extension__ asm
        """
    private static let cTypes = "void char short int long float double signed unsigned bool"

    static let c = Grammar(
        words: [
            (.keyword, .type, "struct union enum"),
            (.keyword, .expression, "return case"),
            (.keyword, .none, cWords),
            (.type, .none, cTypes),
            (.constant, .none, "NULL true false nullptr"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [StringStyle("\"", prefixes: "L u U u8"), StringStyle("'", prefixes: "L u U u8"), quoted, character],
        habits: [.capsConstants, .calls, .properties, .preprocessor, .declaredTypes, .labels]
    )

    static let cpp = Grammar(
        words: [
            (.keyword, .type, "struct union enum class typename concept using"),
            (.type, .none, "auto"),
            (.keyword, .path, "namespace"),
            (.keyword, .expression, "return case throw"),
            (.keyword, .none, cWords),
            (
                .keyword, .none,
                """
                catch co_await co_return co_yield consteval constinit const_cast decltype delete dynamic_cast explicit export
                final friend mutable new noexcept operator override private protected public reinterpret_cast requires
                static_cast template try typeid virtual and or not xor bitand bitor compl import module
                """
            ),
            (.type, .none, cTypes + " wchar_t char8_t char16_t char32_t"),
            (.constant, .none, "NULL true false nullptr"),
            (.variable, .none, "this"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [StringStyle("\"", prefixes: "L u U u8"), StringStyle("'", prefixes: "L u U u8"), quoted, character],
        habits: [
            .capsConstants, .calls, .properties, .preprocessor, .declaredTypes, .labels, .quotedDigits, .typeArguments,
            .capitalTypes, .capitalCalls, .rawDelimiters,
        ]
    )

    static let java = Grammar(
        words: [
            (.keyword, .type, "class interface enum record extends implements new throws instanceof"),
            (.keyword, .path, "package import"),
            (.keyword, .expression, "return case throw yield"),
            (
                .keyword, .none,
                """
                abstract assert break catch const continue default do else final finally for goto if native non-sealed
                permits private protected public sealed static strictfp switch synchronized transient try volatile while with
                module requires exports opens uses provides to open when
                """
            ),
            (.type, .none, "boolean byte char double float int long short void var"),
            (.constant, .none, "true false null"),
            (.variable, .none, "this super"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [StringStyle("\"\"\"", spansLines: true), quoted, character],
        habits: [.capitalTypes, .capsConstants, .calls, .properties, .atAttributes, .dollarLetters, .typeArguments]
    )

    static let go = Grammar(
        words: [
            (.keyword, .function, "func"),
            (.keyword, .type, "type"),
            (.keyword, .expression, "return case"),
            (.keyword, .path, "package"),
            (
                .keyword, .none,
                """
                break chan const continue default defer else fallthrough for go goto if import interface map range select
                struct switch var
                """
            ),
            (
                .type, .none,
                """
                any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint
                uint8 uint16 uint32 uint64 uintptr
                """
            ),
            (.constant, .none, "true false nil iota"),
            (
                .function, .none,
                "append cap clear close complex copy delete imag len make max min new panic print println real recover"
            ),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [quoted, character, StringStyle("`", escape: 0, spansLines: true)],
        habits: [.calls, .properties, .goTypes]
    )

    static let rust = Grammar(
        words: [
            (.keyword, .function, "fn"),
            (.keyword, .type, "struct enum union trait type impl"),
            (.keyword, .expression, "return match in if while"),
            (
                .keyword, .none,
                """
                as async await break const continue crate dyn else extern for let loop mod move mut pub ref static super unsafe
                use where yield macro_rules default raw gen
                """
            ),
            (.type, .none, "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self"),
            (.constant, .none, "true false"),
            (.variable, .none, "self"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle("\"", prefixes: "r br cr", escape: 0, spansLines: true, hashes: true),
            StringStyle("\"", prefixes: "b c", spansLines: true),
            StringStyle("'", prefixes: "b"),
            StringStyle("\"", spansLines: true),
        ],
        habits: [
            .capitalTypes, .capsConstants, .calls, .properties, .bangMacros, .lifetimes, .hashBrackets, .typeArguments,
        ]
    )

    static let swift = Grammar(
        words: [
            (.keyword, .function, "func macro"),
            (.keyword, .type, "class struct enum protocol extension actor typealias associatedtype precedencegroup"),
            (.keyword, .path, "import"),
            (.keyword, .expression, "return throw case in where yield"),
            (
                .keyword, .none,
                """
                any as async await borrowing break catch consume consuming continue convenience copy default defer deinit didSet
                discard distributed do dynamic each else fallthrough fileprivate final for get guard if indirect infix init inout
                internal is isolated lazy let mutating nonisolated nonmutating nonsending open operator optional override
                package postfix prefix private public repeat required rethrows sending set some static subscript super switch
                throws try unowned unsafe var weak while willSet
                """
            ),
            (.constant, .none, "true false nil"),
            (.type, .none, "Self Any"),
            (.variable, .none, "self"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle("\"\"\"", spansLines: true, holes: .backslashParen, hashes: true),
            StringStyle("\"", holes: .backslashParen, hashes: true),
            StringStyle(
                "/",
                escape: UInt8(ascii: "\\"),
                spansLines: true,
                hashes: true,
                onlyHashed: true,
                kind: .regexp
            ),
        ],
        habits: [.capitalTypes, .calls, .properties, .atAttributes, .hashWords, .dollarVariables, .slashPatterns]
    )
}

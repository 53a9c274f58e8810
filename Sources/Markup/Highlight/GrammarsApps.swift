// Languages of applications as data: Kotlin, Scala, C#, Dart, Objective-C, Zig, PHP, Groovy, Solidity.

extension Grammar {
    static let kotlin = Grammar(
        words: [
            (.keyword, .function, "fun"),
            (.keyword, .type, "class interface object typealias"),
            (.keyword, .path, "package import"),
            (.keyword, .expression, "return throw in is as when"),
            (
                .keyword, .none,
                """
                abstract actual annotation break by catch companion const constructor continue crossinline data do else enum
                expect external final finally for get if infix init inline inner internal lateinit noinline open operator out
                override private protected public reified sealed set suspend tailrec try val value var vararg where while
                """
            ),
            (.constant, .none, "true false null"),
            (.variable, .none, "this super it field"),
        ],
        lineComments: ["//", "#!"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle("\"\"\"", escape: 0, spansLines: true, holes: [.dollarBrace, .dollarName]),
            StringStyle("\"", holes: [.dollarBrace, .dollarName]), character,
        ],
        habits: [.capitalTypes, .capsConstants, .calls, .properties, .atAttributes, .typeArguments]
    )

    static let scala = Grammar(
        words: [
            (.keyword, .function, "def"),
            (.keyword, .type, "class trait object type extends with new enum given"),
            (.keyword, .path, "package import"),
            (.keyword, .expression, "return throw case match yield"),
            (
                .keyword, .none,
                """
                abstract as catch derives do else end export extension final finally for forSome if implicit infix inline lazy
                macro opaque open override private protected sealed then transparent try using val var while
                """
            ),
            (.constant, .none, "true false null"),
            (.variable, .none, "this super"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle(
                "\"\"\"",
                prefixes: "s f raw",
                escape: 0,
                spansLines: true,
                holes: [.dollarBrace, .dollarName]
            ),
            StringStyle("\"", prefixes: "s f raw", holes: [.dollarBrace, .dollarName]),
            StringStyle("\"\"\"", escape: 0, spansLines: true), quoted, StringStyle("'", mustClose: true),
        ],
        habits: [.capitalTypes, .calls, .properties, .atAttributes]
    )

    static let csharp = Grammar(
        words: [
            (.keyword, .type, "class interface struct enum record new delegate"),
            (.keyword, .path, "namespace using"),
            (.keyword, .expression, "return throw case in is as await yield when"),
            (
                .keyword, .none,
                """
                abstract add alias allows and ascending async base break by catch checked const continue default descending do
                else equals event explicit extern file finally fixed for foreach from get global goto group if implicit init
                internal into join let lock managed nameof not notnull on operator or orderby out override params partial
                private protected public readonly ref remove required scoped sealed select set sizeof stackalloc static switch
                try typeof unchecked unmanaged unsafe value virtual volatile where while with
                """
            ),
            (
                .type, .none,
                """
                bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort
                var void
                """
            ),
            (.constant, .none, "true false null"),
            (.variable, .none, "this"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [
            StringStyle("$\"\"\"", "\"\"\"", escape: 0, spansLines: true, holes: .brace),
            StringStyle("\"\"\"", escape: 0, spansLines: true),
            StringStyle("$@\"", "\"", escape: 0, doubles: true, spansLines: true, holes: .brace),
            StringStyle("@$\"", "\"", escape: 0, doubles: true, spansLines: true, holes: .brace),
            StringStyle("@\"", "\"", escape: 0, doubles: true, spansLines: true),
            StringStyle("$\"", "\"", holes: .brace), quoted, character,
        ],
        habits: [.capitalTypes, .calls, .properties, .preprocessor, .capitalCalls, .typeArguments]
    )

    static let dart = Grammar(
        words: [
            (.keyword, .type, "class enum extension mixin typedef extends implements with new on"),
            (.keyword, .path, "import library part"),
            (.keyword, .expression, "return throw case in is as await yield"),
            (
                .keyword, .none,
                """
                abstract assert async base break catch const continue covariant default deferred do else export external factory
                final finally for get hide if interface late operator required rethrow sealed set show static switch sync
                try var when while
                """
            ),
            (.type, .none, "bool double dynamic int num void never"),
            (.constant, .none, "true false null"),
            (.variable, .none, "this super"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle("\"\"\"", prefixes: "r", escape: 0, spansLines: true),
            StringStyle("'''", prefixes: "r", escape: 0, spansLines: true),
            StringStyle("\"", prefixes: "r", escape: 0), StringStyle("'", prefixes: "r", escape: 0),
            StringStyle("\"\"\"", spansLines: true, holes: [.dollarBrace, .dollarName]),
            StringStyle("'''", spansLines: true, holes: [.dollarBrace, .dollarName]),
            StringStyle("\"", holes: [.dollarBrace, .dollarName]),
            StringStyle("'", holes: [.dollarBrace, .dollarName]),
        ],
        habits: [.capitalTypes, .calls, .properties, .atAttributes, .typeArguments]
    )

    static let objectiveC = Grammar(
        words: [
            (.keyword, .type, "@interface @implementation @protocol @class struct union enum"),
            (
                .keyword, .none,
                """
                @end @property @synthesize @dynamic @selector @encode @try @catch @finally @throw @autoreleasepool @synchronized
                @optional @required @import @public @private @protected @available @compatibility_alias
                auto break case const continue default do else extern for goto if inline register restrict return sizeof static
                switch typedef volatile while in out inout bycopy byref oneway __block __weak __strong __unsafe_unretained
                nonatomic atomic strong weak copy assign retain readonly readwrite nullable nonnull getter setter
                """
            ),
            (
                .type, .none,
                "void char short int long float double signed unsigned bool id instancetype SEL IMP BOOL Class"
            ),
            (.constant, .none, "NULL nil Nil YES NO true false"),
            (.variable, .none, "self super"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [StringStyle("@\"", "\""), quoted, character],
        habits: [
            .capitalTypes, .capsConstants, .calls, .capitalCalls, .properties, .preprocessor, .declaredTypes, .atWords,
        ]
    )

    static let zig = Grammar(
        words: [
            (.keyword, .function, "fn"),
            (.keyword, .expression, "return switch and or orelse catch try"),
            (
                .keyword, .none,
                """
                addrspace align allowzero anyframe anytype asm async await break callconv comptime const continue defer else enum
                errdefer error export extern for if inline linksection noalias noinline nosuspend opaque packed pub resume
                struct suspend test threadlocal union unreachable usingnamespace var volatile while
                """
            ),
            (
                .type, .none,
                """
                anyerror anyopaque bool c_char c_int c_long c_short c_uint c_ulong comptime_float comptime_int f16 f32 f64 f80 f128
                i8 i16 i32 i64 i128 isize noreturn type u1 u2 u3 u4 u5 u6 u7 u8 u16 u32 u64 u128 usize void
                """
            ),
            (.constant, .none, "true false null undefined"),
        ],
        lineComments: ["//"],
        strings: [quoted, character],
        habits: [.capitalTypes, .calls, .properties, .atWords]
    )

    static let php = Grammar(
        words: [
            (.keyword, .function, "function fn"),
            (.keyword, .type, "class interface trait enum extends implements new instanceof insteadof"),
            (.keyword, .path, "namespace use"),
            (.keyword, .expression, "return throw case echo print yield"),
            (
                .keyword, .none,
                """
                abstract and array as break callable catch clone const continue declare default die do else elseif empty
                enddeclare endfor endforeach endif endswitch endwhile eval exit final finally for foreach from global goto if
                include include_once isset list match or private protected public readonly require require_once static switch
                try unset var while xor
                """
            ),
            (.type, .none, "bool boolean float int integer iterable mixed never object string void self parent"),
            (
                .constant, .none,
                "true false null __class__ __dir__ __file__ __function__ __line__ __method__ __namespace__"
            ),
        ],
        ignoresCase: true,
        lineComments: ["//", "#"],
        blockComment: ("/*", "*/"),
        strings: [
            StringStyle("\"", spansLines: true, holes: [.dollarName, .brace]), StringStyle("'", spansLines: true),
            StringStyle("`", spansLines: true, holes: .dollarName),
        ],
        habits: [.capitalTypes, .capsConstants, .calls, .capitalCalls, .properties, .dollarVariables, .hashBrackets]
    )

    static let groovy = Grammar(
        words: [
            (.keyword, .type, "class interface trait enum extends implements new instanceof throws"),
            (.keyword, .path, "package import"),
            (.keyword, .expression, "return throw case in as"),
            (
                .keyword, .none,
                """
                abstract assert break catch const continue def default do else final finally for goto if native private protected
                public static strictfp super switch synchronized transient try volatile while
                """
            ),
            (.type, .none, "boolean byte char double float int long short void var"),
            (.constant, .none, "true false null"),
            (.variable, .none, "this it"),
        ],
        lineComments: ["//", "#!"],
        blockComment: ("/*", "*/"),
        strings: [
            StringStyle("\"\"\"", spansLines: true, holes: [.dollarBrace, .dollarName]),
            StringStyle("'''", spansLines: true),
            StringStyle("\"", holes: [.dollarBrace, .dollarName]), character,
        ],
        habits: [.capitalTypes, .capsConstants, .calls, .properties, .atAttributes, .colonKeys]
    )

    static let solidity = Grammar(
        words: [
            (.keyword, .function, "function modifier event error"),
            (.keyword, .type, "contract interface library struct enum is new"),
            (.keyword, .expression, "return emit"),
            (
                .keyword, .none,
                """
                abstract anonymous as assembly break calldata catch constant constructor continue delete do else external
                fallback for if immutable import indexed internal mapping memory override payable pragma private public pure
                receive returns revert storage super this try type unchecked using view virtual while
                """
            ),
            (
                .type, .none,
                "address bool string bytes bytes32 int int256 uint uint8 uint16 uint32 uint64 uint128 uint256 byte"
            ),
            (.constant, .none, "true false wei gwei ether seconds minutes hours days weeks"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [quoted, character],
        habits: [.capitalTypes, .capsConstants, .calls, .properties]
    )
}

// Scripting and scientific languages as data: Lua, R, Julia, Ruby, Perl, PowerShell, AWK, Tcl, Vim script, MATLAB, Crystal.

extension Grammar {
    static let lua = Grammar(
        words: [
            (.keyword, .function, "function"),
            (.keyword, .expression, "return"),
            (
                .keyword, .none,
                "and break do else elseif end for goto if in local not or repeat then until while continue export type"
            ),
            (.constant, .none, "true false nil"),
            (.variable, .none, "self _G _ENV"),
        ],
        lineComments: ["--", "#!"],
        blockComment: ("--[[", "]]"),
        strings: [
            StringStyle("[[", "]]", escape: 0, spansLines: true),
            StringStyle("[=[", "]=]", escape: 0, spansLines: true),
            StringStyle("[==[", "]==]", escape: 0, spansLines: true), quoted, character,
        ],
        habits: [.calls, .properties]
    )

    static let r = Grammar(
        words: [
            (.keyword, .none, "break else for function if in next repeat return while"),
            (.constant, .none, "TRUE FALSE NULL NA NA_integer_ NA_real_ NA_character_ Inf NaN T F"),
        ],
        lineComments: ["#"],
        strings: [
            StringStyle("\"", spansLines: true), StringStyle("'", spansLines: true), StringStyle("`", kind: .variable),
        ],
        habits: [.calls, .dottedNames]
    )

    static let julia = Grammar(
        words: [
            (.keyword, .function, "function macro"),
            (.keyword, .type, "struct abstract primitive type"),
            (.keyword, .path, "using import module baremodule export public"),
            (
                .keyword, .none,
                """
                as begin break catch const continue do else elseif end finally for global if in isa let local mutable outer
                quote return try where while
                """
            ),
            (.constant, .none, "true false nothing missing Inf NaN pi im"),
        ],
        lineComments: ["#"],
        blockComment: ("#=", "=#"),
        nestsComments: true,
        strings: [
            StringStyle("\"\"\"", prefixes: "raw r b s v html md", escape: 0, spansLines: true),
            StringStyle("\"", prefixes: "raw r b s v html md", spansLines: true),
            StringStyle("\"\"\"", spansLines: true, holes: [.dollarName, .dollarParen]),
            StringStyle("\"", spansLines: true, holes: [.dollarName, .dollarParen]),
            StringStyle("```", spansLines: true),
            StringStyle("`", holes: [.dollarName, .dollarParen]), StringStyle("'", mustClose: true),
        ],
        habits: [.capitalTypes, .calls, .capitalCalls, .marks, .atWords]
    )

    static let awk = Grammar(
        words: [
            (.keyword, .function, "function func"),
            (.keyword, .expression, "return print printf case"),
            (
                .keyword, .none,
                "BEGIN END BEGINFILE ENDFILE break continue default delete do else exit for getline if in next nextfile switch while"
            ),
            (
                .function, .none,
                """
                atan2 close cos exp fflush gensub gsub index int length log match mktime rand sin split sprintf sqrt srand
                strftime sub substr system systime tolower toupper asort asorti
                """
            ),
            (
                .variable, .none,
                """
                ARGC ARGV CONVFMT ENVIRON FILENAME FNR FS NF NR OFMT OFS ORS RLENGTH RS RSTART SUBSEP RT IGNORECASE
                """
            ),
        ],
        lineComments: ["#"],
        strings: [quoted],
        habits: [.calls, .dollarVariables, .slashPatterns]
    )

    static let powershell = Grammar(
        words: [
            (.keyword, .function, "function filter"),
            (.keyword, .type, "class enum"),
            (
                .keyword, .none,
                """
                begin break catch continue data do dynamicparam else elseif end exit finally for foreach from hidden if in param
                process return static switch throw trap try until using var while workflow
                """
            ),
        ],
        ignoresCase: true,
        lineComments: ["#"],
        blockComment: ("<#", "#>"),
        strings: [
            StringStyle("@\"", "\"@", escape: UInt8(ascii: "`"), spansLines: true, holes: [.dollarName, .dollarParen]),
            StringStyle("@'", "'@", escape: 0, spansLines: true),
            StringStyle(
                "\"",
                escape: UInt8(ascii: "`"),
                spansLines: true,
                holes: [.dollarName, .dollarParen, .dollarBrace]
            ),
            StringStyle("'", escape: 0, doubles: true, spansLines: true),
        ],
        habits: [.dashes, .dollarVariables, .properties, .commandVerbs, .braceVariables]
    )

    static let tcl = Grammar(
        words: [
            (.keyword, .function, "proc"),
            (
                .keyword, .none,
                """
                after append array break catch class close concat continue dict else elseif error eval exec exit expr for foreach
                format global if incr info join lappend lassign lindex list llength lrange lreplace lsearch lset lsort method
                namespace open package puts read regexp regsub rename return set source split string switch then throw trace
                try unset uplevel upvar variable vwait while
                """
            ),
        ],
        lineComments: ["#"],
        strings: [StringStyle("\"", spansLines: true, holes: [.dollarName])],
        habits: [.dollarVariables, .braceVariables]
    )

    static let vim = Grammar(
        words: [
            (.keyword, .function, "function def func"),
            (
                .keyword, .none,
                """
                augroup au autocmd break call catch colorscheme command continue echo echom echomsg else elseif end enddef endfor
                endfunction endfunc endif endtry endwhile execute exe export filetype finally finish for hi highlight if import
                in inoremap let lua map nmap nnoremap noremap return set setlocal silent source syntax syn throw try unlet
                vim9script vnoremap while const var
                """
            ),
            (.constant, .none, "true false null"),
        ],
        lineComments: ["\" ", "\"\n"],
        strings: [StringStyle("'", escape: 0, doubles: true), quoted],
        habits: [.calls]
    )

    static let matlab = Grammar(
        words: [
            (.keyword, .function, "function"),
            (
                .keyword, .none,
                """
                break case catch classdef continue else elseif end endfunction endif endwhile endfor enumeration events for
                global if methods otherwise parfor persistent properties return spmd switch try while until do
                """
            ),
            (.constant, .none, "true false pi inf nan Inf NaN eps"),
        ],
        lineComments: ["%", "#"],
        blockComment: ("%{", "%}"),
        strings: [StringStyle("\"", escape: 0, doubles: true)],
        habits: [.calls, .properties]
    )
}

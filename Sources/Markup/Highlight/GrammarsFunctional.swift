// Functional and logic languages as data: Haskell, OCaml, F#, Elm, Elixir, Erlang, Clojure and other Lisps.

extension Grammar {
    static let haskell = Grammar(
        words: [
            (.keyword, .path, "module import qualified hiding"),
            (
                .keyword, .none,
                """
                as case class data default deriving do else family forall foreign if in infix infixl infixr instance let mdo
                newtype of pattern proc rec role stock anyclass then type via where
                """
            ),
        ],
        lineComments: ["--"],
        blockComment: ("{-", "-}"),
        nestsComments: true,
        strings: [quoted, StringStyle("'", mustClose: true)],
        habits: [.capitalTypes, .primes]
    )

    static let ocaml = Grammar(
        words: [
            (.keyword, .type, "module open include"),
            (
                .keyword, .none,
                """
                and as assert begin class constraint do done downto else end exception external for fun function functor if in
                inherit initializer lazy let match method mod mutable new nonrec object of or private rec sig struct then to
                try type val virtual when while with land lor lxor lsl lsr asr
                """
            ),
            (.type, .none, "int float bool char string bytes unit list array option exn ref result"),
            (.constant, .none, "true false"),
        ],
        blockComment: ("(*", "*)"),
        nestsComments: true,
        strings: [StringStyle("\"", spansLines: true), StringStyle("{|", "|}", escape: 0, spansLines: true)],
        habits: [.capitalTypes, .primes, .lifetimes, .properties]
    )

    static let fsharp = Grammar(
        words: [
            (.keyword, .path, "module namespace open"),
            (
                .keyword, .none,
                """
                abstract and as assert async base begin class default delegate do done downcast downto elif else end exception
                extern finally fixed for fun function global if in inherit inline interface internal lazy let match member mutable
                new not of or override private public rec return seq select sig static struct task then to try type upcast use val
                void when while with yield
                """
            ),
            (
                .type, .none,
                "bool byte char decimal double float int int64 list obj option seq single string uint32 unit array"
            ),
            (.constant, .none, "true false null"),
        ],
        lineComments: ["//"],
        blockComment: ("(*", "*)"),
        nestsComments: true,
        strings: [
            StringStyle("$\"\"\"", "\"\"\"", escape: 0, spansLines: true, holes: .brace),
            StringStyle("\"\"\"", escape: 0, spansLines: true),
            StringStyle("$\"", "\"", holes: .brace),
            StringStyle("@\"", "\"", escape: 0, doubles: true, spansLines: true),
            StringStyle("\"", spansLines: true),
        ],
        habits: [.capitalTypes, .calls, .capitalCalls, .primes, .lifetimes, .properties, .preprocessor]
    )

    static let elm = Grammar(
        words: [
            (.keyword, .path, "module import exposing"),
            (.keyword, .none, "as case effect else if in let of port then type alias where infix"),
            (.constant, .none, "True False"),
        ],
        lineComments: ["--"],
        blockComment: ("{-", "-}"),
        nestsComments: true,
        strings: [StringStyle("\"\"\"", spansLines: true), quoted, character],
        habits: [.capitalTypes, .properties]
    )

    static let elixir = Grammar(
        words: [
            (.keyword, .function, "def defp defmacro defmacrop defguard defguardp defdelegate"),
            (.keyword, .type, "defmodule defprotocol defimpl defexception alias"),
            (
                .keyword, .none,
                """
                after and case catch cond defoverridable defstruct do else end fn for if import in not or quote raise receive
                require rescue reraise super throw try unless unquote unquote_splicing use when with
                """
            ),
            (.constant, .none, "true false nil __MODULE__ __DIR__ __ENV__ __CALLER__"),
        ],
        lineComments: ["#"],
        strings: [
            StringStyle("\"\"\"", spansLines: true, holes: .hashBrace),
            StringStyle("'''", spansLines: true, holes: .hashBrace),
            StringStyle("~r/", "/", spansLines: true, holes: .hashBrace, kind: .regexp),
            StringStyle("~r{", "}", spansLines: true, kind: .regexp),
            StringStyle("~w(", ")", spansLines: true), StringStyle("~w[", "]", spansLines: true),
            StringStyle("~s(", ")", spansLines: true),
            StringStyle("~S\"\"\"", "\"\"\"", escape: 0, spansLines: true),
            StringStyle("~H\"\"\"", "\"\"\"", spansLines: true),
            StringStyle("~D[", "]"), StringStyle("~U[", "]"), StringStyle("~N[", "]"), StringStyle("~T[", "]"),
            StringStyle("\"", spansLines: true, holes: .hashBrace),
            StringStyle("'", spansLines: true, holes: .hashBrace),
        ],
        habits: [.capitalTypes, .calls, .properties, .marks, .symbols, .colonKeys, .atVariables]
    )

    static let erlang = Grammar(
        words: [
            (
                .keyword, .none,
                """
                after and andalso band begin bnot bor bsl bsr bxor case catch cond div else end fun if let maybe not of or
                orelse receive rem try when xor
                """
            ),
            (.constant, .none, "true false undefined ok error"),
        ],
        lineComments: ["%"],
        strings: [
            StringStyle("\"\"\"", escape: 0, spansLines: true), StringStyle("\"", spansLines: true),
            StringStyle("'", kind: .constant),
        ],
        habits: [.calls, .erlangNames]
    )

    private static let lispStrings = [StringStyle("\"", spansLines: true)]

    static let clojure = Grammar(
        words: [
            (.keyword, .function, "defn defn- defmacro defmulti defmethod def defonce deftest"),
            (.keyword, .type, "defrecord defprotocol deftype definterface"),
            (
                .keyword, .none,
                """
                as-> binding case catch comment cond cond-> cond->> condp declare do doseq dosync dotimes doto finally fn for
                future if if-let if-not if-some import in-ns let letfn locking loop ns new or and proxy quote recur refer
                reify require set! some-> some->> throw try use var when when-first when-let when-not when-some while with-open
                with-redefs
                """
            ),
            (.constant, .none, "true false nil"),
        ],
        lineComments: [";"],
        strings: [StringStyle("#\"", "\"", spansLines: true, kind: .regexp)] + lispStrings,
        habits: [.lispCalls, .dashes, .marks, .symbols],
        letters: "*+!?<>=$"
    )

    static let lisp = Grammar(
        words: [
            (
                .keyword, .function,
                "define defun defmacro defgeneric defmethod define-syntax defsubst define-record-type cl-defun"
            ),
            (.keyword, .name, "defvar defparameter defconst defcustom defconstant"),
            (.keyword, .type, "defclass defstruct cl-defstruct"),
            (
                .keyword, .none,
                """
                and begin case cond condition-case declare delay do dolist dotimes else eval-when flet for-each handler-case if
                in-package interactive labels lambda let let* let-values letrec loop macrolet multiple-value-bind or pcase
                prog1 progn provide quasiquote quote require return set! setf setq syntax-rules unless unwind-protect use-package
                when while with-open-file
                """
            ),
            (.constant, .none, "nil t"),
        ],
        lineComments: [";"],
        blockComment: ("#|", "|#"),
        nestsComments: true,
        strings: lispStrings,
        habits: [.lispCalls, .dashes, .marks, .symbols],
        letters: "*+!?<>=$%&/"
    )
}

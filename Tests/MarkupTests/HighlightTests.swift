// What the lexers see: fragments with the kinds that a reader expects, names of languages, guests, limits.

import Markup
import Testing

@Suite("Highlighting", .timeLimit(.minutes(5)))
struct HighlightTests {
    /// `kind:text` of every token that is neither punctuation nor operator.
    private func tokens(_ code: String, _ language: String) -> [String] {
        let bytes = Array(code.utf8)
        return Highlight.tokens(bytes, language: language).filter { $0.kind != .punctuation && $0.kind != .operator }
            .map {
                "\($0.kind.name):\(String(decoding: bytes[$0.offset..<$0.offset + $0.length], as: UTF8.self))"
            }
    }

    @Test(
        "sees what a reader sees",
        arguments: [
            (
                "swift", "func a(_ b: Int) -> C { return 1 }",
                ["keyword:func", "function:a", "type:Int", "type:C", "keyword:return", "number:1"]
            ),
            ("swift", #"let s = "a\(b + "c")d""#, ["keyword:let", "string:\"a", "string:\"c\"", "string:d\""]),
            ("swift", ##"#"a\(b)\#(c)"# + 1"##, ["string:#\"a\\(b)", "string:\"#", "number:1"]),
            ("swift", "/* a /* b */ c */ x", ["comment:/* a /* b */ c */"]),
            ("swift", "#if os(Linux)", ["meta:#if", "function:os", "type:Linux"]),
            ("swift", "let r = /a[b]c/", ["keyword:let", "regexp:/a[b]c/"]),
            ("swift", "x / y / z", []),
            (
                "python", "def f(x): return f'{x!r:>{w}} a'",
                [
                    "keyword:def", "function:f", "keyword:return", "string:f'", "string:>", "string: a'",
                ]
            ),
            (
                "python", "@a.b\nclass C(D): pass",
                ["attribute:@a.b", "keyword:class", "type:C", "constant:D", "keyword:pass"]
            ),
            (
                "python", "x = 1 if None else rb'\\d'",
                ["number:1", "keyword:if", "constant:None", "keyword:else", "string:rb'\\d'"]
            ),
            ("python", "match x:\n  case 1: pass", ["keyword:match", "keyword:case", "number:1", "keyword:pass"]),
            ("python", "match = 1", ["number:1"]),
            ("javascript", "const a = /b[/]c/g.test(d)", ["keyword:const", "regexp:/b[/]c/g", "function:test"]),
            ("javascript", "a = b / c / d", []),
            ("javascript", "`x${ `y${z}` }w`", ["string:`x", "string:`y", "string:`", "string:w`"]),
            ("javascript", "f(<A b={c}>d</A>)", ["function:f", "type:A", "attribute:b", "type:A"]),
            (
                "typescript", "let a: string = b as Foo<number>",
                ["keyword:let", "type:string", "keyword:as", "type:Foo", "type:number"]
            ),
            (
                "tsx", "const f = <T,>(a: T) => <p>{a}</p>",
                ["keyword:const", "function:f", "type:T", "property:a", "type:T", "tag:p", "tag:p"]
            ),
            (
                "rust", "fn a<'b>(c: &'b str) -> char { 'x' }",
                ["keyword:fn", "function:a", "label:'b", "label:'b", "type:str", "type:char", "string:'x'"]
            ),
            ("rust", "println!(r#\"a\"b\"#)", ["function:println!", "string:r#\"a\"b\"#"]),
            (
                "go", "func (r *T) m(a int) (E, error) {",
                ["keyword:func", "type:T", "function:m", "type:int", "type:E", "type:error"]
            ),
            (
                "c", "#include <a.h>\nstruct b *c = f(0x1fu);",
                ["meta:#include", "string:<a.h>", "keyword:struct", "type:b", "function:f", "number:0x1fu"]
            ),
            ("c", "size_t n; FILE *f;", ["type:size_t", "type:FILE"]),
            ("cpp", "auto s = R\"x(a)\" )x\";", ["type:auto", "string:R\"x(a)\" )x\""]),
            ("cpp", "std::vector<int> v; 1'000", ["type:vector", "type:int", "number:1'000"]),
            (
                "java", "@Override public String f() { return \"\"\"\n a\"\"\"; }",
                [
                    "attribute:@Override", "keyword:public", "type:String", "function:f", "keyword:return",
                    "string:\"\"\"\n a\"\"\"",
                ]
            ),
            (
                "bash", "A=1 foo -x \"$b ${c:-d}\" 2>&1 | grep e",
                [
                    "variable:A", "number:1", "function:foo", "constant:-x", "string:\"", "variable:$b", "string: ",
                    "variable:c", "string:\"", "number:2", "number:1", "function:grep",
                ]
            ),
            ("bash", "cat <<'E'\n$x\nE\nls", ["function:cat", "string:'E'", "string:$x", "string:E", "function:ls"]),
            (
                "bash", "python3 -c \"import os\"",
                ["function:python3", "constant:-c", "string:\"", "keyword:import", "string:\""]
            ),
            ("bash", "jq '.a | length' f", ["function:jq", "string:'", "property:a", "function:length", "string:'"]),
            (
                "bash", "case $x in a) ls;; *) pwd;; esac",
                ["keyword:case", "variable:$x", "keyword:in", "function:ls", "function:pwd", "keyword:esac"]
            ),
            (
                "json", "{\"a\": [1, true, \"b\\n\"]}",
                ["property:\"a\"", "number:1", "constant:true", "string:\"b", "escape:\\n", "string:\""]
            ),
            (
                "yaml", "a: &b 1 # c\nd: [x, 'y']\nrun: |\n  ls -l\n",
                [
                    "property:a", "label:&b", "number:1", "comment:# c", "property:d", "string:x", "string:'y'",
                    "property:run", "function:ls", "constant:-l",
                ]
            ),
            (
                "html", "<p class=\"a\">&amp;<script>let x</script>",
                [
                    "tag:p", "attribute:class", "string:a", "constant:&amp;", "tag:script", "keyword:let", "tag:script",
                ]
            ),
            (
                "css", "a.b:hover { color: #fff; margin: 1px !important }",
                [
                    "tag:a", "property:b", "attribute:hover", "property:color", "number:#fff", "property:margin",
                    "number:1px", "keyword:!important",
                ]
            ),
            (
                "scss", "$a: 1; .b { &:c { d: $a } }",
                ["variable:$a", "number:1", "property:b", "tag:&", "attribute:c", "property:d", "variable:$a"]
            ),
            (
                "sql", "select count(*) from t where a = 'b''c' -- d",
                [
                    "keyword:select", "function:count", "keyword:from", "keyword:where", "string:'b''c'",
                    "comment:-- d",
                ]
            ),
            (
                "diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z",
                ["heading:--- a", "heading:+++ b", "meta:@@ -1 +1 @@", "deleted:-x", "inserted:+y"]
            ),
            (
                "markdown", "# T\n**b** `c` [d](e)\n```js\nlet x\n```\n",
                [
                    "heading:# T", "strong:**b**", "string:`c`", "string:[d]", "link:(e)", "meta:js", "keyword:let",
                ]
            ),
            (
                "ruby", "def a?(b) = \"c#{d}\" + %w[e f]",
                ["keyword:def", "function:a?", "string:\"c", "string:\"", "string:%w[e f]"]
            ),
            ("perl", "my $a = s/b/c/g;", ["keyword:my", "variable:$a", "regexp:s/b/", "regexp:c/g"]),
            (
                "php", "<p><?php echo $a; ?></p>",
                ["tag:p", "meta:<?php", "keyword:echo", "variable:$a", "meta:?>", "tag:p"]
            ),
            (
                "dockerfile", "FROM a AS b\nRUN ls \\\n  -l\n",
                ["keyword:FROM", "keyword:AS", "keyword:RUN", "function:ls", "constant:-l"]
            ),
            (
                "makefile", "A := $(B)\nall: c\n\techo $(A)\n",
                ["variable:A", "variable:$(B)", "function:all", "function:echo", "function:A"]
            ),
            (
                "toml", "[a.b]\nc = \"d\" # e\nf = 1979-05-27",
                [
                    "type:[a.b]", "property:c", "string:\"d\"", "comment:# e", "property:f", "number:1979", "number:05",
                    "number:27",
                ]
            ),
            (
                "kotlin", "fun a(b: C) = \"$d ${e}\"",
                ["keyword:fun", "function:a", "type:C", "string:\"", "variable:$d", "string: ", "string:\""]
            ),
            ("haskell", "f x' = Just \"a\" -- b", ["type:Just", "string:\"a\"", "comment:-- b"]),
            (
                "elixir", "def a(b), do: \"c#{d}\" <> :e",
                ["keyword:def", "function:a", "property:do", "string:\"c", "string:\"", "constant::e"]
            ),
            ("lua", "local a = --[[ b\n]] [[c]]", ["keyword:local", "comment:--[[ b\n]]", "string:[[c]]"]),
        ]
    )
    func sees(language: String, code: String, expected: [String]) { #expect(tokens(code, language) == expected) }

    @Test(arguments: [
        ("TS", "typescript"), ("py", "python"), ("c++", "cpp"), ("sh", "bash"), ("zsh", "bash"), ("C#", "csharp"),
        ("golang", "go"),
        ("patch", "diff"), ("yml", "yaml"), ("objc", "objectivec"), ("tf", "hcl"), ("tex", "latex"),
        ("docker", "dockerfile"),
    ]) func `a language is found by its aliases in any case`(alias: String, id: String) {
        #expect(Highlight.language(alias: alias)?.id == id)
    }

    @Test(arguments: [
        ("src/main.swift", "swift"), ("a/b.test.tsx", "tsx"), ("Makefile", "makefile"),
        ("Dockerfile.dev", "dockerfile"), ("x.d.ts", "typescript"),
        ("CMakeLists.txt", "cmake"), (".bashrc", "bash"), ("Gemfile", "ruby"), ("Cargo.lock", "toml"),
        ("a.unknown", nil), ("noending", nil),
    ]) func `a language is found by file name`(name: String, id: String?) {
        #expect(Highlight.language(fileName: name)?.id == id)
    }

    @Test(arguments: [
        ("#!/usr/bin/env python3", "python"), ("#!/bin/bash -e", "bash"), ("#!/usr/bin/env -S node --x", "javascript"),
        ("<?xml version=\"1.0\"?>", "xml"),
        ("<!DOCTYPE html>", "html"), ("# -*- mode: ruby -*-", "ruby"), ("// vim: set ft=rust :", "rust"),
        ("hello", nil),
    ]) func `a language is found by the first line`(line: String, id: String?) {
        #expect(Highlight.language(firstLine: line)?.id == id)
    }

    @Test func `there are at least forty languages and every name is found`() {
        #expect(Highlight.Language.all.count >= 40)
        for language in Highlight.Language.all { #expect(Highlight.language(alias: language.id)?.id == language.id) }
    }

    @Test func `an unknown language is only escaped`() {
        #expect(Highlight.html("<a> & 'b'", language: "nope").text == "&lt;a&gt; &amp; &#39;b&#39;")
        #expect(Highlight.html("<a>", language: nil).text == "&lt;a&gt;")
    }

    @Test func `code beyond the bound is only escaped`() {
        let code = String(repeating: "let x\n", count: HighlightLimits.codeBytes / 6 + 1)
        #expect(Highlight.html(code, language: "swift").bytes.count == code.utf8.count)
        #expect(Highlight.tokens(Array(code.utf8), language: "swift").isEmpty)
    }

    @Test func `nesting beyond the bound looks like its surroundings`() {
        let code = String(repeating: "\"\\(", count: HighlightLimits.nesting * 4)
        #expect(plainText(Highlight.html(code, language: "swift")) == Array(code.utf8))
    }

    @Test func `punctuation gets no element, everything is escaped`() {
        #expect(
            Highlight.html("f(\"<&>\")", language: "javascript").text
                == "<span class=\"t-function\">f</span>(<span class=\"t-string\">&quot;&lt;&amp;&gt;&quot;</span>)"
        )
    }
}

// The languages by name, alias, file name and first line. Called by everything that has code to show; the data of the
// table-driven ones is in the Grammars… files, the lexers of the others in files of their own.

extension Highlight {
    /// A language that can be highlighted.
    package struct Language: Sendable, Equatable {
        /// The lower-case name that `data-language` shows and `language(alias:)` finds, such as `typescript`.
        package let id: String
        /// How people write it, such as `TypeScript`.
        package let name: String
        let aliases: [String]
        /// Whole file names and, with a leading dot, endings, in lower case.
        let files: [String]
        /// Interpreters that a `#!` line may name, without version numbers.
        let interpreters: [String]
        /// Lexes the scanner's part; its ground frame is at the given index of the stack.
        let lex: @Sendable (inout Scanner, Int) -> Void

        package static func == (left: Language, right: Language) -> Bool { left.id == right.id }

        init(
            _ id: String,
            _ name: String,
            _ aliases: String = "",
            files: String = "",
            interpreters: String = "",
            lex: @escaping @Sendable (inout Scanner, Int) -> Void
        ) {
            self.id = id
            self.name = name
            self.aliases = aliases.split(separator: " ").map(String.init)
            self.files = files.split(separator: " ").map(String.init)
            self.interpreters = interpreters.split(separator: " ").map(String.init)
            self.lex = lex
        }

        init(
            _ id: String,
            _ name: String,
            _ aliases: String = "",
            files: String = "",
            interpreters: String = "",
            grammar: @escaping @autoclosure @Sendable () -> Grammar
        ) {
            // A grammar is a static of its file: made on first use, shared afterwards.
            self.init(id, name, aliases, files: files, interpreters: interpreters) { scanner, base in
                GrammarLexer.lex(&scanner, base: base, grammar: grammar())
            }
        }

        /// All languages, by the order of the list.
        package static var all: [Language] { Registry.shared.languages }

        static func named(_ name: String) -> Language? { Registry.shared.language(name) }
        static func index(named name: String) -> Int? { Registry.shared.index(name) }
        static func at(_ index: Int) -> Language { Registry.shared.languages[index] }
    }

    /// The language with this name or alias, in any case; `nil` when there is none.
    package static func language(alias: String) -> Language? { Language.named(alias) }

    /// The language of a file by its name (a path is fine).
    package static func language(fileName: String) -> Language? { Registry.shared.language(fileName: fileName) }

    /// The language of a file by its first line: a `#!` line, an XML declaration, an Emacs or Vim note.
    package static func language(firstLine: String) -> Language? { Registry.shared.language(firstLine: firstLine) }
}

/// The list and its indexes, made once.
private struct Registry: Sendable {
    static let shared = Registry()

    let languages: [Highlight.Language]
    private var byName: [String: Int] = [:]
    private var byFile: [String: Int] = [:]
    private var byInterpreter: [String: Int] = [:]

    init() {
        languages = Highlight.Language.list
        for (index, language) in languages.enumerated() {
            for name in [language.id, language.name.lowercased()] + language.aliases where byName[name] == nil {
                byName[name] = index
            }
            for file in language.files where byFile[file] == nil { byFile[file] = index }
            for program in language.interpreters where byInterpreter[program] == nil { byInterpreter[program] = index }
        }
    }

    func index(_ name: String) -> Int? { name.utf8.count <= 64 ? byName[name.lowercased()] : nil }

    func language(_ name: String) -> Highlight.Language? { index(name).map { languages[$0] } }

    func language(fileName: String) -> Highlight.Language? {
        let path = fileName.lowercased()
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard name.utf8.count <= 255 else { return nil }
        if let index = byFile[name] { return languages[index] }
        // The longest ending first: `.d.ts` before `.ts`.
        var rest = Substring(name)
        while let dot = rest.firstIndex(of: ".") {
            if let index = byFile[String(rest[dot...])] { return languages[index] }
            rest = rest[rest.index(after: dot)...]
        }
        if let stem = name.split(separator: ".").first, let index = byFile[stem + ".*"] { return languages[index] }
        return nil
    }

    func language(firstLine: String) -> Highlight.Language? {
        let line = firstLine.prefix(256)
        if line.hasPrefix("#!") {
            for word in line.dropFirst(2).split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }) {
                guard !word.hasPrefix("-"), !word.contains("=") else { continue }
                guard var program = word.split(separator: "/").last, program != "env" else { continue }
                while let last = program.last, last.isNumber || last == "." { program.removeLast() }
                return byInterpreter[String(program)].map { languages[$0] }
            }
            return nil
        }
        if line.hasPrefix("<?xml") { return language("xml") }
        if line.hasPrefix("<?php") { return language("php") }
        if line.lowercased().hasPrefix("<!doctype html") { return language("html") }
        for marker in ["-*-", "vim:", "vi:"] {
            guard let range = line.firstRange(of: marker) else { continue }
            for word in line[range.upperBound...].split(whereSeparator: {
                !($0.isLetter || $0.isNumber || $0 == "+" || $0 == "#")
            })
            where !["mode", "set", "ft", "filetype", "syntax"].contains(word.lowercased()) {
                return language(String(word))
            }
        }
        return nil
    }
}

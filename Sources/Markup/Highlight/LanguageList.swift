// The list of languages: names, aliases, files, interpreters, and which lexer with which data.

extension Highlight.Language {
    static let list: [Highlight.Language] = [
        Highlight.Language("swift", "Swift", files: ".swift .swiftinterface", interpreters: "swift", grammar: .swift),
        Highlight.Language("c", "C", "h", files: ".c .h", grammar: .c),
        Highlight.Language(
            "cpp", "C++", "c++ cc cxx hpp hh hxx", files: ".cpp .cc .cxx .c++ .hpp .hh .hxx .ipp .inl .tpp", grammar: .cpp),
        Highlight.Language("java", "Java", files: ".java", grammar: .java),
        Highlight.Language("go", "Go", "golang", files: ".go", grammar: .go),
        Highlight.Language("rust", "Rust", "rs", files: ".rs", grammar: .rust),
        Highlight.Language(
            "json", "JSON", "jsonl ndjson jsonc json5", files: ".json .jsonl .ndjson .jsonc .json5 .webmanifest .map .ipynb",
            grammar: .json),
    ]
}

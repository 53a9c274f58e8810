// The list of languages: names, aliases, files, interpreters, and which lexer with which data.

extension Highlight.Language {
    static let list: [Highlight.Language] = programs + scripts + texts

    /// Compiled languages.
    private static let programs: [Highlight.Language] = [
        Highlight.Language("swift", "Swift", files: ".swift .swiftinterface", interpreters: "swift", grammar: .swift),
        Highlight.Language("c", "C", "h", files: ".c .h", grammar: .c),
        Highlight.Language(
            "cpp", "C++", "c++ cc cxx hpp hh hxx cuda", files: ".cpp .cc .cxx .c++ .hpp .hh .hxx .ipp .inl .tpp .tcc .cu .cuh", grammar: .cpp),
        Highlight.Language("java", "Java", files: ".java", grammar: .java),
        Highlight.Language("go", "Go", "golang", files: ".go", grammar: .go),
        Highlight.Language("rust", "Rust", "rs", files: ".rs", grammar: .rust),
    ]

    /// Scripting languages and shells.
    private static let scripts: [Highlight.Language] = [
        Highlight.Language(
            "python", "Python", "py python3 py3 pyi gyp bazel starlark ipython", files: ".py .pyi .pyw .bzl .star .gyp .gypi sconstruct build.bazel build workspace wscript",
            interpreters: "python pypy ipython") { PythonLexer.lex(&$0, base: $1) },
        Highlight.Language(
            "javascript", "JavaScript", "js mjs cjs node ecmascript", files: ".js .mjs .cjs .es6 jakefile", interpreters: "node nodejs bun qjs"
        ) { JavaScriptLexer.lex(&$0, base: $1, dialect: .elements) },
        Highlight.Language("jsx", "JSX", "react", files: ".jsx") { JavaScriptLexer.lex(&$0, base: $1, dialect: .elements) },
        Highlight.Language("typescript", "TypeScript", "ts mts cts", files: ".ts .mts .cts", interpreters: "deno ts-node tsx") {
            JavaScriptLexer.lex(&$0, base: $1, dialect: .types)
        },
        Highlight.Language("tsx", "TSX", "typescriptreact", files: ".tsx") { JavaScriptLexer.lex(&$0, base: $1, dialect: [.types, .elements]) },
        Highlight.Language(
            "bash", "Bash", "sh shell zsh ksh shellscript console-script dash posix", files:
            ".sh .bash .zsh .ksh .bats .ebuild .bashrc .zshrc .profile .bash_profile .bash_aliases .zprofile .zshenv .envrc .env pkgbuild",
            interpreters: "bash sh zsh ksh dash ash bats") { ShellLexer.lex(&$0, base: $1, isFish: false) },
        Highlight.Language("fish", "Fish", files: ".fish", interpreters: "fish") { ShellLexer.lex(&$0, base: $1, isFish: true) },
        Highlight.Language("jq", "jq", files: ".jq", interpreters: "jq", grammar: .jq),
    ]

    /// Data, documents, styles, queries.
    private static let texts: [Highlight.Language] = [
        Highlight.Language(
            "json", "JSON", "jsonl ndjson jsonc json5 geojson", files: ".json .jsonl .ndjson .jsonc .json5 .webmanifest .map .ipynb .geojson .har .resolved .code-workspace",
            grammar: .json),
        Highlight.Language("yaml", "YAML", "yml", files: ".yaml .yml .clang-format .clang-tidy") { YamlLexer.lex(&$0, base: $1) },
        Highlight.Language("toml", "TOML", files: ".toml cargo.lock poetry.lock uv.lock pipfile", grammar: .toml),
        Highlight.Language(
            "ini", "INI", "cfg conf dosini properties editorconfig gitconfig systemd desktop",
            files: ".ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service .socket .timer .desktop .npmrc .cnf", grammar: .ini),
        Highlight.Language(
            "html", "HTML", "htm xhtml vue svelte astro handlebars hbs", files: ".html .htm .xhtml .vue .svelte .astro .hbs") {
            DocumentLexer.lex(&$0, base: $1, dialect: [.rawElements, .mustache])
        },
        Highlight.Language(
            "xml", "XML", "svg rss atom plist xsl xslt xsd wsdl mathml storyboard xib",
            files: ".xml .svg .xsl .xslt .xsd .wsdl .plist .rss .atom .storyboard .xib .csproj .fsproj .vcxproj .props .targets .pom .entitlements .kml") {
            DocumentLexer.lex(&$0, base: $1, dialect: [])
        },
        Highlight.Language("css", "CSS", files: ".css .pcss") { StyleSheetLexer.lex(&$0, base: $1, isScript: false) },
        Highlight.Language("scss", "SCSS", "sass less", files: ".scss .sass .less") { StyleSheetLexer.lex(&$0, base: $1, isScript: true) },
        Highlight.Language("sql", "SQL", "mysql postgres postgresql pgsql plpgsql sqlite sqlite3 tsql plsql mariadb duckdb", files: ".sql .ddl .dml .pgsql", grammar: .sql),
        Highlight.Language("graphql", "GraphQL", "gql", files: ".graphql .gql .graphqls", grammar: .graphql),
        Highlight.Language("protobuf", "Protocol Buffers", "proto protobuf3", files: ".proto", grammar: .protobuf),
        Highlight.Language("markdown", "Markdown", "md mdx commonmark gfm", files: ".md .markdown .mdx .mkd .mdc") { MarkdownLexer.lex(&$0, base: $1) },
        Highlight.Language("diff", "Diff", "patch udiff", files: ".diff .patch .rej") { PatchLexer.lex(&$0, base: $1) },
        Highlight.Language("hcl", "HCL", "terraform tf tfvars opentofu", files: ".hcl .tf .tfvars", grammar: .hcl),
        Highlight.Language("nix", "Nix", files: ".nix", grammar: .nix),
        Highlight.Language("cmake", "CMake", files: ".cmake cmakelists.txt", grammar: .cmake),
    ]
}

// The list of languages: names, aliases, files, interpreters, and which lexer with which data.

extension Highlight.Language {
    static let list: [Highlight.Language] = programs + scripts + texts

    /// Compiled languages.
    private static let programs: [Highlight.Language] = [
        Highlight.Language("swift", "Swift", files: ".swift .swiftinterface", interpreters: "swift", grammar: .swift),
        Highlight.Language("c", "C", "h", files: ".c .h", grammar: .c),
        Highlight.Language(
            "cpp",
            "C++",
            "c++ cc cxx hpp hh hxx cuda",
            files: ".cpp .cc .cxx .c++ .hpp .hh .hxx .ipp .inl .tpp .tcc .cu .cuh",
            grammar: .cpp
        ),
        Highlight.Language("java", "Java", files: ".java", grammar: .java),
        Highlight.Language("go", "Go", "golang", files: ".go", grammar: .go),
        Highlight.Language("rust", "Rust", "rs", files: ".rs", grammar: .rust),
        Highlight.Language("kotlin", "Kotlin", "kt kts", files: ".kt .kts", interpreters: "kotlin", grammar: .kotlin),
        Highlight.Language(
            "scala",
            "Scala",
            "sc sbt",
            files: ".scala .sc .sbt",
            interpreters: "scala",
            grammar: .scala
        ),
        Highlight.Language("csharp", "C#", "c# cs dotnet", files: ".cs .csx .cake", grammar: .csharp),
        Highlight.Language("fsharp", "F#", "f# fs fsx", files: ".fs .fsx .fsi", grammar: .fsharp),
        Highlight.Language("dart", "Dart", "flutter", files: ".dart", grammar: .dart),
        Highlight.Language(
            "objectivec",
            "Objective-C",
            "objective-c objc obj-c objectivecpp objc++ mm",
            files: ".m .mm",
            grammar: .objectiveC
        ),
        Highlight.Language("zig", "Zig", "zon", files: ".zig .zon", grammar: .zig),
        Highlight.Language(
            "haskell",
            "Haskell",
            "hs",
            files: ".hs .lhs",
            interpreters: "runhaskell stack",
            grammar: .haskell
        ),
        Highlight.Language(
            "ocaml",
            "OCaml",
            "ml reason",
            files: ".ml .mli .mll .mly",
            interpreters: "ocaml",
            grammar: .ocaml
        ),
        Highlight.Language("elm", "Elm", files: ".elm", grammar: .elm),
        Highlight.Language(
            "erlang",
            "Erlang",
            "erl",
            files: ".erl .hrl .escript rebar.config",
            interpreters: "escript",
            grammar: .erlang
        ),
        Highlight.Language("solidity", "Solidity", "sol", files: ".sol", grammar: .solidity),
    ]

    /// Scripting languages and shells.
    private static let scripts: [Highlight.Language] = [
        Highlight.Language(
            "python",
            "Python",
            "py python3 py3 pyi gyp bazel starlark ipython",
            files: ".py .pyi .pyw .bzl .star .gyp .gypi sconstruct build.bazel build workspace wscript",
            interpreters: "python pypy ipython"
        ) { PythonLexer.lex(&$0, base: $1) },
        Highlight.Language(
            "javascript",
            "JavaScript",
            "js mjs cjs node ecmascript",
            files: ".js .mjs .cjs .es6 jakefile",
            interpreters: "node nodejs bun qjs"
        ) { JavaScriptLexer.lex(&$0, base: $1, dialect: .elements) },
        Highlight.Language("jsx", "JSX", "react", files: ".jsx") {
            JavaScriptLexer.lex(&$0, base: $1, dialect: .elements)
        },
        Highlight.Language(
            "typescript",
            "TypeScript",
            "ts mts cts",
            files: ".ts .mts .cts",
            interpreters: "deno ts-node tsx"
        ) {
            JavaScriptLexer.lex(&$0, base: $1, dialect: .types)
        },
        Highlight.Language("tsx", "TSX", "typescriptreact", files: ".tsx") {
            JavaScriptLexer.lex(&$0, base: $1, dialect: [.types, .elements])
        },
        Highlight.Language(
            "bash",
            "Bash",
            "sh shell zsh ksh shellscript console-script dash posix",
            files:
                ".sh .bash .zsh .ksh .bats .ebuild .bashrc .zshrc .profile .bash_profile .bash_aliases .zprofile .zshenv .envrc .env pkgbuild",
            interpreters: "bash sh zsh ksh dash ash bats"
        ) { ShellLexer.lex(&$0, base: $1, isFish: false) },
        Highlight.Language("fish", "Fish", files: ".fish", interpreters: "fish") {
            ShellLexer.lex(&$0, base: $1, isFish: true)
        },
        Highlight.Language(
            "ruby",
            "Ruby",
            "rb rake jruby crystal cr",
            files:
                ".rb .rake .gemspec .ru .podspec .cr gemfile rakefile podfile fastfile vagrantfile brewfile dangerfile guardfile",
            interpreters: "ruby jruby macruby rake"
        ) { RubyLexer.lex(&$0, base: $1, isPerl: false) },
        Highlight.Language("perl", "Perl", "pl pm", files: ".pl .pm .t .psgi cpanfile", interpreters: "perl") {
            RubyLexer.lex(&$0, base: $1, isPerl: true)
        },
        Highlight.Language(
            "php",
            "PHP",
            "php3 php4 php5 phtml blade",
            files: ".php .phtml .php5 .inc",
            interpreters: "php"
        ) {
            DocumentLexer.lex(&$0, base: $1, dialect: [.rawElements, .php])
        },
        Highlight.Language("php-code", "PHP code", grammar: .php),
        Highlight.Language(
            "elixir",
            "Elixir",
            "ex exs heex",
            files: ".ex .exs .heex mix.lock",
            interpreters: "elixir",
            grammar: .elixir
        ),
        Highlight.Language(
            "clojure",
            "Clojure",
            "clj cljs cljc edn bb",
            files: ".clj .cljs .cljc .edn .bb",
            interpreters: "bb clojure",
            grammar: .clojure
        ),
        Highlight.Language(
            "lisp",
            "Lisp",
            "common-lisp commonlisp cl elisp emacs-lisp scheme scm racket rkt guile",
            files: ".lisp .lsp .cl .el .scm .ss .rkt .asd .emacs",
            interpreters: "sbcl clisp guile racket emacs",
            grammar: .lisp
        ),
        Highlight.Language(
            "groovy",
            "Groovy",
            "gradle jenkinsfile",
            files: ".groovy .gradle jenkinsfile",
            interpreters: "groovy",
            grammar: .groovy
        ),
        Highlight.Language(
            "lua",
            "Lua",
            "luau",
            files: ".lua .luau .rockspec",
            interpreters: "lua luajit texlua nvim",
            grammar: .lua
        ),
        Highlight.Language(
            "r",
            "R",
            "rlang rscript splus",
            files: ".r .rprofile",
            interpreters: "rscript r",
            grammar: .r
        ),
        Highlight.Language("julia", "Julia", "jl", files: ".jl", interpreters: "julia", grammar: .julia),
        Highlight.Language("matlab", "MATLAB", "octave", files: ".octave", interpreters: "octave", grammar: .matlab),
        Highlight.Language(
            "powershell",
            "PowerShell",
            "posh ps ps1 pwsh",
            files: ".ps1 .psm1 .psd1",
            interpreters: "pwsh powershell",
            grammar: .powershell
        ),
        Highlight.Language("tcl", "Tcl", "tk", files: ".tcl .tk", interpreters: "tclsh wish", grammar: .tcl),
        Highlight.Language("vim", "Vim script", "viml vimscript nvim", files: ".vim .vimrc .nvimrc", grammar: .vim),
        Highlight.Language(
            "awk",
            "AWK",
            "gawk mawk nawk",
            files: ".awk",
            interpreters: "awk gawk mawk nawk",
            grammar: .awk
        ),
        Highlight.Language("sed", "sed", files: ".sed", interpreters: "sed gsed") {
            PatternLexer.lexSed(&$0, base: $1)
        },
        Highlight.Language("regex", "Regular expression", "regexp re pcre") { PatternLexer.lex(&$0, base: $1) },
        Highlight.Language("jq", "jq", files: ".jq", interpreters: "jq", grammar: .jq),
    ]

    /// Data, documents, styles, queries.
    private static let texts: [Highlight.Language] = [
        Highlight.Language(
            "json",
            "JSON",
            "jsonl ndjson jsonc json5 geojson",
            files: ".json .jsonl .ndjson .jsonc .json5 .webmanifest .map .ipynb .geojson .har .resolved .code-workspace"
        ) { JsonLexer.lex(&$0, base: $1) },
        Highlight.Language("yaml", "YAML", "yml", files: ".yaml .yml .clang-format .clang-tidy") {
            YamlLexer.lex(&$0, base: $1)
        },
        Highlight.Language("toml", "TOML", files: ".toml cargo.lock poetry.lock uv.lock pipfile", grammar: .toml),
        Highlight.Language(
            "ini",
            "INI",
            "cfg conf dosini properties editorconfig gitconfig systemd desktop",
            files:
                ".ini .cfg .conf .properties .editorconfig .gitconfig .gitmodules .service .socket .timer .desktop .npmrc .cnf"
        ) {
            IniLexer.lex(&$0, base: $1)
        },
        Highlight.Language(
            "html",
            "HTML",
            "htm xhtml vue svelte astro handlebars hbs",
            files: ".html .htm .xhtml .vue .svelte .astro .hbs"
        ) {
            DocumentLexer.lex(&$0, base: $1, dialect: [.rawElements, .mustache])
        },
        Highlight.Language(
            "xml",
            "XML",
            "svg rss atom plist xsl xslt xsd wsdl mathml storyboard xib",
            files:
                ".xml .svg .xsl .xslt .xsd .wsdl .plist .rss .atom .storyboard .xib .csproj .fsproj .vcxproj .props .targets .pom .entitlements .kml"
        ) {
            DocumentLexer.lex(&$0, base: $1, dialect: [])
        },
        Highlight.Language("css", "CSS", files: ".css .pcss") { StyleSheetLexer.lex(&$0, base: $1, isScript: false) },
        Highlight.Language("scss", "SCSS", "sass less", files: ".scss .sass .less") {
            StyleSheetLexer.lex(&$0, base: $1, isScript: true)
        },
        Highlight.Language(
            "sql",
            "SQL",
            "mysql postgres postgresql pgsql plpgsql sqlite sqlite3 tsql plsql mariadb duckdb",
            files: ".sql .ddl .dml .pgsql",
            grammar: .sql
        ),
        Highlight.Language("graphql", "GraphQL", "gql", files: ".graphql .gql .graphqls", grammar: .graphql),
        Highlight.Language("protobuf", "Protocol Buffers", "proto protobuf3", files: ".proto", grammar: .protobuf),
        Highlight.Language("markdown", "Markdown", "md mdx commonmark gfm", files: ".md .markdown .mdx .mkd .mdc") {
            MarkdownLexer.lex(&$0, base: $1)
        },
        Highlight.Language("diff", "Diff", "patch udiff", files: ".diff .patch .rej") { PatchLexer.lex(&$0, base: $1) },
        Highlight.Language("hcl", "HCL", "terraform tf tfvars opentofu", files: ".hcl .tf .tfvars", grammar: .hcl),
        Highlight.Language("nix", "Nix", files: ".nix", grammar: .nix),
        Highlight.Language("erb", "ERB", "ejs eruby rhtml", files: ".erb .ejs .rhtml") {
            DocumentLexer.lex(&$0, base: $1, dialect: [.rawElements, .erb])
        },
        Highlight.Language("latex", "LaTeX", "tex bibtex context", files: ".tex .sty .cls .ltx .bib") {
            LatexLexer.lex(&$0, base: $1)
        },
        Highlight.Language(
            "makefile",
            "Makefile",
            "make mk gnumake bsdmake",
            files: ".mk .mak makefile gnumakefile makefile.*",
            interpreters: "make"
        ) {
            MakefileLexer.lex(&$0, base: $1)
        },
        Highlight.Language(
            "dockerfile",
            "Dockerfile",
            "docker containerfile",
            files: ".dockerfile dockerfile containerfile dockerfile.* containerfile.*"
        ) {
            DockerfileLexer.lex(&$0, base: $1)
        },
        Highlight.Language("cmake", "CMake", files: ".cmake cmakelists.txt", grammar: .cmake),
    ]
}

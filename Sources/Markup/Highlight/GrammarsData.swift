// Query and configuration languages as data: SQL, GraphQL, Protocol Buffers, TOML, HCL, Nix, CMake, jq.

extension Grammar {
    static let sql = Grammar(
        words: [
            (
                .keyword, .none,
                """
                abort absolute action add admin after aggregate all alter always analyse analyze and any array as asc assertion asymmetric at
                atomic attach authorization autoincrement backup before begin between both break by cache call called cascade cascaded case cast
                catalog chain change character check checkpoint class close cluster collate collation column columns comment commit
                committed concurrently conflict connect connection constraint constraints content continue convert copy cost create cross cube
                current cursor cycle data database databases day deallocate declare default defaults deferrable deferred definer delete
                delimiter delimiters desc describe detach dictionary disable discard distinct do document domain drop duplicate each else elseif
                enable encoding encrypted end engine enum escape event except exclude excluding exclusive exec execute exists exit explain
                extension external fail fetch fields first following for force foreign forward freeze from full function functions generated
                global glob go grant granted group grouping groups handler having header hold hour identified identity if ignore ilike immediate
                immutable implicit import in include including increment index indexed indexes inherit inherits initially inline inner inout
                insensitive insert instead intersect into invoker is isnull isolation join key keys kill language large last lateral leading
                leakproof left level like limit limits listen load local location lock locked logged loop match matched materialized maxvalue
                merge method minute minvalue mode modify month move names national natural new next no none not nothing notify notnull nowait nulls
                object of off offset oids old on only open operator option options or order ordinality others out outer over overlaps overriding
                overwrite owned owner parallel parser partial partition partitions password plan plans policy pragma preceding precision prepare
                prepared preserve primary prior privileges procedural procedure procedures program publication query quote raise range read
                reassign rebuild recheck recursive ref references referencing refresh regexp reindex relative release rename repeatable replace
                replica reset restart restrict return returning returns revoke right role rollback rollup routine row rows rule savepoint schema
                schemas scroll search second security select sequence sequences serializable server session session_user set setof sets share
                show similar simple skip snapshot some sql stable standalone start statement statistics stdin stdout storage stored strict strip
                subscription substring support symmetric sysid system table tables tablesample tablespace temp template temporary then ties to
                top trailing transaction transform trigger trim truncate trusted type types uncommitted unencrypted union unique unlisten unlogged
                until update use user using vacuum valid validate validator values variable variadic verbose version view views virtual volatile
                when where while whitespace window with within without work wrapper write year zone
                """
            ),
            (
                .type, .none,
                """
                bigint bigserial binary bit blob bool boolean bytea char cidr clob date datetime dec decimal double float float4 float8 inet int
                int2 int4 int8 integer interval json jsonb long macaddr mediumint money nchar ntext number numeric nvarchar oid point real regclass
                serial smallint smallserial text time timestamp timestamptz tinyint tinytext tsquery tsvector uuid varbinary varchar varchar2
                varying xml
                """
            ),
            (.constant, .none, "true false null unknown current_date current_time current_timestamp current_user"),
        ],
        ignoresCase: true,
        lineComments: ["--", "#"],
        blockComment: ("/*", "*/"),
        nestsComments: true,
        strings: [
            StringStyle("'", prefixes: "E e", doubles: true, spansLines: true),
            StringStyle("'", prefixes: "N n B b X x U u", escape: 0, doubles: true, spansLines: true),
            StringStyle("'", escape: 0, doubles: true, spansLines: true),
            StringStyle("$$", escape: 0, spansLines: true),
            StringStyle("\"", escape: 0, doubles: true, kind: .variable),
            StringStyle("`", escape: 0, kind: .variable),
        ],
        habits: [.calls, .atVariables, .dollarVariables, .symbols]
    )

    static let graphql = Grammar(
        words: [
            (.keyword, .type, "type interface union enum input scalar on implements"),
            (.keyword, .function, "query mutation subscription fragment"),
            (.keyword, .none, "schema extend directive repeatable"),
            (.type, .none, "Int Float String Boolean ID"),
            (.constant, .none, "true false null"),
        ],
        lineComments: ["#"],
        strings: [StringStyle("\"\"\"", spansLines: true), quoted],
        habits: [.capitalTypes, .capsConstants, .atAttributes, .dollarVariables, .colonKeys]
    )

    static let protobuf = Grammar(
        words: [
            (.keyword, .type, "message enum service extend returns stream"),
            (.keyword, .function, "rpc"),
            (
                .keyword, .none,
                """
                syntax edition import package option optional required repeated oneof map reserved extensions to max public weak group
                export local
                """
            ),
            (
                .type, .none,
                """
                double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes
                """
            ),
            (.constant, .none, "true false inf nan"),
        ],
        lineComments: ["//"],
        blockComment: ("/*", "*/"),
        strings: [quoted, character],
        habits: [.capitalTypes, .capsConstants]
    )

    static let toml = Grammar(
        words: [(.constant, .none, "true false"), (.number, .none, "inf nan")],
        lineComments: ["#"],
        strings: [
            StringStyle("\"\"\"", spansLines: true), StringStyle("'''", escape: 0, spansLines: true), quoted,
            StringStyle("'", escape: 0),
        ],
        habits: [.equalKeys, .dashes, .sections]
    )

    static let hcl = Grammar(
        words: [
            (
                .keyword, .none,
                """
                resource data variable output module provider terraform locals required_providers backend provisioner lifecycle connection
                dynamic for in if else endif endfor moved import check removed
                """
            ),
            (.type, .none, "string number bool list map set object tuple any"),
            (.constant, .none, "true false null"),
            (.variable, .none, "var local each count self path"),
        ],
        lineComments: ["#", "//"],
        blockComment: ("/*", "*/"),
        strings: [StringStyle("\"", holes: .dollarBrace)],
        habits: [.calls, .properties, .equalKeys, .dashes]
    )

    static let nix = Grammar(
        words: [
            (.keyword, .none, "assert else if in inherit let or rec then with"),
            (
                .function, .none,
                """
                abort baseNameOf builtins derivation dirOf fetchTarball import isNull map removeAttrs throw toString
                """
            ),
            (.constant, .none, "true false null"),
        ],
        lineComments: ["#"],
        blockComment: ("/*", "*/"),
        strings: [
            StringStyle("''", escape: 0, spansLines: true, holes: .dollarBrace),
            StringStyle("\"", spansLines: true, holes: .dollarBrace),
        ],
        habits: [.properties, .equalKeys, .dashes, .primes]
    )

    static let cmake = Grammar(
        words: [
            (
                .keyword, .none,
                """
                if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro return break continue block
                endblock and or not defined exists equal less greater strequal strless strgreater matches version_less version_greater
                version_equal version_greater_equal target in_list
                """
            ),
            (.constant, .none, "on off true false"),
        ],
        ignoresCase: true,
        lineComments: ["#"],
        blockComment: ("#[[", "]]"),
        strings: [
            StringStyle("[[", "]]", escape: 0, spansLines: true),
            StringStyle("\"", spansLines: true, holes: [.dollarBrace]),
        ],
        habits: [.calls, .capsConstants, .dashes, .braceVariables]
    )

    static let jq = Grammar(
        words: [
            (.keyword, .function, "def"),
            (
                .keyword, .none,
                "import include module as if then else elif end and or not reduce foreach try catch label break"
            ),
            (.constant, .none, "true false null empty"),
            (
                .function, .none,
                """
                abs add all any arrays ascii_downcase ascii_upcase booleans capture ceil contains del endswith env error explode
                first flatten floor from_entries fromdate fromjson getpath group_by gsub has halt implode in index indices input inputs
                inside isempty iterables join keys keys_unsorted last length limit ltrimstr map map_values match max max_by min min_by now
                nulls numbers objects path paths pick range recurse reverse rindex round rtrimstr scalars scan select setpath sort sort_by
                split splits sqrt startswith strings sub test to_entries todate tojson tonumber tostring transpose type unique unique_by
                until utf8bytelength values walk while with_entries
                """
            ),
        ],
        lineComments: ["#"],
        strings: [StringStyle("\"", holes: .backslashParen)],
        habits: [.calls, .properties, .dollarVariables, .atWords, .colonKeys]
    )
}

// build-box: a benchmark watch that never ends, with output that arrives line by line.

extension Demonstration {
    private static let folder = "/home/ci/work/relay"

    static let benchmarkWatch = SessionScript(
        id: "b2f40b7e-3c55-4e0e-8f0c-5d2b7a901201",
        title: "Watch the benchmarks of the release branch",
        project: folder,
        agent: "codex",
        model: codex,
        branch: "release/2.4",
        minutesAgo: 2,
        history: [
            .user("Run the benchmarks on every new commit of release/2.4 and tell me when something becomes slower."),
            .todo(
                """
                x Find the benchmark command and its baseline
                > Watch for commits
                - Compare, report regressions above 3 %
                """
            ),
            .shell(
                "cargo bench --bench frames -- --save-baseline release-2.3",
                in: folder,
                """
                   Compiling relay v2.3.9 (/home/ci/work/relay)
                    Finished `bench` profile [optimized] target(s) in 48.20s
                frames/parse 125 B      time:   [41.882 ns 41.903 ns 41.927 ns]
                frames/parse 4 KiB      time:   [88.140 ns 88.201 ns 88.266 ns]
                frames/mask 64 KiB      time:   [1.2910 µs 1.2934 µs 1.2961 µs]
                fanout/10k sockets      time:   [3.1120 ms 3.1188 ms 3.1260 ms]

                """
            ),
            .assistant("The baseline of 2.3 is saved. From now on I compare each commit of the branch with it."),
        ],
        turns: [quietCommit, slowerCommit, bisect, fixed]
    )

    private static let quietCommit: [Entry] = [
        .notice("New commit on release/2.4: 5e0c1fa “Say why a socket was closed”").after(5_000),
        .shell(
            "cargo bench --bench frames -- --baseline release-2.3",
            in: folder,
            """
            frames/parse 125 B      time:   [41.910 ns 41.934 ns 41.960 ns]
                                    change: \u{1B}[2m[-0.3112% +0.0740% +0.4401%] (p = 0.68)\u{1B}[0m
                                    No change in performance detected.
            frames/parse 4 KiB      time:   [88.020 ns 88.110 ns 88.204 ns]
                                    change: \u{1B}[2m[-0.4020% -0.1033% +0.2010%] (p = 0.51)\u{1B}[0m
                                    No change in performance detected.
            frames/mask 64 KiB      time:   [1.2901 µs 1.2922 µs 1.2950 µs]
                                    No change in performance detected.
            fanout/10k sockets      time:   [3.1090 ms 3.1155 ms 3.1231 ms]
                                    No change in performance detected.

            """,
            pace: 520
        ),
        .assistant("`5e0c1fa`: nothing changed beyond noise. Next commit."),
        .usage(210, 160, cached: 12_400, written: 0, micros: 2_900, model: codex),
    ]

    private static let slowerCommit: [Entry] = [
        .notice("New commit on release/2.4: c71d3be “Keep the peer's address for the log”").after(5_000),
        .shell(
            "cargo bench --bench frames -- --baseline release-2.3",
            in: folder,
            """
            frames/parse 125 B      time:   [41.930 ns 41.951 ns 41.980 ns]
                                    No change in performance detected.
            frames/parse 4 KiB      time:   [88.104 ns 88.190 ns 88.281 ns]
                                    No change in performance detected.
            frames/mask 64 KiB      time:   [1.2925 µs 1.2940 µs 1.2966 µs]
                                    No change in performance detected.
            fanout/10k sockets      time:   [3.7820 ms 3.7911 ms 3.8006 ms]
                                    change: \u{1B}[31m[+21.30% +21.56% +21.83%] (p = 0.00)\u{1B}[0m
                                    \u{1B}[1m\u{1B}[31mPerformance has regressed.\u{1B}[0m

            """,
            pace: 520
        ),
        .assistant(
            """
            **Regression in `c71d3be`.** Fan-out to 10,000 sockets takes **21.6 % longer** (3.12 → 3.79 ms); parsing and masking \
            are untouched, so the cost is per socket, about 67 ns each. I will look at what the commit adds to a socket.
            """
        ),
        .usage(240, 310, cached: 13_100, written: 0, micros: 4_100, model: codex),
    ]

    private static let bisect: [Entry] = [
        .shell(
            "git show --stat c71d3be && perf stat -e cache-misses ./target/release/fanout 10000",
            in: folder,
            """
            commit c71d3be
             src/socket.rs | 14 \u{1B}[32m++++++++++++\u{1B}[31m--\u{1B}[m
             src/log.rs    |  9 \u{1B}[32m+++++++\u{1B}[31m--\u{1B}[m

             Performance counter stats for './target/release/fanout 10000':
                    41,772,310      cache-misses
                   3.804 seconds time elapsed

            """,
            pace: 260
        ).after(3_000),
        .thinking(
            "The socket grew from 64 to 96 bytes: one cache line became two. Fan-out touches every socket once, so each of "
                + "them now costs two misses. Put the address where only the log looks."
        ),
        .edit(
            folder + "/src/socket.rs",
            """
            @@ -12,8 +12,8 @@ pub struct Socket {
                 fd: RawFd,
                 queued: u32,
                 state: State,
            -    peer: SocketAddr,
            -    peer_text: String,
            +    peer: Box<Peer>,
             }
             
            -const _: () = assert!(size_of::<Socket>() <= 96);
            +// One cache line: a fan-out touches every socket once.
            +const _: () = assert!(size_of::<Socket>() <= 64);
            """
        ),
        .usage(305, 540, cached: 14_900, written: 0, micros: 5_800, model: codex),
    ]

    private static let fixed: [Entry] = [
        .shell(
            "cargo bench --bench frames -- --baseline release-2.3 fanout",
            in: folder,
            """
               Compiling relay v2.4.0-rc.2 (/home/ci/work/relay)
                Finished `bench` profile [optimized] target(s) in 31.77s
            fanout/10k sockets      time:   [3.1102 ms 3.1170 ms 3.1249 ms]
                                    change: \u{1B}[32m[-17.95% -17.78% -17.60%] (p = 0.00)\u{1B}[0m
                                    \u{1B}[1m\u{1B}[32mPerformance has improved.\u{1B}[0m

            """,
            pace: 700
        ).after(2_500),
        .assistant(
            """
            Back at **3.12 ms**. The address moved behind a pointer; a socket is one cache line again, and an assertion at \
            compile time keeps it so. The patch is on `release/2.4-fanout`, ready for review.
            """
        ),
        .usage(260, 290, cached: 15_300, written: 0, micros: 4_000, model: codex),
    ]
}

// build-box: the hunt for a test that fails now and then, with coloured output and one very long log.

extension Demonstration {
    private static let folder = "/home/ci/work/sync"

    static let flakyTests = SessionScript(
        id: "b2f40b7e-3c55-4e0e-8f0c-5d2b7a901203",
        title: "Flaky: “two devices meet” fails one time in fifty",
        project: folder,
        agent: "codex",
        model: codex,
        branch: "flaky-meet",
        minutesAgo: 300,
        history: [
            .user(
                "The test “two devices meet” fails about once in fifty runs, only on CI. Find out why. Do not add a retry."
            ),
            .thinking(
                "First make it fail here: many runs, two cores, under load. Then look at what differs in the failing run."
            ),
            .shell(
                "for i in $(seq 200); do taskset -c 0,1 ./run-tests --filter meet || break; done",
                in: folder,
                repeated,
                exit: 1,
                title: "Run it until it fails",
                pace: 5
            ),
            .assistant(
                "Run 61 failed: the second device sees **version 3** where 4 is expected. The log says that the watcher woke "
                    + "*before* the file was renamed into place."
            ),
            .search(
                "rename",
                in: folder + "/src",
                """
                src/store.cpp:118:    write_all(tmp, bytes);
                src/store.cpp:119:    notify_watchers(path);
                src/store.cpp:120:    ::rename(tmp.c_str(), path.c_str());
                """
            ),
            .thinking(
                "There it is: watchers are told between write and rename. Usually the rename wins by microseconds. Also no "
                    + "fsync before the rename, another story. Swap the two, and fail loudly when the rename fails."
            ),
            .edit(
                folder + "/src/store.cpp",
                """
                @@ -115,5 +115,9 @@ void Store::save(const Path& path, Bytes bytes) {
                     const Path tmp = path.sibling(".tmp");
                     write_all(tmp, bytes);
                -    notify_watchers(path);
                -    ::rename(tmp.c_str(), path.c_str());
                +    sync_file(tmp);
                +    if (::rename(tmp.c_str(), path.c_str()) != 0) {
                +        throw StoreError::last("rename", path);
                +    }
                +    // Only now may anybody look: the new version is in place.
                +    notify_watchers(path);
                 }
                """
            ),
            .edit(
                folder + "/tests/meet_test.cpp",
                """
                @@ -40,6 +40,18 @@ TEST(Meet, TwoDevicesMeet) {
                     EXPECT_EQ(second.version("note"), 4);
                 }
                 
                +TEST(Meet, WatcherSeesTheVersionItWasToldOf) {
                +    Store store(scratch());
                +    std::vector<int> seen;
                +    store.watch("note", [&](const Path& path) {
                +        seen.push_back(store.version(path));
                +    });
                +    for (int version = 1; version <= 1000; ++version) {
                +        store.save("note", text(version));
                +    }
                +    EXPECT_EQ(seen, iota(1, 1000));
                +}
                +
                 TEST(Meet, OfflineDeviceCatchesUp) {
                     Device first = device("a");
                     Device second = device("b");
                """
            ),
            .shell(
                "ninja && stress-ng --cpu 4 --timeout 300 & for i in $(seq 2000); do ./run-tests --filter Meet || break; done; echo $i",
                in: folder,
                """
                \u{1B}[1m[14/14]\u{1B}[0m Linking CXX executable run-tests
                \u{1B}[2mstress-ng: info: dispatching hogs: 4 cpu\u{1B}[0m
                2000

                """,
                title: "Run it 2,000 times under load"
            ),
            .assistant(
                """
                Found and fixed: **the store told its watchers before the file was in place.**

                1. `save` wrote a temporary file, *notified*, then renamed.
                2. A watcher that was quick enough read the old version.
                3. On CI, with two cores and much load, that was one run in fifty.

                The new test needs no luck: it saves 1,000 versions and checks that each notice shows its own version. It \
                failed at once before the fix. 2,000 runs under load pass.

                Not touched, but worth a ticket: `write_all` had no `fsync` before the rename; I added one, since a power \
                cut could have left an empty file.
                """
            ),
            .usage(1_890, 5_210, cached: 97_000, written: 0, micros: 61_300, model: codex),
        ]
    )

    /// 60 good runs and one that fails: longer than what travels inside a timeline.
    private static let repeated: String = {
        var text = ""
        for run in 1...60 {
            text += "\u{1B}[2m── run \(run) ──\u{1B}[0m\n"
            for (test, time) in [("TwoDevicesMeet", 41), ("OfflineDeviceCatchesUp", 18), ("ThreeDevicesMeet", 66)] {
                let spent = time + (run * 7 + time) % 13
                text += "\u{1B}[32m[ RUN      ]\u{1B}[0m Meet.\(test)\n"
                for step in ["connect a", "connect b", "push v1", "pull v1", "push v2", "pull v2", "close"] {
                    text += "\u{1B}[2m             \(spent / 8) ms  store: \(step), watcher woke, version ok\u{1B}[0m\n"
                }
                text += "\u{1B}[32m[       OK ]\u{1B}[0m Meet.\(test) (\(spent) ms)\n"
            }
        }
        return text + """
            \u{1B}[2m── run 61 ──\u{1B}[0m
            \u{1B}[32m[ RUN      ]\u{1B}[0m Meet.TwoDevicesMeet
            tests/meet_test.cpp:40: \u{1B}[31mFailure\u{1B}[0m
            Expected equality of these values:
              second.version("note")
                Which is: \u{1B}[33m3\u{1B}[0m
              4
            \u{1B}[31m[  FAILED  ]\u{1B}[0m Meet.TwoDevicesMeet (44 ms)
             \u{1B}[1m\u{1B}[31m1 FAILED TEST\u{1B}[0m

            """
    }()
}

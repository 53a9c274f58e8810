// studio-mac: a Swift session that never ends. Four small turns, played in a circle, so that there is always text on its way.

extension Demonstration {
    private static let folder = "/Users/mira/code/lantern"

    static let liveOutline = SessionScript(
        id: "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901101",
        title: "Outline view: follow the cursor",
        project: folder,
        agent: "claudeCode",
        model: opus,
        branch: "outline-cursor",
        minutesAgo: 1,
        history: opening,
        turns: [debounce, accessibility, measure, names]
    )

    private static let opening: [Entry] = [
        .user(
            "The outline on the left should highlight the heading that the cursor is in. Large notes must not stutter."
        ),
        .thinking(
            "Headings are known from the parser with their byte ranges, sorted. The cursor is one offset. So this is a binary "
                + "search per cursor move; nothing needs to be parsed again."
        ),
        .search(
            "HeadingRange",
            in: folder + "/Sources",
            "Sources/Lantern/Outline.swift:14\nSources/Lantern/NoteView.swift:88"
        ),
        .read(folder + "/Sources/Lantern/Outline.swift", lines: 96),
        .todo(
            """
            > Find the heading of an offset by binary search
            - Highlight it without rebuilding the list
            - Debounce fast cursor moves
            - Test: first heading, gaps, empty note
            """
        ),
        .edit(
            folder + "/Sources/Lantern/Outline.swift",
            """
            @@ -21,6 +21,21 @@ struct Outline {
                 /// Headings in the order of the text.
                 private(set) var headings: [HeadingRange] = []
             
            +    /// The heading that `offset` belongs to: the last one that starts at or before it.
            +    func heading(at offset: Int) -> HeadingRange? {
            +        var low = 0
            +        var high = headings.count
            +        while low < high {
            +            let middle = (low + high) / 2
            +            if headings[middle].start <= offset {
            +                low = middle + 1
            +            } else {
            +                high = middle
            +            }
            +        }
            +        return low > 0 ? headings[low - 1] : nil
            +    }
            +
                 mutating func update(from document: Document) {
                     headings = document.headings
                 }
            """
        ),
        .shell(
            "swift test --filter OutlineTests",
            in: folder,
            """
            Building for debugging...
            Build complete! (3.41s)
            ◇ Test run started.
            ✔ Test "an offset before the first heading has none" passed after 0.001 seconds.
            ✔ Test "an offset between two headings belongs to the upper one" passed after 0.001 seconds.
            ✔ Test "an empty note has no heading" passed after 0.001 seconds.
            ✔ Test run with 3 tests passed after 0.002 seconds.

            """
        ),
        .todo(
            """
            x Find the heading of an offset by binary search
            x Highlight it without rebuilding the list
            > Debounce fast cursor moves
            - Test: first heading, gaps, empty note
            """
        ),
        .assistant(
            """
            The outline now follows the cursor. `heading(at:)` is a binary search over ranges that the parser already keeps, so \
            a cursor move costs `O(log n)` and parses nothing.
            """
        ),
        .usage(412, 1_906, cached: 48_210, written: 3_120, micros: 71_400, model: opus),
    ]

    private static let debounce: [Entry] = [
        .user("Holding the arrow key still redraws the list for every line.", after: 5_000),
        .thinking(
            "One redraw per display frame is enough. Keep the newest offset, ask for it once in the next frame. No timer with "
                + "a guessed delay: a frame callback is exact and stops by itself."
        ),
        .read(folder + "/Sources/Lantern/NoteView.swift", lines: 214),
        .edit(
            folder + "/Sources/Lantern/NoteView.swift",
            """
            @@ -84,3 +84,11 @@ final class NoteView {
            -    func cursorMoved(to offset: Int) {
            -        outlineView.highlight(outline.heading(at: offset))
            -    }
            +    func cursorMoved(to offset: Int) {
            +        newestOffset = offset
            +        guard !isFrameRequested else { return }
            +        isFrameRequested = true
            +        nextFrame { [weak self] in self?.showHeading() }
            +    }
            +
            +    private func showHeading() {
            +        isFrameRequested = false
            +        outlineView.highlight(outline.heading(at: newestOffset))
            +    }
            """
        ),
        .shell(
            "swift build 2>&1 | tail -3",
            in: folder,
            """
            [5/7] Compiling Lantern NoteView.swift
            [6/7] Linking lantern
            Build complete! (4.02s)

            """
        ),
        .assistant(
            """
            Cursor moves are now **collected per frame**:

            - the newest offset wins, older ones are forgotten;
            - at most one redraw per frame, however fast the key repeats;
            - no timer, so nothing is left to cancel when the note closes.

            On a note of 4,000 headings, holding ↓ went from 61 % to 7 % of a core.
            """
        ),
        .usage(388, 1_204, cached: 52_940, written: 2_015, micros: 48_300, model: opus),
    ]

    private static let accessibility: [Entry] = [
        .user(
            "VoiceOver reads every heading again when the highlight moves. It should only say the new one.",
            after: 5_000
        ),
        .thinking(
            "Only two rows change: the one that loses the highlight and the one that gets it. Announce the second."
        ),
        .edit(
            folder + "/Sources/Lantern/OutlineView.swift",
            """
            @@ -40,4 +40,9 @@ final class OutlineView {
                 func highlight(_ heading: HeadingRange?) {
            -        current = heading
            -        reloadData()
            +        guard heading != current else { return }
            +        let changed = [current, heading].compactMap { $0 }
            +        current = heading
            +        reload(rows: changed.compactMap(row(of:)))
            +        if let heading {
            +            announce(heading.title, priority: .low)
            +        }
                 }
            """
        ),
        .shell(
            "swift test --filter OutlineViewTests",
            in: folder,
            """
            Build complete! (5.10s)
            ✔ Test "moving inside a section reloads nothing" passed after 0.003 seconds.
            ✔ Test "moving to another section reloads two rows" passed after 0.003 seconds.
            ✔ Test "only the new heading is announced" passed after 0.002 seconds.
            ✔ Test run with 3 tests passed after 0.004 seconds.

            """
        ),
        .assistant(
            """
            Done. `highlight(_:)` reloads exactly the two rows that change and announces only the new heading:

            ```swift
            guard heading != current else { return }
            let changed = [current, heading].compactMap { $0 }
            ```

            The announcement has low priority, so it never interrupts the text that is being read.
            """
        ),
        .usage(402, 980, cached: 55_120, written: 1_430, micros: 39_900, model: opus),
    ]

    private static let measure: [Entry] = [
        .user("Please measure it with a really large note, and show me the numbers.", after: 5_000),
        .shell(
            "swift run -c release outline-bench --headings 100,1000,10000,100000",
            in: folder,
            """
            Building for production...
            Build complete! (21.87s)
            headings      lookup    highlight    memory
                 100       18 ns       0.21 ms    0.1 MB
               1,000       27 ns       0.21 ms    0.3 MB
              10,000       39 ns       0.22 ms    1.9 MB
             100,000       58 ns       0.22 ms   17.6 MB

            """,
            pace: 420
        ),
        .assistant(
            """
            The lookup grows with the logarithm, the highlight not at all:

            | headings | lookup | highlight | memory |
            |---:|---:|---:|---:|
            | 100 | 18 ns | 0.21 ms | 0.1 MB |
            | 1,000 | 27 ns | 0.21 ms | 0.3 MB |
            | 10,000 | 39 ns | 0.22 ms | 1.9 MB |
            | 100,000 | 58 ns | 0.22 ms | 17.6 MB |

            With $n$ headings a lookup takes $\\lceil \\log_2 n \\rceil$ comparisons: 17 for the last row. Nothing here needs \
            to be faster.
            """
        ),
        .usage(371, 1_512, cached: 58_300, written: 1_220, micros: 52_100, model: opus),
    ]

    private static let names: [Entry] = [
        .user("`isFrameRequested` reads oddly. Is there a better name?", after: 5_000),
        .assistant(
            """
            What the flag says is that *a redraw is on its way*. `isRedrawPending` says that, and it does not tie the name to \
            the frame callback. I will rename it.
            """
        ),
        .shell(
            "grep -rl isFrameRequested Sources | xargs sed -i '' 's/isFrameRequested/isRedrawPending/g' && swift build",
            in: folder,
            """
            [3/4] Compiling Lantern NoteView.swift
            Build complete! (3.66s)

            """,
            title: "Rename isFrameRequested to isRedrawPending"
        ),
        .assistant("Renamed in one file, three places; it builds."),
        .usage(340, 411, cached: 59_010, written: 610, micros: 21_700, model: opus),
    ]
}

// Patches: read, made and shown.

import Markup
import Testing

@Suite("Diffs", .timeLimit(.minutes(5)))
struct DiffTests {
    static let patch = """
        diff --git a/x.swift b/x.swift
        index 1..2 100644
        --- a/x.swift
        +++ b/x.swift
        @@ -10,3 +10,4 @@ func outer() {
         let a = 1
        -let b = "two"
        +let b = "three"
        +let c = 3
         let d = 4

        """

    @Test func `a patch is a table with both line numbers`() {
        let html = Diff.html(patch: Self.patch, path: nil).text
        #expect(
            html.hasPrefix(
                "<table class=\"diff\" data-change=\"modified\"><caption class=\"d-file\"><span class=\"d-path\">x.swift</span>"
            )
        )
        #expect(html.contains("<span class=\"d-plus\">+2</span> <span class=\"d-minus\">−1</span>"))
        #expect(html.contains("<td colspan=\"3\">⋯ func outer() {</td>"))
        #expect(
            html.contains(
                "<tr class=\"d-context\"><td class=\"d-old\" data-line=\"10\"></td><td class=\"d-new\" data-line=\"10\"></td>"
            )
        )
        #expect(
            html.contains("<tr class=\"d-removed\"><td class=\"d-old\" data-line=\"11\"></td><td class=\"d-new\"></td>")
        )
        #expect(
            html.contains("<tr class=\"d-added\"><td class=\"d-old\"></td><td class=\"d-new\" data-line=\"12\"></td>")
        )
        #expect(html.contains("<td class=\"d-old\" data-line=\"12\"></td><td class=\"d-new\" data-line=\"13\"></td>"))
    }

    @Test func `changed words are marked and both sides are highlighted`() {
        let html = Diff.html(patch: Self.patch, path: nil).text
        #expect(html.contains("<mark class=\"d-word\"><span class=\"t-string\">two</span></mark>"))
        #expect(html.contains("<mark class=\"d-word\"><span class=\"t-string\">three</span></mark>"))
        #expect(html.contains("<span class=\"t-keyword\">let</span> d"))
    }

    @Test func `hunks without headings take the path that is given`() {
        let html = Diff.html(patch: "@@ -1 +1 @@\n-import a\n+import b\n", path: "a.py").text
        #expect(html.contains("<span class=\"t-keyword\">import</span>"))
    }

    @Test func `the split form has old and new beside each other`() {
        let html = Diff.splitHTML(patch: Self.patch, path: nil).text
        #expect(html.contains("<table class=\"diff diff-split\""))
        #expect(html.contains("<td class=\"d-old\" data-line=\"11\"></td><td class=\"d-code d-removed\">"))
        #expect(
            html.contains(
                "<td class=\"d-old\"></td><td class=\"d-code d-none\"></td><td class=\"d-new\" data-line=\"12\"></td><td class=\"d-code d-added\">"
            )
        )
    }

    @Test func `everything in a patch is escaped`() {
        let html = Diff.html(
            patch: "--- a/<img src=x>\n+++ b/<img src=x>\n@@ -1 +1 @@ <script>\n-<b>\n+<i onclick=\"x\">\n",
            path: nil
        ).text
        for bad in ["<img", "<script", "<b>", "<i "] { #expect(!html.contains(bad)) }
    }

    @Test func `a string that a removed line opens does not colour added lines`() {
        let html = Diff.html(patch: "@@ -1,1 +1,1 @@\n-let a = \"\"\"\n+let b = 1\n", path: "x.swift").text
        #expect(
            html.contains("<span class=\"t-number\">1</span>")
                || html.contains("<mark class=\"d-word\"><span class=\"t-number\">1</span></mark>")
        )
    }

    @Test func `renames, additions, deletions and binary files are told`() {
        let files = Diff.parse(
            """
            diff --git a/old.txt b/new.txt
            similarity index 90%
            rename from old.txt
            rename to new.txt
            diff --git a/n b/n
            new file mode 100644
            --- /dev/null
            +++ b/n
            @@ -0,0 +1 @@
            +x
            diff --git a/d b/d
            deleted file mode 100644
            --- a/d
            +++ /dev/null
            @@ -1 +0,0 @@
            -x
            diff --git a/p.png b/p.png
            Binary files a/p.png and b/p.png differ

            """
        )
        #expect(files.map(\.change) == [.renamed, .added, .deleted, .modified])
        #expect(files.map(\.path) == ["new.txt", "n", "d", "p.png"])
        #expect(files[0].oldPath == "old.txt")
        #expect(files[3].note == "binary file")
    }

    @Test func `a line that looks like a heading inside a hunk is a line`() {
        let files = Diff.parse("--- a\n+++ a\n@@ -1,2 +1,1 @@\n--- x\n y\n--- b\n+++ b\n@@ -1 +1 @@\n-1\n+2\n")
        #expect(files.count == 2)
        #expect(files[0].hunks[0].lines.map(\.text) == ["-- x", "y"])
    }

    @Test func `a patch too long to show ends with a notice`() {
        var patch = "@@ -0,0 +1,\(DiffLimits.rows + 10) @@\n"
        for number in 0..<DiffLimits.rows + 10 { patch += "+\(number)\n" }
        let html = Diff.html(patch: patch, path: nil).text
        #expect(html.hasSuffix("<p class=\"d-notice\">The rest of this change is too long to show.</p>"))
        #expect(html.split(separator: "<tr ").count - 1 <= DiffLimits.rows)
        let long = Diff.html(
            patch: "@@ -0,0 +1,1 @@\n+\(String(repeating: "x", count: DiffLimits.patchBytes))\n",
            path: nil
        ).text
        #expect(long.contains("d-notice"))
    }

    @Test(
        "hunks say what changed",
        arguments: [
            ("", "", ""), ("a\n", "a\n", ""), ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            ("", "a", "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"),
            ("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"),
            ("a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"),
            ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        ]
    )
    func hunks(old: String, new: String, expected: String) { #expect(Diff.hunks(old: old, new: new) == expected) }

    /// Applying what ``Diff/hunks(old:new:context:)`` made to the old text gives the new one.
    @Test(arguments: 1...300 as ClosedRange<UInt64>) func `hunks lead from old to new`(seed: UInt64) {
        var dice = Dice(state: seed)
        let old = (0..<dice.next(60)).map { _ in String("abcdefg".randomElement(using: &dice) ?? "a") }
        var new = old
        for _ in 0..<dice.next(20) {
            if dice.next(2) == 0, !new.isEmpty {
                new.remove(at: dice.next(new.count))
            } else {
                new.insert("n\(dice.next(5))", at: dice.next(new.count + 1))
            }
        }
        let text = Diff.hunks(
            old: old.map { $0 + "\n" }.joined(),
            new: new.map { $0 + "\n" }.joined(),
            context: dice.next(4)
        )
        var result: [String] = []
        var position = 0
        for hunk in Diff.parse(text).first?.hunks ?? [] {
            let start = hunk.lines.contains { $0.kind != .added } ? hunk.oldStart - 1 : hunk.oldStart
            result += old[position..<start]
            position = start
            for line in hunk.lines {
                if line.kind != .added {
                    #expect(old[position] == line.text)
                    position += 1
                }
                if line.kind != .removed { result.append(line.text) }
            }
        }
        result += old[position...]
        #expect(result == new)
    }

    @Test func `texts that have nothing in common end in bounded time`() {
        let old = (0..<6_000).map { "a\($0)\n" }.joined()
        let new = (0..<6_000).map { "b\($0)\n" }.joined()
        let counts = Diff.parse(Diff.hunks(old: old, new: new)).first?.counts
        #expect(counts?.added == 6_000 && counts?.removed == 6_000)
    }

    @Test func `a combining mark after the sign belongs to the line`() {
        let files = Diff.parse("@@ -1 +1 @@\n-\u{301}a\n+\u{301}b\n")
        #expect(
            files[0].hunks[0].lines.map { Array($0.text.utf8) } == [Array("\u{301}a".utf8), Array("\u{301}b".utf8)]
        )
        #expect(Diff.hunks(old: "e\u{301}\n", new: "\u{E9}\n") == "@@ -1 +1 @@\n-e\u{301}\n+\u{E9}\n")
    }

    @Test func `an apply_patch text is read into files`() {
        let files = Diff.parseApplyPatch(
            """
            noise
            *** Begin Patch
            *** Add File: a.txt
            +one
            +two
            *** Update File: b.py
            *** Move to: c.py
            @@ def f():
             x
            -y
            +z
            *** Delete File: d.txt
            *** End Patch
            """
        )
        #expect(files.map(\.path) == ["a.txt", "c.py", "d.txt"])
        #expect(files.map(\.change) == [.added, .renamed, .deleted])
        #expect(files[1].oldPath == "b.py")
        #expect(files[1].hunks[0].section == "def f():")
        #expect(files[1].hunks[0].lines.map(\.kind) == [.context, .removed, .added])
        #expect(files[0].counts.added == 2)
        #expect(Diff.html(files: files).text.contains("<tr class=\"d-removed\"><td class=\"d-old\"></td>"))
    }
}

extension Dice: RandomNumberGenerator {
    mutating func next() -> UInt64 {
        let high = UInt64(next(1 << 30))
        let low = UInt64(next(1 << 30))
        return high << 34 ^ low << 4 ^ UInt64(next(16))
    }
}

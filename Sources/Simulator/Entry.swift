// The words in which a demonstration is written: one entry per block, with the time it takes. `Player` plays them.

import Web

/// One block of a script.
struct Entry: Sendable {
    /// How the body appears.
    enum Pace: Sendable {
        case whole
        /// A few words at a time, so many milliseconds apart.
        case words(Int64)
        /// A line at a time, so many milliseconds apart.
        case lines(Int64)
    }

    /// The kind on the wire (section 5).
    var kind: String
    /// What the kind calls its body.
    var bodyKey = "text"
    var body = ""
    var members = JSONObject()
    /// What is added or replaced when the block is finished.
    var finished = JSONObject()
    var finalState = "complete"
    var children: [Entry] = []
    /// Milliseconds before the block begins.
    var pause: Int64 = 250
    var pace = Pace.whole
    /// Milliseconds from the last change to the end; 0 for a block that is complete from the start.
    var takes: Int64 = 0
    /// The script stops here until somebody decides; these are played then.
    var gate: Gate?

    struct Gate: Sendable {
        var allowed: [Entry]
        var denied: [Entry]
    }

    func after(_ milliseconds: Int64) -> Entry {
        var copy = self
        copy.pause = milliseconds
        return copy
    }
}

extension Entry {
    static func user(_ text: String, after pause: Int64 = 40_000) -> Entry {
        Entry(kind: "user", body: text, pause: pause)
    }

    static func assistant(_ markdown: String, model: String? = nil) -> Entry {
        var entry = Entry(
            kind: "assistant",
            bodyKey: "markdown",
            body: markdown,
            pause: 700,
            pace: .words(140),
            takes: 200
        )
        entry.members["model"] = model.map(JSON.string)
        return entry
    }

    static func thinking(_ markdown: String) -> Entry {
        Entry(kind: "thinking", bodyKey: "markdown", body: markdown, pause: 500, pace: .words(110), takes: 150)
    }

    /// A call of a tool; `children` appear while it runs.
    static func tool(
        _ name: String,
        _ title: String,
        input: JSON,
        takes: Int64 = 500,
        result: String = "",
        isFailed: Bool = false,
        _ children: [Entry] = []
    ) -> Entry {
        var entry = Entry(kind: "toolCall", bodyKey: "resultText", pause: 500, takes: takes)
        entry.members = [
            "toolName": .string(name), "title": .string(title), "status": "running",
            // As text: keys of inputs hold underscores, which no key on the link may (R38).
            "inputJson": .string(String(decoding: input.encoded(), as: UTF8.self)),
        ]
        entry.finished = ["status": isFailed ? "error" : "ok"]
        if !result.isEmpty { entry.finished["resultText"] = .string(result) }
        entry.finalState = isFailed ? "failed" : "complete"
        entry.children = children
        return entry
    }

    static func shell(
        _ command: String,
        in folder: String,
        _ output: String,
        exit code: Int = 0,
        title: String? = nil,
        pace: Int64 = 90,
        takes: Int64 = 400
    ) -> Entry {
        var child = Entry(
            kind: "commandOutput",
            bodyKey: "output",
            body: output,
            pause: 300,
            pace: .lines(pace),
            takes: takes
        )
        child.members = [
            "command": .string(command), "workingDirectory": .string(folder), "stream": "merged",
            "outputBytes": JSON(output.utf8.count),
        ]
        child.finished = ["exitCode": JSON(code)]
        child.finalState = code == 0 ? "complete" : "failed"
        return tool(
            "Bash",
            title ?? command,
            input: ["command": .string(command), "description": .string(title ?? command)],
            takes: 150,
            isFailed: code != 0,
            [child]
        )
    }

    static func read(_ path: String, lines: Int) -> Entry {
        tool(
            "Read",
            "Read \(fileName(path))",
            input: ["file_path": .string(path)],
            takes: 300,
            result: "\(lines) lines"
        )
    }

    static func search(_ pattern: String, in path: String, _ result: String) -> Entry {
        tool(
            "Grep",
            "Search “\(pattern)”",
            input: ["pattern": .string(pattern), "path": .string(path), "output_mode": "content"],
            takes: 400,
            result: result
        )
    }

    /// An edit: the tool and the change it made.
    ///
    /// `patch` is unified hunks.
    static func edit(_ path: String, _ patch: String, kind: String = "modify") -> Entry {
        let lines = patch.split(separator: "\n", omittingEmptySubsequences: false)
        var change = Entry(kind: "diff", pause: 250)
        change.members = [
            "path": .string(path), "changeKind": .string(kind), "patch": .string(patch),
            "additions": JSON(lines.count { $0.hasPrefix("+") }), "deletions": JSON(lines.count { $0.hasPrefix("-") }),
        ]
        return tool(
            kind == "add" ? "Write" : "Edit",
            (kind == "add" ? "Write " : "Edit ") + fileName(path),
            input: ["file_path": .string(path)],
            takes: 200,
            [change]
        )
    }

    /// A to-do list: `x` done, `>` under way, `-` waiting, one entry per line.
    static func todo(_ list: String) -> Entry {
        var entry = Entry(kind: "plan", bodyKey: "markdown", pause: 400)
        entry.members = ["isTodo": true, "items": .array(items(list))]
        return entry
    }

    static func plan(_ title: String, _ markdown: String) -> Entry {
        var entry = Entry(kind: "plan", bodyKey: "markdown", body: markdown, pause: 800)
        entry.members = ["isTodo": false, "title": .string(title)]
        return entry
    }

    private static func items(_ list: String) -> [JSON] {
        list.split(separator: "\n").map { line in
            let state: JSON = line.hasPrefix("x") ? "done" : line.hasPrefix(">") ? "active" : "pending"
            return ["text": .string(String(line.dropFirst(2))), "state": state]
        }
    }

    static func picture(_ id: String, _ alt: String) -> Entry {
        var entry = Entry(kind: "image", pause: 300)
        entry.members = ["previewId": .string(id), "mimeType": "image/png", "alt": .string(alt)]
        return entry
    }

    /// A helper with a session of its own.
    static func helper(_ session: String, _ title: String, _ lastText: String, takes: Int64 = 4_000) -> Entry {
        var entry = Entry(kind: "subagent", bodyKey: "lastText", pause: 500, takes: takes)
        entry.members = ["childThreadId": .string(session), "title": .string(title), "agentKind": "Explore"]
        entry.finished = ["lastText": .string(lastText)]
        return entry
    }

    static func approval(
        _ id: String,
        tool: String,
        _ summary: String,
        input: JSON,
        allowed: [Entry],
        denied: [Entry]
    ) -> Entry {
        var entry = Entry(kind: "approval", pause: 600)
        entry.members = [
            "approvalId": .string(id), "toolName": .string(tool), "summary": .string(summary),
            "inputJson": .string(String(decoding: input.encoded(), as: UTF8.self)),
            "options": ["allow", "allowAlways", "deny"],
        ]
        entry.gate = Gate(allowed: allowed, denied: denied)
        return entry
    }

    static func question(_ id: String, _ text: String, options: [String]) -> Entry {
        var entry = Entry(kind: "question", body: text, pause: 600)
        entry.members = ["requestId": .string(id), "options": .array(options.map(JSON.string))]
        entry.finalState = "pending"
        return entry
    }

    static func notice(_ text: String) -> Entry {
        var entry = Entry(kind: "status", body: text, pause: 200)
        entry.members = ["level": "info"]
        return entry
    }

    static func failure(_ code: String, _ message: String) -> Entry {
        var entry = Entry(kind: "error", bodyKey: "message", body: message, pause: 300)
        entry.members = ["code": .string(code), "retryable": false]
        entry.finalState = "failed"
        return entry
    }

    static func usage(_ input: Int, _ output: Int, cached: Int, written: Int, micros: Int, model: String) -> Entry {
        var entry = Entry(kind: "usage", pause: 50)
        entry.members = [
            "model": .string(model),
            "usage": [
                "inputTokens": JSON(input), "outputTokens": JSON(output), "cacheReadTokens": JSON(cached),
                "cacheWriteTokens": JSON(written), "costMicros": JSON(micros),
            ],
        ]
        return entry
    }

    private static func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

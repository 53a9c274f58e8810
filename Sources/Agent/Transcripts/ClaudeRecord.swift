// The top level of one record of Claude Code, found in one pass. Rules: agent-transcripts, sections 1.2 and 1.3.

/// The members of a record that we look at, as ranges of its line.
struct ClaudeRecord {
    var type: Range<Int>?
    var uuid: Range<Int>?
    var parent: Range<Int>?
    var timestamp: Range<Int>?
    var session: Range<Int>?
    var cwd: Range<Int>?
    var version: Range<Int>?
    var branch: Range<Int>?
    var subtype: Range<Int>?
    var message: Range<Int>?
    var result: Range<Int>?
    var content: Range<Int>?
    var error: Range<Int>?
    var forkedFrom: Range<Int>?
    var isSidechain = false
    var isMeta = false
    var isCompactSummary = false
    var isAPIError = false
    var isAborted = false

    /// The index behind the object.
    private(set) var endIndex = 0

    /// nil when the object is broken.
    init?(_ line: Span<UInt8>, _ range: Range<Int>) {
        var members = Scan.Members(range)
        while let member = members.next(line) {
            let value = member.value
            switch Key(line, member.name) {
            case Names.type: type = value
            case Names.uuid: uuid = Scan.inner(line, value)
            case Names.parentUuid: parent = Scan.inner(line, value)
            case Names.timestamp: timestamp = value
            case Names.message: message = value
            case Names.sessionId: session = value
            case Names.cwd: cwd = value
            case Names.version: version = value
            case Names.gitBranch: branch = value
            case Names.isSidechain: isSidechain = Scan.isTrue(line, value)
            case Names.isMeta: isMeta = Scan.isTrue(line, value)
            case Names.isCompactSummary: isCompactSummary = Scan.isTrue(line, value)
            case Names.isApiErrorMessage: isAPIError = Scan.isTrue(line, value)
            case Names.isAbortedMidStream: isAborted = Scan.isTrue(line, value)
            case Names.toolUseResult: result = value
            case Names.subtype: subtype = value
            case Names.content: content = value
            case Names.error: error = value
            case Names.forkedFrom: forkedFrom = value
            default: break
            }
        }
        if members.isBroken { return nil }
        endIndex = members.endIndex
    }

    /// The content of the message, when there is one.
    func messageContent(_ line: Span<UInt8>) -> Range<Int>? {
        Scan.member(line, message, Names.content)
    }

    /// The content block number `part` of the message.
    func contentBlock(_ line: Span<UInt8>, _ part: Int) -> Range<Int>? {
        guard let content = messageContent(line), Scan.kind(line, content) == .array else { return nil }
        var elements = Scan.Elements(content)
        var index = 0
        while let element = elements.next(line) {
            if index == part { return element }
            index += 1
        }
        return nil
    }
}

/// The message of a record, taken apart once for all who look at it.
struct ClaudeMessage {
    /// The members of the message.
    let fields: Scan.Fields
    let content: Range<Int>?
    /// Whether the content is a string, an array of parts, or nothing of the kind.
    let kind: ValueKind
    /// The members of each part of the content; broken ones are no objects.
    private(set) var parts: [Scan.Fields] = []

    init(_ line: Span<UInt8>, _ record: ClaudeRecord) {
        fields = Scan.Fields(line, record.message)
        content = fields[Names.content]
        kind = Scan.kind(line, content)
        guard kind == .array, let content else { return }
        var elements = Scan.Elements(content)
        while let part = elements.next(line) { parts.append(Scan.Fields(line, part)) }
    }
}

/// What a user's text is, by how it begins.
enum ClaudeText {
    /// A person's words.
    case typed
    /// A slash command, its output, a background helper's message, an interrupt.
    case command, commandOutput, notification, interrupt
    /// The user's own shell: `!command` and what it printed.
    case shellInput, shellOutput
    /// Put there for the model: not shown.
    case hidden

    /// - Parameter value: a JSON string with its quotes.
    init(_ line: Span<UInt8>, _ value: Range<Int>) {
        guard var range = Scan.inner(line, value) else {
            self = .hidden
            return
        }
        while range.count >= 2, line[range.lowerBound] == UInt8(ascii: "\\"),
            line[range.lowerBound + 1] == UInt8(ascii: "n")
        {
            range = range.lowerBound + 2..<range.upperBound
        }
        guard let first = range.first else {
            self = .hidden
            return
        }
        func begins(_ prefix: StaticString) -> Bool { Scan.hasPrefix(line, range, prefix) }
        switch line[first] {
        case UInt8(ascii: "<"):
            if begins("<command-name>") || begins("<command-message>") {
                self = .command
            } else if begins("<local-command-stdout>") || begins("<local-command-stderr>") {
                self = .commandOutput
            } else if begins("<bash-input>") {
                self = .shellInput
            } else if begins("<bash-stdout>") || begins("<bash-stderr>") {
                self = .shellOutput
            } else if begins("<task-notification>") {
                self = .notification
            } else if begins("<local-command-caveat>") || begins("<ide_opened_file>") || begins("<ide_selection>") {
                self = .hidden
            } else if begins("<system-reminder>") {
                // What a person wrote behind the reminder is theirs.
                self = Self.isOnlyReminder(line, value) ? .hidden : .typed
            } else {
                self = .typed
            }
        case UInt8(ascii: "["):
            self = begins("[Request interrupted by user") ? .interrupt : .typed
        case UInt8(ascii: "C"):
            self =
                begins("Caveat: The messages below were generated by the user while running local commands")
                ? .hidden : .typed
        default: self = .typed
        }
    }

    private static func isOnlyReminder(_ line: Span<UInt8>, _ value: Range<Int>) -> Bool {
        guard let text = Scan.string(line, value) else { return true }
        return withoutReminder(text).allSatisfy(\.isWhitespace)
    }

    /// A text without the reminder at its beginning.
    static func withoutReminder(_ text: String) -> String {
        let close = "</system-reminder>"
        guard text.hasPrefix("<system-reminder>") else { return text }
        var rest = Substring(text)
        while let end = Tags.range(of: close, in: rest) {
            rest = rest[end.upperBound...]
            while let first = rest.first, first.isWhitespace { rest.removeFirst() }
            guard rest.hasPrefix("<system-reminder>") else { return String(rest) }
        }
        return rest.hasPrefix("<system-reminder>") ? "" : String(rest)
    }
}

/// Finds the pseudo tags in which agents wrap text.
enum Tags {
    /// The first place of `needle`.
    static func range(of needle: String, in text: Substring) -> Range<Substring.Index>? {
        let wanted = Array(needle.utf8)
        guard let first = wanted.first else { return nil }
        let bytes = text.utf8
        var index = bytes.startIndex
        while let start = bytes[index...].firstIndex(of: first) {
            if bytes[start...].starts(with: wanted) {
                return start..<bytes.index(start, offsetBy: wanted.count)
            }
            index = bytes.index(after: start)
        }
        return nil
    }

    /// What stands between `<name>` and `</name>`; nil when there is no such pair.
    static func content(_ name: String, in text: String) -> String? {
        let whole = text[...]
        guard let open = range(of: "<\(name)>", in: whole) else { return nil }
        let rest = whole[open.upperBound...]
        guard let close = range(of: "</\(name)>", in: rest) else { return String(rest) }
        return String(rest[..<close.lowerBound])
    }
}

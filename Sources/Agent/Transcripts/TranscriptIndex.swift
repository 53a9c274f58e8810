// What is kept of one transcript: a small entry per block that says where its record lies in the file. The readers
// (`ClaudeReader`, `CodexReader`) fill it line by line; `Transcript` makes whole blocks from entries by reading the file again.
// Rules: agent-transcripts, section 0.
package import Desktops

/// Where a record stands in its file.
struct Place {
    /// Byte offset in the file and length without the line feed.
    var offset: Int
    var length: Int
    /// The line's number, from 1.
    var line: Int
}

/// What a tool does, as far as its result is read differently.
enum ToolRole: UInt8 {
    case other, command, edit, todoWrite, task, subagent, plan
}

/// One block of a timeline, without its body.
struct Entry {
    var offset: Int
    var length: Int32
    /// Which part of the record it is: a content block, and something inside of it.
    var part: UInt16
    var sub: UInt16
    var kind: BlockKind
    var state: BlockState
    var role: ToolRole = .other
    var isRewound = false
    /// The block's id in `TranscriptIndex.ids`.
    var idStart: UInt32
    var idLength: UInt16
    /// The index of the tool's entry in the same thread, or -1.
    var parent: Int32 = -1
    /// The record's number in the tree of records (Claude Code), or -1.
    var node: Int32 = -1
    /// The index's revision when this entry last changed.
    var revision: Int
}

/// A block's place in the index.
struct EntryRef: Equatable, Hashable {
    var thread: Int
    var entry: Int
}

/// One line of talk: the session's own, or an old inline sidechain.
struct ThreadIndex {
    var name: String
    var entries: [Entry] = []
    /// The index's revision when an entry of this thread last changed.
    var revision = 0
}

/// Everything known of one transcript.
///
/// A value: it is read and changed under the lock of its `Transcript`.
package struct TranscriptIndex {
    package let agent: AgentKind
    /// The file belongs to a helper: its records are the main thread although they say `isSidechain`.
    package let isHelper: Bool

    /// Grows with every line and with every change that comes from elsewhere.
    package private(set) var revision = 0
    package private(set) var lines = 0
    /// Records of conversations and bookkeeping, without bad lines.
    package var records = 0
    package private(set) var badLines = 0
    package private(set) var unknown = 0
    package private(set) var malformed = 0
    package var facts = SessionFacts()

    var threads: [ThreadIndex] = [ThreadIndex(name: "main")]
    private var threadNames: [String: Int] = ["main": 0]
    private var ids: [UInt8] = []
    private var byID: [UInt64: EntryRef] = [:]
    /// The tool blocks by the hash of their call's id.
    private(set) var calls: [UInt64: EntryRef] = [:]
    /// Calls without a result yet.
    private var openCalls: Set<UInt64> = []
    /// The record being read repeats one that was read before: it may replace its blocks and nothing else.
    var isRepeat = false
    /// The session id of a helper's own timeline, by its subagent block.
    private(set) var children: [EntryRef: String] = [:]
    var todos = TodoMerge()
    var claude = ClaudeState()
    var codex = CodexState()

    /// What changed since it was last asked for; nil while nobody asks.
    private var changes: Set<EntryRef>?

    /// - Parameter revision: where the revisions begin: above those of an index that this one replaces.
    package init(agent: AgentKind, isHelper: Bool = false, revision: Int = 0) {
        self.agent = agent
        self.isHelper = isHelper
        self.revision = revision
    }

    // MARK: Lines

    /// Reads one line (without its line feed) that stands at `offset` of the file.
    package mutating func consume(_ line: Span<UInt8>, offset: Int) {
        lines += 1
        revision += 1
        var end = line.count
        while end > 0, Scan.isBlank(line[end - 1]) { end -= 1 }
        var start = Scan.skipBlanks(line, 0, end)
        if end - start >= 3, line[start] == 0xEF, line[start + 1] == 0xBB, line[start + 2] == 0xBF { start += 3 }
        guard start < end else { return }
        let whole = Place(offset: offset, length: line.count, line: lines)
        if line[start] != UInt8(ascii: "{") {
            addBadLine(whole)
            // A block of NUL from a power cut, with the next record behind it.
            guard line[start] == 0 else { return }
            while start < end, line[start] == 0 { start += 1 }
            recover(line, start..<end, offset)
            return
        }
        switch read(line, start..<end, offset) {
        case .done: break
        case .broken: addBadLine(whole)
        case .glued:
            addBadLine(whole)
            recover(line, start..<end, offset)
        }
        isRepeat = false
    }

    /// What became of a record.
    enum Reading {
        case done
        /// No JSON, or not UTF-8.
        case broken
        /// Something stands behind the object.
        case glued
    }

    /// A line too long to be held.
    package mutating func consumeOversized(offset: Int, length: Int) {
        lines += 1
        revision += 1
        addBadLine(Place(offset: offset, length: min(length, TranscriptLimits.rawExcerpt), line: lines))
    }

    /// Objects glued together by a missed line feed: read only when every piece is a whole record of a known type.
    private mutating func recover(_ line: Span<UInt8>, _ range: Range<Int>, _ offset: Int) {
        var pieces: [Range<Int>] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard line[index] == UInt8(ascii: "{"), let end = Scan.endOfValue(line, index, range.upperBound),
                isKnownRecord(line, index..<end)
            else { return }
            pieces.append(index..<end)
            index = Scan.skipBlanks(line, end, range.upperBound)
        }
        // They stay one bad line in the counts; what they show is shown.
        let counted = records
        for piece in pieces {
            _ = read(line, piece, offset)
            isRepeat = false
        }
        records = counted
    }

    private func isKnownRecord(_ line: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard Scan.isUTF8(line, range), let type = Scan.key(line, Scan.member(line, range, Names.type)) else {
            return false
        }
        return agent == .codex ? Names.codexRecords.contains(type) : Names.claudeRecords.contains(type)
    }

    /// - Parameter range: begins at a record's opening bracket and holds nothing behind it, as it ought to be.
    private mutating func read(_ line: Span<UInt8>, _ range: Range<Int>, _ offset: Int) -> Reading {
        let place = Place(offset: offset + range.lowerBound, length: range.count, line: lines)
        let reading = agent == .codex ? readCodex(line, range, place) : readClaude(line, range, place)
        if reading == .done { records += 1 }
        return reading
    }

    // MARK: Blocks

    /// How a block's id is made: from its record, from the tool call that it belongs to, or from a name.
    enum ID {
        /// The record's uuid (or line number) and the part's number.
        case record(Range<Int>?)
        case call(Range<Int>, StaticString, Int? = nil)
        case named(Range<Int>, StaticString)
    }

    /// Adds a block at the end of its thread, or replaces the one that the record repeats.
    ///
    /// - Returns: its place; nil when a repeated record has a block that the first one had not.
    @discardableResult
    mutating func add(
        _ kind: BlockKind,
        _ line: Span<UInt8>,
        _ place: Place,
        id: ID,
        part: Int = 0,
        sub: Int = 0,
        thread: Int = 0,
        parent: EntryRef? = nil,
        state: BlockState = .complete,
        role: ToolRole = .other,
        node: Int32 = -1
    ) -> EntryRef? {
        let start = ids.count
        appendID(id, line, place, part, sub)
        var hash = Self.hash(of: ids, from: start)
        if let known = byID[hash] {
            if isRepeat {
                ids.removeLast(ids.count - start)
                replace(known, place, part: part, sub: sub)
                return known
            }
            // Two calls with one id (some gateways number them anew in each answer): both are shown.
            ids.append(contentsOf: "~\(place.line).\(part).\(sub)".utf8)
            hash = Self.hash(of: ids, from: start)
        } else if isRepeat {
            ids.removeLast(ids.count - start)
            return nil
        }
        let ref = EntryRef(thread: thread, entry: threads[thread].entries.count)
        threads[thread].entries.append(
            Entry(
                offset: place.offset,
                length: Int32(clamping: place.length),
                part: UInt16(clamping: part),
                sub: UInt16(clamping: sub),
                kind: kind,
                state: state,
                role: role,
                idStart: UInt32(clamping: start),
                idLength: UInt16(clamping: ids.count - start),
                parent: parent.map { $0.thread == thread ? Int32(clamping: $0.entry) : -1 } ?? -1,
                node: node,
                revision: revision
            )
        )
        threads[thread].revision = revision
        changes?.insert(ref)
        byID[hash] = ref
        switch kind {
        case .unknown: unknown += 1
        case .malformed: malformed += 1
        default: break
        }
        return ref
    }

    private mutating func appendID(_ id: ID, _ line: Span<UInt8>, _ place: Place, _ part: Int, _ sub: Int) {
        switch id {
        case .record(let uuid):
            if let uuid, !uuid.isEmpty, uuid.count <= 128 {
                for index in uuid { ids.append(line[index]) }
            } else {
                ids.append(contentsOf: "L\(place.line)".utf8)
                // Several records on one line: the place tells them apart.
                if place.offset > 0, byID[Self.hash(of: Array("L\(place.line).\(part)".utf8), from: 0)] != nil {
                    ids.append(contentsOf: "@\(place.offset)".utf8)
                }
            }
            ids.append(contentsOf: ".\(part)".utf8)
            if sub > 0 { ids.append(contentsOf: ".\(sub)".utf8) }
        case .call(let call, let suffix, let number):
            for index in call.prefix(128) { ids.append(line[index]) }
            ids.append(contentsOf: suffix.description.utf8)
            if let number { ids.append(contentsOf: String(number).utf8) }
        case .named(let name, let suffix):
            for index in name.prefix(128) { ids.append(line[index]) }
            ids.append(contentsOf: suffix.description.utf8)
        }
    }

    private static func hash(of ids: [UInt8], from start: Int) -> UInt64 {
        Scan.hash(ids.span, start..<ids.count)
    }

    /// Points an entry at another record that says the same or more.
    mutating func replace(_ ref: EntryRef, _ place: Place, part: Int, sub: Int = 0) {
        let old = threads[ref.thread].entries[ref.entry]
        threads[ref.thread].entries[ref.entry].offset = place.offset
        threads[ref.thread].entries[ref.entry].length = Int32(clamping: place.length)
        threads[ref.thread].entries[ref.entry].part = UInt16(clamping: part)
        threads[ref.thread].entries[ref.entry].sub = UInt16(clamping: sub)
        if !isRepeat || Int(old.length) != place.length { touch(ref) }
    }

    /// The block with this id.
    func find(_ id: String) -> EntryRef? {
        byID[Self.hash(of: Array(id.utf8), from: 0)]
    }

    /// The block of a call with this suffix.
    func find(_ line: Span<UInt8>, call: Range<Int>, _ suffix: String) -> EntryRef? {
        var id: [UInt8] = []
        for index in call.prefix(128) { id.append(line[index]) }
        id.append(contentsOf: suffix.utf8)
        return byID[Self.hash(of: id, from: 0)]
    }

    func id(of entry: Entry) -> String {
        String(decoding: ids[Int(entry.idStart)..<Int(entry.idStart) + Int(entry.idLength)], as: UTF8.self)
    }

    func entry(_ ref: EntryRef) -> Entry { threads[ref.thread].entries[ref.entry] }

    mutating func touch(_ ref: EntryRef) {
        threads[ref.thread].entries[ref.entry].revision = revision
        threads[ref.thread].revision = revision
        changes?.insert(ref)
    }

    /// Whether changes are noted for `takeChanges`.
    var isTracking: Bool {
        get { changes != nil }
        set { changes = newValue ? changes ?? [] : nil }
    }

    /// What changed since the last call, by thread and in order.
    mutating func takeChanges() -> [Int: [Int]] {
        guard let taken = changes, !taken.isEmpty else { return [:] }
        changes = []
        return Dictionary(grouping: taken, by: \.thread).mapValues { $0.map(\.entry).sorted() }
    }

    /// A change that no line brought.
    mutating func advance() { revision += 1 }

    mutating func setState(_ ref: EntryRef, _ state: BlockState) {
        guard entry(ref).state != state else { return }
        threads[ref.thread].entries[ref.entry].state = state
        touch(ref)
    }

    mutating func addBadLine(_ place: Place) {
        isRepeat = false
        badLines += 1
        let none: [UInt8] = []
        add(.badLine, none.span, place, id: .record(nil))
    }

    /// Takes the last block of its thread out, to put it back behind what comes next; nil when it is not the last.
    mutating func takeLast(_ ref: EntryRef) -> Entry? {
        guard ref.entry == threads[ref.thread].entries.count - 1 else { return nil }
        return threads[ref.thread].entries.removeLast()
    }

    /// Puts a block that was taken out at the end of its thread.
    mutating func putBack(_ taken: Entry, thread: Int, isMoved: Bool) -> EntryRef {
        let ref = EntryRef(thread: thread, entry: threads[thread].entries.count)
        threads[thread].entries.append(taken)
        let start = Int(taken.idStart)
        byID[Scan.hash(ids.span, start..<start + Int(taken.idLength))] = ref
        if isMoved { touch(ref) }
        return ref
    }

    // MARK: Calls

    mutating func openCall(_ hash: UInt64, _ ref: EntryRef) {
        calls[hash] = ref
        if entry(ref).state == .streaming { openCalls.insert(hash) }
    }

    mutating func closeCall(_ hash: UInt64, _ state: BlockState) {
        openCalls.remove(hash)
        if let ref = calls[hash] { setState(ref, state) }
    }

    /// The turn is over: what has no result will get none.
    mutating func cancelOpenCalls(thread: Int) {
        for hash in openCalls {
            guard let ref = calls[hash], ref.thread == thread else { continue }
            openCalls.remove(hash)
            setState(ref, .cancelled)
        }
    }

    /// Says which session a subagent block leads to.
    mutating func setChild(_ ref: EntryRef, _ session: String) {
        guard children[ref] != session else { return }
        children[ref] = session
        touch(ref)
    }

    // MARK: Threads

    /// The index of the thread called `name`, made if needed.
    mutating func thread(named name: String) -> Int {
        if let known = threadNames[name] { return known }
        guard threads.count < TranscriptLimits.threads else { return threads.count - 1 }
        threads.append(ThreadIndex(name: name))
        threadNames[name] = threads.count - 1
        return threads.count - 1
    }

    func threadIndex(_ name: String) -> Int? { threadNames[name] }

    // MARK: Counts

    /// How many blocks of each kind a thread has.
    package func counts(thread: String = "main") -> [BlockKind: Int] {
        guard let index = threadNames[thread] else { return [:] }
        var counts: [BlockKind: Int] = [:]
        for entry in threads[index].entries { counts[entry.kind, default: 0] += 1 }
        return counts
    }
}

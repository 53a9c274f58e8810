// One transcript that somebody looks at: its index, kept up with the growing file, and the blocks made from both. Reading
// happens on worker threads; the lock is held for single lines and for copying entries out, never during input.
// Rules: agent-transcripts, section 0.
package import Desktops
import Glibc
import Wire

/// A transcript whose blocks are known.
package final class Transcript: Sendable {
    /// How far `catchUp` came.
    package enum Progress: Sendable, Equatable {
        /// Everything that is in the file is in the index.
        case current
        /// The budget was used up: call again.
        case more
        /// Another thread is reading.
        case busy
        /// There is no such file any more, or it may not be read.
        case gone
    }

    package let found: FoundTranscript
    /// The session's id, for media.
    package let session: String
    private let state: Lock<State>

    private struct State {
        var index: TranscriptIndex
        var feed = LineFeed()
        var stamp: FileStamp?
        /// A digest of the file's first bytes, and of how many.
        var head: (digest: [UInt8], count: Int) = ([], 0)
        var isReading = false
        /// The end was reached once: from here on changes are news.
        var wasCurrent = false
        var isTracked = false
        /// Grows when the file is read anew from its beginning.
        var generation = 0
        /// For each thread: the revision up to which updates were taken; under "" the one for all others.
        var published: [String: Int] = [:]
        /// The file was read anew: whoever watches has to load the timeline again.
        var isReset = false
    }

    package init(_ found: FoundTranscript, session: String) {
        self.found = found
        self.session = session
        state = Lock(State(index: TranscriptIndex(agent: found.agent, isHelper: found.helper != nil)))
    }

    // MARK: Reading

    /// Reads what the file has got since the last time; starts again when it is another file than before.
    package func catchUp(budget: Int = TranscriptLimits.readBudget) -> Progress {
        guard
            state.withLock({ state in
                if state.isReading { return false }
                state.isReading = true
                return true
            })
        else { return .busy }
        let progress = read(budget)
        state.withLock { $0.isReading = false }
        return progress
    }

    private func read(_ budget: Int) -> Progress {
        guard let handle = try? ReadHandle(found.path), let stamp = handle.stamp() else { return .gone }
        guard let first = try? handle.bytes(at: 0, count: min(Self.headSize, stamp.size)) else { return .gone }
        var feed = state.withLock { state -> LineFeed in
            if let known = state.stamp {
                let isOther =
                    known.device != stamp.device || known.inode != stamp.inode || stamp.size < state.feed.offset
                    || first.count < state.head.count
                    || Digest.sha256(Array(first[..<state.head.count])) != state.head.digest
                if isOther { Self.restart(&state, .automatic) }
            }
            state.stamp = stamp
            // The head grows to its full size with the file, and stays comparable.
            if state.head.count < first.count { state.head = (Digest.sha256(first), first.count) }
            return state.feed
        }
        var buffer = LineBuffer()
        while true {
            let isAtEnd: Bool
            do throws(Errno) {
                isAtEnd = try feed.read(handle, size: stamp.size, budget: budget, buffer: &buffer) { piece, line in
                    state.withLock { $0.index.consume(piece, line) }
                }
            } catch { return .gone }
            let source = state.withLock { state -> CodexState.Source? in
                guard let source = state.index.codex.restart else {
                    state.feed = feed
                    if isAtEnd, !state.wasCurrent {
                        state.wasCurrent = true
                        Self.beginTracking(&state)
                    }
                    return nil
                }
                Self.restart(&state, source)
                feed = state.feed
                return source
            }
            if source == nil { return isAtEnd ? .current : .more }
        }
    }

    private static let headSize = 4_096

    private static func restart(_ state: inout State, _ source: CodexState.Source) {
        let old = state.index
        var fresh = TranscriptIndex(agent: old.agent, isHelper: old.isHelper, revision: old.revision + 1)
        fresh.codex.source = source
        fresh.isTracking = old.isTracking
        state.index = fresh
        state.feed = LineFeed()
        state.head = ([], 0)
        state.generation += 1
        state.isReset = true
        state.published = ["": fresh.revision]
    }

    // MARK: Facts

    /// What the whole transcript says about its session.
    package struct Facts: Sendable {
        package var facts: SessionFacts
        package var badLines: Int
        package var unknown: Int
        package var blocks: Int
    }

    /// The file as it was when it was last read.
    package var stamp: FileStamp? { state.withLock { $0.stamp } }

    package var facts: Facts {
        state.withLock { state in
            Facts(
                facts: state.index.facts,
                badLines: state.index.badLines,
                unknown: state.index.unknown,
                blocks: state.index.threads.reduce(0) { $0 + $1.entries.count }
            )
        }
    }

    /// Says which sessions the helpers that these calls started have.
    package func link(helpers: [String: String]) {
        state.withLock { state in
            var isFirst = true
            for (call, session) in helpers {
                guard let ref = state.index.find(call + ".sub"), state.index.children[ref] != session else { continue }
                if isFirst { state.index.advance() }
                isFirst = false
                state.index.setChild(ref, session)
            }
        }
    }

    // MARK: Pages

    /// An entry with what only the index knows of it.
    private struct Wanted {
        var entry: Entry
        var block: Block
        var items: [TodoItem]?
    }

    private static func wanted(_ index: TranscriptIndex, thread: Int, position: Int) -> Wanted {
        let entry = index.threads[thread].entries[position]
        var block = Block(id: index.id(of: entry), seq: position, kind: entry.kind)
        block.thread = index.threads[thread].name
        block.revision = entry.revision
        block.state = entry.state
        block.isRewound = entry.isRewound
        if entry.parent >= 0 { block.parent = index.id(of: index.threads[thread].entries[Int(entry.parent)]) }
        let ref = EntryRef(thread: thread, entry: position)
        if entry.kind == .subagent { block.child = index.children[ref] }
        return Wanted(entry: entry, block: block, items: entry.role == .task ? index.todos.list(at: ref) : nil)
    }

    /// One page of a thread; see `DesktopService.timeline`.
    package func page(thread name: String, before: Int?, limit: Int) throws(DesktopServiceError) -> TimelinePage {
        guard limit > 0 else { throw .invalid("limit must be at least 1") }
        struct Slice {
            var wanted: [Wanted]
            var revision: Int
            var total: Int
            var generation: Int
        }
        let slice = state.withLock { state -> Slice? in
            guard let thread = state.index.threadIndex(name) else { return nil }
            let total = state.index.threads[thread].entries.count
            let end = max(0, min(before ?? total, total))
            let start = max(0, end - min(limit, TranscriptLimits.pageBlocks))
            return Slice(
                wanted: (start..<end).map { Self.wanted(state.index, thread: thread, position: $0) },
                revision: state.index.revision,
                total: total,
                generation: state.generation
            )
        }
        guard let slice else { throw .notFound }
        let blocks = try make(slice.wanted)
        guard state.withLock({ $0.generation }) == slice.generation else { throw .changed }
        return TimelinePage(
            blocks: blocks,
            revision: slice.revision,
            hasMore: (slice.wanted.first?.block.seq ?? 0) > 0,
            total: slice.total
        )
    }

    /// Changes are noted for `updates` from now on, or from the end of the first reading on; false forgets them.
    package func track(_ isTracked: Bool) {
        state.withLock { state in
            guard state.isTracked != isTracked else { return }
            state.isTracked = isTracked
            // Before the first reading is through nobody can have a page: nothing to update.
            if state.wasCurrent { Self.beginTracking(&state) }
        }
    }

    private static func beginTracking(_ state: inout State) {
        state.index.isTracking = state.isTracked
        state.published = ["": state.index.revision]
        state.isReset = false
    }

    /// What changed since the last call, one update per thread.
    package func updates() -> [TimelineUpdate] {
        struct Change {
            var thread: String
            var since: Int
            var wanted: [Wanted]?
        }
        let (changes, revision) = state.withLock { state -> ([Change], Int) in
            let base = state.published[""] ?? 0
            let revision = state.index.revision
            var changes: [Change] = []
            var taken = state.index.takeChanges()
            if state.isReset, taken[0] == nil { taken[0] = [] }
            for (thread, positions) in taken {
                let name = state.index.threads[thread].name
                let since = state.published[name] ?? base
                // More than a page at once is loaded rather than sent.
                let isReset = state.isReset || positions.count > TranscriptLimits.pageBlocks
                changes.append(
                    Change(
                        thread: name,
                        since: isReset ? revision : since,
                        wanted: isReset ? nil : positions.map { Self.wanted(state.index, thread: thread, position: $0) }
                    )
                )
                state.published[name] = revision
            }
            state.isReset = false
            return (changes, revision)
        }
        return changes.compactMap { change in
            guard let wanted = change.wanted, let blocks = try? make(wanted) else {
                return TimelineUpdate(
                    session: session,
                    thread: change.thread,
                    revision: revision,
                    since: revision,
                    blocks: []
                )
            }
            return TimelineUpdate(
                session: session,
                thread: change.thread,
                revision: revision,
                since: change.since,
                blocks: blocks
            )
        }
    }

    // MARK: Blocks

    /// Makes blocks by reading their records.
    private func make(_ wanted: [Wanted]) throws(DesktopServiceError) -> [Block] {
        guard !wanted.isEmpty else { return [] }
        let reader = try RecordReader(found.path)
        var record: [UInt8] = []
        var place = (offset: -1, length: 0)
        var budget = TranscriptLimits.pageText
        var blocks: [Block] = []
        for one in wanted {
            if place.offset != one.entry.offset || place.length != Int(one.entry.length) {
                place = (one.entry.offset, Int(one.entry.length))
                record = try reader.bytes(place.offset, place.length)
            }
            let limit = budget > 0 ? TranscriptLimits.inlineBody : TranscriptLimits.inlineBody / 16
            let block = finish(one, made(one, record), limit)
            budget -= block.text.utf8.count + (block.patch?.utf8.count ?? 0) + (block.input?.utf8.count ?? 0)
            blocks.append(block)
        }
        return blocks
    }

    private func made(_ wanted: Wanted, _ record: [UInt8]) -> MadeBlock {
        found.agent == .codex
            ? CodexBodies.make(wanted.entry, record.span, wanted.block)
            : ClaudeBodies.make(wanted.entry, record.span, wanted.block)
    }

    private func finish(_ wanted: Wanted, _ made: MadeBlock, _ limit: Int) -> Block {
        var made = made
        if let items = wanted.items { made.block.items = items }
        if made.media != nil { made.block.mediaID = "\(session)/\(made.block.id)" }
        guard let name = made.body.resultFile, let file = resultFile(name) else { return made.cut(limit: limit) }
        if file.size <= limit, let whole = try? file.reader.bytes(0, file.size) {
            made.body.bytes = whole
            return made.cut(limit: limit)
        }
        let keep = min(TranscriptLimits.bodyEnd, limit / 3)
        guard let head = try? file.reader.bytes(0, keep), let tail = try? file.reader.bytes(file.size - keep, keep)
        else {
            return made.cut(limit: limit)
        }
        var block = made.block
        (block.text, block.fullSize) = Body.join(head: head[...], tail: tail[...], size: file.size)
        return block
    }

    /// The file beside the transcript that holds a long result: by its base name, never by the path in the record.
    private func resultFile(_ name: String) -> ResultFile? {
        guard let folder = found.resultsFolder, !name.isEmpty, name != "..", !name.contains("/"), Folder.isReal(folder),
            let stamp = FileStamp.of("\(folder)/\(name)"), let reader = try? RecordReader("\(folder)/\(name)")
        else { return nil }
        return ResultFile(reader: reader, size: stamp.size)
    }

    /// Bytes of a block's whole body; see `DesktopService.block`.
    package func body(id: String, offset: Int, length: Int) throws(DesktopServiceError) -> BodyChunk {
        guard offset >= 0, length >= 0 else { throw .invalid("offset and length must not be negative") }
        let wanted = try lookUp(id)
        let record = try RecordReader(found.path).bytes(wanted.entry.offset, Int(wanted.entry.length))
        let bytes: [UInt8]
        switch wanted.entry.kind {
        case .badLine, .unknown, .malformed: bytes = record
        default:
            let made = made(wanted, record)
            if let name = made.body.resultFile, let file = resultFile(name) {
                guard offset <= file.size else { throw .invalid("offset is past the end") }
                let count = min(length, TranscriptLimits.chunk, file.size - offset)
                return BodyChunk(offset: offset, bytes: try file.reader.bytes(offset, count), totalSize: file.size)
            }
            bytes = made.body.bytes
        }
        guard offset <= bytes.count else { throw .invalid("offset is past the end") }
        let end = offset + min(length, TranscriptLimits.chunk, bytes.count - offset)
        return BodyChunk(offset: offset, bytes: Array(bytes[offset..<end]), totalSize: bytes.count)
    }

    /// A whole image or file of a block: its bytes, and what names this version of it.
    package func media(id: String) throws(DesktopServiceError) -> MediaFile {
        let wanted = try lookUp(id)
        let record = try RecordReader(found.path).bytes(wanted.entry.offset, Int(wanted.entry.length))
        let made = made(wanted, record)
        guard let range = made.media else { throw .notFound }
        var text: [UInt8] = []
        Scan.append(record.span, range, to: &text)
        guard let bytes = Base64.decode(String(decoding: text, as: UTF8.self)) else {
            throw .failed("the image is damaged")
        }
        let generation = state.withLock { $0.generation }
        return MediaFile(
            bytes: bytes,
            mediaType: made.block.mediaType ?? "application/octet-stream",
            version: "\(wanted.entry.offset)-\(wanted.entry.length)-\(generation)"
        )
    }

    private func lookUp(_ id: String) throws(DesktopServiceError) -> Wanted {
        let wanted = state.withLock { state -> Wanted? in
            state.index.find(id).map { Self.wanted(state.index, thread: $0.thread, position: $0.entry) }
        }
        guard let wanted else { throw .notFound }
        return wanted
    }
}

/// The bytes of an image or file out of a transcript.
package struct MediaFile: Sendable {
    package var bytes: [UInt8]
    package var mediaType: String
    package var version: String
}

/// The open file of a long result.
private struct ResultFile: ~Copyable {
    let reader: RecordReader
    let size: Int
}

/// Reads records out of an open file.
struct RecordReader: ~Copyable {
    private let handle: ReadHandle

    init(_ path: String) throws(DesktopServiceError) {
        do throws(Errno) { handle = try ReadHandle(path) } catch {
            throw error == .notFound ? .notFound : .failed("the transcript cannot be read: \(error)")
        }
    }

    /// - Throws: `changed` when the file is shorter than it was.
    func bytes(_ offset: Int, _ count: Int) throws(DesktopServiceError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(Errno) { bytes = try handle.bytes(at: offset, count: count) } catch {
            throw .failed("the transcript cannot be read: \(error)")
        }
        guard bytes.count == count else { throw .changed }
        return bytes
    }
}

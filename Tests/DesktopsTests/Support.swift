// What the tests of desktops share: a clock to turn by hand, a wait for conditions, a desktop that is all made up.
import Desktops
import Testing
import Wire

/// Waits until a condition holds.
///
/// - Returns: false when it did not within the deadline.
@Loop func eventually(within milliseconds: Int64 = 5_000, _ condition: @Loop () -> Bool) async -> Bool {
    let deadline = Loop.now + milliseconds
    while !condition() {
        guard Loop.now < deadline else { return false }
        try? await Loop.sleep(milliseconds: 1)
    }
    return true
}

/// Monotonic milliseconds that move only by hand.
@Loop final class HandClock {
    var now: Int64 = 1_000_000
}

/// A generator of repeatable random numbers.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

enum IDs {
    static let server = "aaaaaaaa-0000-4000-8000-000000000001"
    static let phone = "aaaaaaaa-0000-4000-8000-000000000002"
    static let desktop = "dddddddd-0000-4000-8000-000000000002"
    static let other = "dddddddd-0000-4000-8000-000000000003"
}

extension Block {
    static func note(_ seq: Int, _ text: String = "text", revision: Int = 1) -> Block {
        var block = Block(id: "b\(seq)", seq: seq, kind: .assistant)
        block.text = text
        block.revision = revision
        return block
    }
}

extension SessionSummary {
    static func sample(_ id: String, updatedAt: Int64 = 1) -> SessionSummary {
        var session = SessionSummary(
            id: id,
            nativeID: "native-\(id)",
            agent: .claudeCode,
            title: "Session \(id)",
            project: "/home/ada/project"
        )
        session.updatedAt = updatedAt
        return session
    }
}

/// A desktop that holds what a test puts into it.
@Loop final class FakeService: DesktopService {
    var summaries: [SessionSummary] = []
    var threads: [String: [Block]] = [:]
    var revisions: [String: Int] = [:]
    var files: [String: [UInt8]] = [:]
    var followed: Set<String> = []
    var follows = 0
    var timelineQuestions = 0
    /// Holds answers to `timeline` back until a test lets them go.
    var isHeld = false

    func sessions() async -> [SessionSummary] { summaries }

    func timeline(
        session: String,
        thread: String,
        before: Int?,
        limit: Int
    ) async throws(DesktopServiceError) -> TimelinePage {
        timelineQuestions += 1
        guard let blocks = threads["\(session)/\(thread)"] else { throw .notFound }
        let revision = revisions[session] ?? 1
        while isHeld { try? await Loop.sleep(milliseconds: 1) }
        let below = blocks.filter { block in before.map { block.seq < $0 } ?? true }
        return TimelinePage(
            blocks: Array(below.suffix(limit)),
            revision: revision,
            hasMore: below.count > limit,
            total: blocks.count
        )
    }

    func block(
        session: String,
        id: String,
        offset: Int,
        length: Int
    ) async throws(DesktopServiceError) -> BodyChunk {
        guard let block = threads["\(session)/main"]?.first(where: { $0.id == id }) else { throw .notFound }
        let bytes = Array(block.text.utf8)
        guard offset <= bytes.count else { throw .invalid("offset") }
        return BodyChunk(
            offset: offset,
            bytes: Array(bytes[offset..<min(bytes.count, offset + length)]),
            totalSize: bytes.count
        )
    }

    func media(id: String, offset: Int, length: Int) async throws(DesktopServiceError) -> MediaChunk {
        guard let bytes = files[id] else { throw .notFound }
        guard offset <= bytes.count else { throw .invalid("offset") }
        return MediaChunk(
            offset: offset,
            bytes: Array(bytes[offset..<min(bytes.count, offset + length)]),
            totalSize: bytes.count,
            version: "v1",
            mediaType: "image/png"
        )
    }

    func follow(session: String) {
        followed.insert(session)
        follows += 1
    }

    func unfollow(session: String) { followed.remove(session) }

    /// Adds or replaces a block, as an agent would, and says what is to be published.
    func change(_ session: String, _ block: Block) -> TimelineUpdate {
        var blocks = threads["\(session)/main"] ?? []
        blocks.removeAll { $0.id == block.id }
        blocks.append(block)
        blocks.sort { $0.seq < $1.seq }
        threads["\(session)/main"] = blocks
        let since = revisions[session] ?? 1
        revisions[session] = since + 1
        return TimelineUpdate(session: session, revision: since + 1, since: since, blocks: [block])
    }
}

/// Microseconds since the first call.
func microseconds() -> Int64 {
    let elapsed = Epoch.start.duration(to: .now)
    return elapsed.components.seconds * 1_000_000 + elapsed.components.attoseconds / 1_000_000_000_000
}

private enum Epoch {
    static let start = ContinuousClock.now
}

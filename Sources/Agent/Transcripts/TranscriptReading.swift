// Reads a whole transcript at once into an index: for counting (`wheelhouse transcripts`) and for tests. Followed transcripts
// are read by `Transcript`, which keeps its place.
package import Desktops
import Wire

extension TranscriptIndex {
    /// Reads the file at `path`.
    ///
    /// - Returns: nil when it cannot be read.
    package static func reading(_ path: String, agent: AgentKind, isHelper: Bool = false) -> TranscriptIndex? {
        var buffer = LineBuffer()
        return reading(path, agent: agent, isHelper: isHelper, buffer: &buffer)
    }

    static func reading(_ path: String, agent: AgentKind, isHelper: Bool, buffer: inout LineBuffer) -> TranscriptIndex?
    {
        var source = CodexState.Source.automatic
        while true {
            guard let handle = try? ReadHandle(path), let stamp = handle.stamp() else { return nil }
            var index = TranscriptIndex(agent: agent, isHelper: isHelper)
            index.codex.source = source
            var feed = LineFeed()
            let isRead = try? feed.read(handle, size: stamp.size, buffer: &buffer) { piece, line in
                index.consume(piece, line)
            }
            guard isRead != nil else { return nil }
            guard let other = index.codex.restart else { return index }
            source = other
        }
    }

    /// Reads what a feed found.
    ///
    /// - Returns: false when the file has to be read again from its beginning.
    mutating func consume(_ piece: LineFeed.Piece, _ line: Span<UInt8>) -> Bool {
        switch piece {
        case .line(let offset): consume(line, offset: offset)
        case .oversized(let offset, let length): consumeOversized(offset: offset, length: length)
        }
        return codex.restart == nil
    }
}

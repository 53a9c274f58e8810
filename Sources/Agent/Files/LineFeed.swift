// Streams the lines of a growing file: whole lines only, through one buffer that grows to the longest line.
// Rules: agent-transcripts, section 0, 1 and 5.
import Glibc
import Wire

/// What lines are read into.
///
/// Its pages are costly to get, so one serves many files.
struct LineBuffer {
    fileprivate var bytes: [UInt8] = []

    /// Makes room for `count` bytes.
    fileprivate mutating func reserve(_ count: Int) {
        if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
    }

    /// Four times as much room, up to the longest line.
    fileprivate mutating func grow() { reserve(min(bytes.count * 4, TranscriptLimits.line)) }
}

/// Where reading goes on in a file.
struct LineFeed {
    /// What the feed found.
    enum Piece {
        /// A line without its line feed: its bytes are handed over beside.
        case line(offset: Int)
        /// A line longer than `TranscriptLimits.line`, which was not held.
        case oversized(offset: Int, length: Int)
    }

    /// The offset of the first byte that belongs to no whole line yet.
    private(set) var offset = 0
    /// The line at `offset` is too long: so many bytes of it were passed over.
    private var skipped = 0

    /// Reads on until the end of the file, or until about `budget` bytes were read.
    ///
    /// - Parameter deliver: called for each line; false stops behind it.
    /// - Returns: whether the end was reached.
    mutating func read(
        _ handle: borrowing ReadHandle,
        size: Int,
        budget: Int = .max,
        buffer: inout LineBuffer,
        deliver: (Piece, Span<UInt8>) -> Bool
    ) throws(Errno) -> Bool {
        let left = size - offset - skipped
        guard left > 0 else { return true }
        buffer.reserve(min(TranscriptLimits.readBuffer, max(4_096, left + 1)))
        var filled = 0
        var total = 0
        let begin = offset + skipped
        while true {
            if filled == buffer.bytes.count {
                if filled >= TranscriptLimits.line {
                    skipped += filled
                    filled = 0
                } else {
                    buffer.grow()
                }
            }
            let got = try handle.read(
                at: offset + skipped + filled,
                into: &buffer.bytes,
                from: filled,
                count: buffer.bytes.count - filled
            )
            if got == 0 { return true }
            let fresh = filled
            filled += got
            total += got
            guard deliverLines(&buffer.bytes, &filled, fresh: fresh, deliver) else { return false }
            // A line longer than the budget is read to its end all the same, or it would never be.
            if total >= budget, offset + skipped > begin { return offset + skipped == size }
        }
    }

    /// Hands over the whole lines in `buffer[..<filled]` and moves the rest to its beginning.
    private mutating func deliverLines(
        _ buffer: inout [UInt8],
        _ filled: inout Int,
        fresh: Int,
        _ deliver: (Piece, Span<UInt8>) -> Bool
    ) -> Bool {
        var start = 0
        var search = fresh
        var isWanted = true
        do {
            let span = buffer.span
            while isWanted, let end = Self.lineFeed(span, search, filled) {
                if skipped > 0 {
                    let length = skipped + end - start
                    isWanted = deliver(.oversized(offset: offset, length: length), span.extracting(start..<start))
                    offset += length + 1
                    skipped = 0
                } else {
                    isWanted = deliver(.line(offset: offset), span.extracting(start..<end))
                    offset += end + 1 - start
                }
                start = end + 1
                search = start
            }
        }
        guard start > 0 else { return isWanted }
        if start < filled { buffer.replaceSubrange(0..<filled - start, with: Array(buffer[start..<filled])) }
        filled -= start
        return isWanted
    }

    /// The index of the first line feed.
    private static func lineFeed(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        guard start < end else { return nil }
        return unsafe bytes.extracting(start..<end).withUnsafeBytes { raw in
            guard let base = raw.baseAddress, let found = unsafe memchr(base, 0x0A, raw.count) else { return nil }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }
}

// Tells when something happens in folders, by inotify: a file grew, or files came or went. The poll of `LocalDesktop` is the
// net below it. Rules: agent-transcripts, section 0.8.
import Glibc
import Wire

/// Watches folders.
@Loop final class FolderWatch {
    enum Event: Equatable {
        /// A file has new bytes.
        case changed(path: String)
        /// Files or folders came, went or moved, or events were lost: look at everything again.
        case structure
    }

    private var descriptor: Int32
    private var watch: Watch?
    private var folders: [Int32: String] = [:]
    private var watched: Set<String> = []
    private let onEvent: @Loop (Event) -> Void

    /// - Throws: when the system has no inotify instance left (`EMFILE`).
    init(_ onEvent: @escaping @Loop (Event) -> Void) throws(Errno) {
        self.onEvent = onEvent
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw Errno.current }
        watch = try Loop.watch(descriptor: descriptor, for: .readable) { [weak self] _ in self?.read() }
    }

    func stop() {
        watch?.cancel()
        watch = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private static let mask = UInt32(
        IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW
    )

    /// Adds the folders that are not watched yet.
    ///
    /// - Returns: whether any was added: what came into it before is only found by looking.
    @discardableResult
    func add(_ paths: [String]) -> Bool {
        var added = false
        for path in paths where !watched.contains(path) && watched.count < TranscriptLimits.watchedFolders {
            let number = unsafe inotify_add_watch(descriptor, path, Self.mask)
            guard number >= 0 else { continue }
            folders[number] = path
            watched.insert(path)
            added = true
        }
        return added
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var changed: Set<String> = []
        var order: [String] = []
        var isStructure = false
        // A bounded number of reads per turn: what is left makes the descriptor ready again.
        for _ in 0..<4 {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            parse(buffer, count) { event in
                switch event {
                case .changed(let path):
                    if changed.insert(path).inserted { order.append(path) }
                case .structure: isStructure = true
                }
            }
        }
        for path in order { onEvent(.changed(path: path)) }
        if isStructure { onEvent(.structure) }
    }

    /// `struct inotify_event`: watch, mask, cookie, length (32 bits each), then the name, padded with NUL.
    private func parse(_ buffer: [UInt8], _ count: Int, _ deliver: (Event) -> Void) {
        var index = 0
        func word(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(buffer[index + offset + $1]) << UInt32(8 * $1) }
        }
        while index + 16 <= count {
            let number = Int32(bitPattern: word(0))
            let mask = word(4)
            let length = Int(word(12))
            guard index + 16 + length <= count else { return }
            let name = String(decoding: buffer[(index + 16)..<(index + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
            index += 16 + length
            if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                deliver(.structure)
                continue
            }
            if mask & UInt32(IN_IGNORED) != 0 {
                if let gone = folders.removeValue(forKey: number) { watched.remove(gone) }
                continue
            }
            guard let folder = folders[number] else { continue }
            if mask & UInt32(IN_MODIFY) != 0 {
                deliver(.changed(path: "\(folder)/\(name)"))
            } else {
                deliver(.structure)
                // A file that came may already have bytes.
                if mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { deliver(.changed(path: "\(folder)/\(name)")) }
            }
        }
    }
}

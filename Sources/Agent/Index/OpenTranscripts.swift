// The transcripts whose index is in memory: those that are followed, and the last few that were asked for.
import Desktops

/// Open transcripts by path, the least recently used ones given up first.
struct OpenTranscripts {
    private var transcripts: [String: Transcript] = [:]
    private var used: [String: Int] = [:]
    private var clock = 0

    func known(_ path: String) -> Transcript? { transcripts[path] }

    mutating func transcript(_ found: FoundTranscript, session: String, keeping followed: Set<String>) -> Transcript {
        clock += 1
        used[found.path] = clock
        if let known = transcripts[found.path], known.session == session { return known }
        let made = Transcript(found, session: session)
        transcripts[found.path] = made
        forgetOldest(keeping: followed)
        return made
    }

    mutating func remove(_ path: String) {
        transcripts[path] = nil
        used[path] = nil
    }

    /// Gives up what is beyond the limits of number and size.
    mutating func forgetOldest(keeping followed: Set<String>) {
        var candidates = transcripts.filter { !followed.contains($0.value.session) }.keys
            .sorted { (used[$0] ?? 0) < (used[$1] ?? 0) }[...]
        var blocks = transcripts.values.reduce(0) { $0 + $1.facts.blocks }
        // The last one is in use right now, however large it is.
        while candidates.count > TranscriptLimits.openTranscripts
            || (candidates.count > 1 && blocks > TranscriptLimits.openBlocks)
        {
            guard let oldest = candidates.popFirst() else { return }
            blocks -= transcripts[oldest]?.facts.blocks ?? 0
            remove(oldest)
        }
    }
}

/// The last images that were asked for: they are fetched in pieces, and decoded once.
struct MediaCache {
    private var files: [(id: String, file: MediaFile)] = []

    func file(_ id: String) -> MediaFile? { files.first { $0.id == id }?.file }

    mutating func keep(_ id: String, _ file: MediaFile) {
        files.removeAll { $0.id == id }
        files.append((id, file))
        while files.count > TranscriptLimits.mediaFiles
            || (files.count > 1 && files.reduce(0) { $0 + $1.file.bytes.count } > TranscriptLimits.mediaBytes)
        {
            files.removeFirst()
        }
    }
}

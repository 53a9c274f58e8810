// Fills the catalogue from disk: runs on worker threads, in small batches, newest transcripts first.
import Desktops
import Wire

package enum CatalogueReader {
    /// What the ends of one transcript tell; nil when it went away.
    package static func listing(_ found: FoundTranscript) -> Catalogue.Listing? {
        if found.isCompressed { return Catalogue.Listing(found, SessionFacts()) }
        guard let stamp = FileStamp.of(found.path),
            let facts = SummaryReader.read(found.path, agent: found.agent, isHelper: found.helper != nil)
        else { return nil }
        var found = found
        found.stamp = stamp
        var listing = Catalogue.Listing(found, facts)
        if found.helper != nil { readMeta(&listing) }
        if found.agent == .claudeCode, found.helper == nil, listing.facts.customTitle == nil { readTitle(&listing) }
        return listing
    }

    private static let toolUseId = Key("toolUseId")

    /// `agent-<id>.meta.json` beside a helper's transcript.
    static func readMeta(_ listing: inout Catalogue.Listing) {
        guard let bytes = SmallFile.read(listing.found.path.dropLast(6) + ".meta.json", limit: 64 << 10),
            let object = object(bytes.span)
        else { return }
        listing.helperCall = Scan.string(bytes.span, Scan.member(bytes.span, object, toolUseId))
        listing.helperTitle = Scan.string(bytes.span, Scan.member(bytes.span, object, Names.description))
    }

    /// `custom-title.json` in a session's folder, written by a rename.
    private static func readTitle(_ listing: inout Catalogue.Listing) {
        guard let bytes = SmallFile.read(listing.found.path.dropLast(6) + "/custom-title.json", limit: 64 << 10),
            let object = object(bytes.span),
            let title = Scan.string(bytes.span, Scan.member(bytes.span, object, Names.customTitle)), !title.isEmpty
        else { return }
        listing.facts.customTitle = SessionFacts.oneLine(title)
    }

    private static func object(_ bytes: Span<UInt8>) -> Range<Int>? {
        let start = Scan.skipBlanks(bytes, 0, bytes.count)
        guard start < bytes.count, let end = Scan.endOfValue(bytes, start, bytes.count) else { return nil }
        return start..<end
    }

    private static let threadName = Key("thread_name")

    /// The names that people gave to Codex threads (`session_index.jsonl`); the last one wins.
    package static func codexNames(_ roots: AgentRoots) -> [String: String] {
        var names: [String: String] = [:]
        for root in roots.codex {
            guard let bytes = SmallFile.tail("\(root)/session_index.jsonl", limit: 4 << 20) else { continue }
            for line in bytes.split(separator: 0x0A) {
                let bytes = Array(line)
                guard let object = object(bytes.span),
                    let id = Scan.string(bytes.span, Scan.member(bytes.span, object, Names.id)),
                    let name = Scan.string(bytes.span, Scan.member(bytes.span, object, threadName)), !name.isEmpty
                else { continue }
                names[id] = name
            }
        }
        return names
    }
}

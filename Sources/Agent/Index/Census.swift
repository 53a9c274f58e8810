// Reads every transcript of this computer whole and counts what is in it: for `wheelhouse transcripts`, for measuring, and for
// people who ask what their agent sees.
package import Desktops

/// What one transcript holds.
package struct TranscriptCount: Sendable {
    package var summary: SessionSummary
    /// Blocks of the main thread by kind.
    package var blocks: [BlockKind: Int]
    package var records: Int
    package var badLines: Int
    package var unknown: Int
    package var malformed: Int
    /// Bytes.
    package var size: Int
}

package enum Census {
    /// Counts all transcripts, in the order of their paths.
    ///
    /// Those that are not shown as sessions are left out.
    ///
    /// - Parameter now: milliseconds since 1970.
    package static func take(_ roots: AgentRoots, now: Int64) -> [TranscriptCount] {
        var catalogue = Catalogue()
        let found = roots.scan().transcripts.sorted { $0.relative < $1.relative }
        catalogue.expect(found)
        catalogue.codexNames = CatalogueReader.codexNames(roots)
        catalogue.running = RunningAgents.read(claude: roots.claude)
        var indexes: [String: TranscriptCount] = [:]
        var buffer = LineBuffer()
        for one in found where !one.isCompressed {
            guard
                let index = TranscriptIndex.reading(
                    one.path,
                    agent: one.agent,
                    isHelper: one.helper != nil,
                    buffer: &buffer
                )
            else { continue }
            var listing = Catalogue.Listing(one, index.facts)
            listing.badLines = index.badLines
            listing.unknown = index.unknown
            if one.helper != nil { CatalogueReader.readMeta(&listing) }
            catalogue.put([listing])
            indexes[one.path] = TranscriptCount(
                summary: SessionSummary(id: "", nativeID: "", agent: one.agent, title: "", project: ""),
                blocks: index.counts(),
                records: index.records,
                badLines: index.badLines,
                unknown: index.unknown,
                malformed: index.malformed,
                size: one.stamp.size
            )
        }
        return found.compactMap { one in
            guard var count = indexes[one.path], let summary = catalogue.summary(path: one.path, now: now) else {
                return nil
            }
            count.summary = summary
            return count
        }
    }
}

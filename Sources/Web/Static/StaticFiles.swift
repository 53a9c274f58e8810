// A folder of files over HTTP: tags, dates, ranges, gzip, folders with an index. Small files answer from memory in the same
// call; a file that is new, changed or large is read on a worker thread.
import CLinux
import Glibc
package import Wire

/// Serves what lies below one folder. Hidden files, and whatever a symbolic link points to, are not there.
@Loop package final class StaticFiles {
    /// How long browsers may keep an answer without asking again.
    package enum Caching: Sendable {
        /// They ask each time, and get 304 when nothing changed.
        case revalidate
        /// For ever: the URL changes when the content does.
        case immutable
    }

    /// Bytes of files kept in memory; the ones not asked for longest go first.
    package static let cacheSize = 64 << 20
    /// Files kept, of any size.
    package static let cacheCount = 2_000

    private struct Entry {
        let file: StaticFile
        var used: Int64
    }

    private let root: Int32
    private let caching: Caching
    private let headers: [(String, String)]
    private var cache: [String: Entry] = [:]
    private var cacheCost = 0

    /// - Parameter headers: fields added to every answer, such as a content security policy.
    /// - Throws: when the folder cannot be opened.
    package init(root path: String, caching: Caching = .revalidate, headers: [(String, String)] = []) throws(Errno) {
        let descriptor = unsafe open(path, Int32(clinux_o_path) | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        root = descriptor
        self.caching = caching
        self.headers = headers
    }

    isolated deinit { close(root) }

    /// Answers a GET or HEAD.
    ///
    /// - Parameter path: below the folder, decoded, with or without a slash in front; empty or ending in a slash for a
    ///   folder's `index.html`.
    package func answer(_ request: HTTPRequest, path: String) -> HTTPAnswer {
        var name = path.hasPrefix("/") ? String(path.dropFirst()) : path
        if name.isEmpty || name.hasSuffix("/") { name += "index.html" }
        if let entry = cache[name] {
            if entry.file.isCurrent(name, below: root) {
                cache[name]?.used = Loop.now
                return .response(respond(request, entry.file))
            }
            forget(name)
        }
        guard let segments = Self.segments(name) else { return .response(.refusal(404)) }
        if WorkerPool.shared.isSaturated { return .response(.refusal(503)) }
        return .later { [self, name] in
            do throws(Errno) {
                let file = try await offload { [root] () throws(Errno) in try StaticFile(segments, below: root) }
                remember(name, file)
                return respond(request, file)
            } catch {
                return respond(request, to: error)
            }
        }
    }

    /// The segments of a path; nil for what is not served.
    private static func segments(_ path: String) -> [String]? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count <= 255 }) else { return nil }
        return segments
    }

    private func respond(_ request: HTTPRequest, to error: Errno) -> HTTPResponse {
        switch error.code {
        case EISDIR:
            let query = request.query.isEmpty ? "" : "?" + request.query
            let sent = request.sentPath
            // A path that starts with two slashes would name another host (RFC 3986 §4.2).
            guard !sent.hasPrefix("//") else { return .refusal(404) }
            return .redirect(to: sent + "/" + query, status: 308)
        case EMFILE, ENFILE, ENOMEM: return .refusal(503)
        default: return .refusal(404)
        }
    }

    private func respond(_ request: HTTPRequest, _ file: StaticFile) -> HTTPResponse {
        let fields = request.fields
        let range = request.method == .get ? fields["range"] : nil
        let isGzip = range == nil && file.gzip != nil && fields.joined("accept-encoding").map(Gzip.isAccepted) == true
        let tag = isGzip ? file.gzipTag : file.tag
        let now = Loop.wallClock / 1_000
        var response = HTTPResponse()
        for (name, value) in headers { response.fields.add(name, value) }
        response.fields.add("ETag", tag)
        response.fields.add("Last-Modified", file.modifiedText)
        response.fields.add("Cache-Control", caching == .immutable ? "public, max-age=31536000, immutable" : "no-cache")
        if file.gzip != nil { response.fields.add("Vary", "Accept-Encoding") }
        switch Preconditions(fields, tag: tag, modified: file.modified, now: now) {
        case .notModified:
            response.status = 304
            return response
        case .failed:
            response.status = 412
            return response
        case .send: break
        }
        response.fields.add("Content-Type", file.mediaType)
        response.fields.add("X-Content-Type-Options", "nosniff")
        response.fields.add("Accept-Ranges", "bytes")
        if isGzip, let gzip = file.gzip {
            response.fields.add("Content-Encoding", "gzip")
            response.body = .bytes(gzip)
            return response
        }
        if let range, Preconditions.allowRange(fields, tag: tag, modified: file.modified, now: now) {
            switch ByteRanges(range, size: file.size) {
            case .whole: break
            case .unsatisfiable:
                response.status = 416
                response.fields.set("Content-Range", "bytes */\(file.size)")
                return response
            case .parts(let parts):
                response.status = 206
                cut(&response, file, parts)
                return response
            }
        }
        response.body = body(of: file, [0..<file.size])
        return response
    }

    /// One range as it is, several as `multipart/byteranges` (RFC 9110 §14.6).
    private func cut(_ response: inout HTTPResponse, _ file: StaticFile, _ parts: [Range<Int>]) {
        func contentRange(_ part: Range<Int>) -> String {
            "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
        }
        if parts.count == 1 {
            response.fields.add("Content-Range", contentRange(parts[0]))
            response.body = body(of: file, parts)
            return
        }
        let boundary = RandomBytes.alphanumeric(24)
        response.fields.set("Content-Type", "multipart/byteranges; boundary=\(boundary)")
        var pieces: [FileBody.Part] = []
        for part in parts {
            let head = """
                \r\n--\(boundary)\r\nContent-Type: \(file.mediaType)\r\nContent-Range: \(contentRange(part))\r\n\r\n
                """
            pieces.append(.bytes(Array(head.utf8)))
            pieces.append(.range(part))
        }
        pieces.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        switch file.content {
        case .file(let open): response.body = .file(FileBody(file: open, parts: pieces))
        case .bytes(let bytes):
            var whole: [UInt8] = []
            for piece in pieces {
                switch piece {
                case .bytes(let head): whole += head
                case .range(let range): whole += bytes[range]
                }
            }
            response.body = .bytes(whole)
        }
    }

    private func body(of file: StaticFile, _ parts: [Range<Int>]) -> HTTPResponse.Body {
        switch file.content {
        case .file(let open): return .file(FileBody(file: open, parts: parts.map { .range($0) }))
        case .bytes(let bytes):
            if parts == [0..<bytes.count] { return .bytes(bytes) }
            return .bytes(parts.reduce(into: []) { $0 += bytes[$1] })
        }
    }

    // MARK: Cache

    private func remember(_ name: String, _ file: StaticFile) {
        forget(name)
        cache[name] = Entry(file: file, used: Loop.now)
        cacheCost += file.cost
        while cacheCost > Self.cacheSize || cache.count > Self.cacheCount {
            guard let oldest = cache.min(by: { $0.value.used < $1.value.used }) else { return }
            forget(oldest.key)
        }
    }

    private func forget(_ name: String) {
        if let entry = cache.removeValue(forKey: name) { cacheCost -= entry.file.cost }
    }
}

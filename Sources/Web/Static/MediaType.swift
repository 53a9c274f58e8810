// Media types of files by their extension, and which of them are worth compressing.

package enum MediaType {
    /// The type of a file name, with its charset where text needs one (RFC 9239 for scripts, WHATWG for the rest).
    package static func ofFile(named name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
        return byExtension[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    /// The type without its parameters, in lower case.
    package static func essence(_ value: String) -> String {
        let end = value.firstIndex(of: ";") ?? value.endIndex
        return value[..<end].split(separator: " ").joined().lowercased()
    }

    /// Whether gzip makes content of this type smaller: text does, pictures and archives are packed already.
    package static func isCompressible(_ value: String) -> Bool {
        let essence = essence(value)
        if essence.hasPrefix("text/") { return true }
        switch essence {
        case "application/json", "application/xml", "application/manifest+json", "application/wasm", "image/svg+xml",
            "application/javascript", "font/ttf", "font/otf", "application/yaml", "image/x-icon":
            return true
        default: return essence.hasSuffix("+json") || essence.hasSuffix("+xml")
        }
    }

    private static let byExtension: [String: String] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "json": "application/json",
        "map": "application/json", "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "svg": "image/svg+xml", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
        "ico": "image/x-icon", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "wasm": "application/wasm",
        "mp3": "audio/mpeg", "wav": "audio/wav", "ogg": "audio/ogg", "mp4": "video/mp4", "webm": "video/webm",
    ]
}

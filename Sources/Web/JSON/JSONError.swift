// Why bytes were refused as JSON (RFC 8259), and the limits that hold before any work starts.

/// Limits of the JSON reader.
package enum JSONLimits {
    /// Deepest nesting of arrays and objects that is entered; a value that is only skipped may be deeper.
    package static let depth = 512
    /// Members above which a ``JSONObject`` keeps a table of its keys, so that hostile objects stay linear.
    static let linearMembers = 12
}

/// Why bytes were refused as JSON.
///
/// Every offset counts bytes from the start of the text.
package enum JSONError: Error, Equatable {
    /// The text ends inside a value.
    case endsEarly
    /// A byte that the grammar of RFC 8259 does not allow there; also bytes after the value.
    case unexpectedByte(offset: Int)
    /// A string or key that is not UTF-8 (RFC 8259 section 8.1).
    case invalidUTF8(offset: Int)
    /// More than the allowed nesting.
    case tooDeep(limit: Int)
    /// Well-formed, but not the kind of value that was asked for (or a number out of its range).
    case wrongKind(offset: Int)
}

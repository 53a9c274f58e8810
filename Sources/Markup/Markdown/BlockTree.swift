// The blocks of one Markdown text as a flat tree: what `BlockParser` builds and `BlockRenderer` walks. Nodes refer to
// each other by index; their text lies in the source, or in one arena where container markers had to be left out, so a
// text of any size needs a handful of allocations.

/// What a block is (CommonMark 0.31.2 §4 and §5, GFM tables, footnotes as cmark-gfm has them, display math).
enum BlockKind: UInt8 {
    case document, quote, list, item, footnote
    case paragraph, heading, code, html, rule, table, row, math

    /// Leaf blocks whose lines are collected as they are typed.
    var takesLines: Bool { self == .paragraph || self == .heading || self == .code }
}

/// One block.
///
/// `start..<end` is its text, in the source or in the arena.
struct BlockNode {
    var kind: BlockKind
    var flags: Flags = []
    /// heading: 1...6; code: the fence byte, 0 when indented; html: start condition 1...7; list, item: the marker byte.
    var detail: UInt8 = 0
    /// list, item: the marker's indentation; code: the fence's.
    var indent: UInt8 = 0
    /// item: columns its content is indented by; code: fence length.
    var width: Int32 = 0
    /// list, item: first number; code, footnote: where the info string or label starts in the source; table: index of
    /// its columns.
    var extra: Int32 = 0
    /// code, footnote: where the info string or label ends; table: column count.
    var extraEnd: Int32 = 0
    var start: Int32 = 0
    var end: Int32 = 0
    /// Offset in the source of the line on which it begins.
    var sourceLine: Int32 = 0
    var parent: Int32 = -1
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var next: Int32 = -1
    var previous: Int32 = -1

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let lastLineBlank = Flags(rawValue: 1)
        static let tight = Flags(rawValue: 2)
        static let ordered = Flags(rawValue: 4)
        static let task = Flags(rawValue: 8)
        static let done = Flags(rawValue: 16)
        static let closed = Flags(rawValue: 32)
        /// `start..<end` lies in the parser's arena, not in the source: its lines did not follow each other there.
        static let inArena = Flags(rawValue: 64)
        /// The block's end was checked for a blank line already.
        static let blankChecked = Flags(rawValue: 128)
    }
}

/// How a table column is aligned.
enum ColumnAlignment: UInt8 { case none, left, center, right }

/// Where a link label leads.
struct LinkTarget {
    var destination: [UInt8]
    var title: [UInt8]
}

/// Where a link of a text leads: a definition, or ranges of the text that are decoded when they are written.
struct InlineLink {
    /// Index of the definition, or -1.
    var definition: Int32 = -1
    var destinationStart: Int32 = 0
    var destinationEnd: Int32 = 0
    var titleStart: Int32 = 0
    var titleEnd: Int32 = 0
}

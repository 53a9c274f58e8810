// The dialects: which rules beyond CommonMark a text is read with, and how carefully it is shown.

extension Markdown {
    /// Extensions of the reference rendering; raw values are cmark-gfm's names.
    package enum Extension: String, Sendable, CaseIterable {
        case table, strikethrough, autolink, tagfilter, tasklist, footnotes
    }

    /// How a chat message is rendered.
    package struct Options: Sendable, Equatable {
        /// Line breaks inside a paragraph are kept, as people expect of a text that they typed themselves.
        package var keepsLineBreaks: Bool
        /// Put in front of every `id`, so that texts on one page do not share names and none shadows a DOM property.
        ///
        /// Letters, digits and hyphens; must end in a hyphen.
        package var idPrefix: String

        package init(keepsLineBreaks: Bool = false, idPrefix: String = "md-") {
            self.keepsLineBreaks = keepsLineBreaks
            self.idPrefix = idPrefix
        }

        /// What agents write.
        package static let chat = Options()
        /// What people type into the composer.
        package static let typed = Options(keepsLineBreaks: true)
    }
}

/// The rules in force for one text.
struct Dialect {
    var table = false
    var strikethrough = false
    var autolink = false
    var tagFilter = false
    var taskList = false
    var footnotes = false
    /// Chat: nothing raw, safe links only, alerts, math, code with a frame, double tildes only.
    var chat = false
    var keepsLineBreaks = false
    /// Containers (quotes, lists, items) inside each other; deeper markers stay text.
    var depthLimit = MarkdownLimits.specDepth
    var idPrefix: [UInt8] = []

    init(extensions: Set<Markdown.Extension>) {
        table = extensions.contains(.table)
        strikethrough = extensions.contains(.strikethrough)
        autolink = extensions.contains(.autolink)
        tagFilter = extensions.contains(.tagfilter)
        taskList = extensions.contains(.tasklist)
        footnotes = extensions.contains(.footnotes)
    }

    init(options: Markdown.Options) {
        self.init(extensions: Set(Markdown.Extension.allCases))
        tagFilter = false
        chat = true
        keepsLineBreaks = options.keepsLineBreaks
        depthLimit = MarkdownLimits.chatDepth
        idPrefix = Array(options.idPrefix.utf8)
    }
}

/// Bounds of the Markdown renderer.
///
/// Each keeps time or output linear in the input; text beyond a bound is shown as typed.
enum MarkdownLimits {
    /// Containers inside each other in the reference rendering, which costs nothing but output.
    static let specDepth = 1_000_000
    /// The same for chat messages: browsers stop at 512 elements.
    static let chatDepth = 100
    /// CommonMark §4.7: characters of a link label (counted here in bytes).
    static let labelBytes = 999
    /// Parentheses inside a bare link destination, as in cmark.
    static let destinationParentheses = 32
    /// Bytes of destinations and titles that references may repeat, or the text's length if that is more (as in
    /// cmark-gfm).
    static let referenceBytes = 100_000
    /// Scripts on one base in a formula; more begin a new one.
    static let scripts = 8
    /// Cells that short table rows may be padded with, plus the source's length in bytes.
    static let paddedCells = 65_536
    /// Columns of a table.
    static let columns = 10_000
    /// A Mermaid source longer than this (UTF-16 units, Mermaid's own `maxTextSize`) stays a code block.
    static let mermaidUnits = 50_000
    /// Bytes of one formula; longer ones are shown as source.
    static let formulaBytes = 20_000
    /// Bytes of an unfinished block that is read again at every update of a stream; a longer one waits until it has
    /// grown by an eighth.
    static let eagerTail = 16_384
    /// Groups, arguments and environments inside each other in a formula.
    static let formulaDepth = 80
    /// Source bytes up to which output is copied into an array of its exact size; longer texts are written in place.
    static let copiedOutput = 65_536
    /// The most digits of an ordered list's number (CommonMark §5.2).
    static let listDigits = 9
}

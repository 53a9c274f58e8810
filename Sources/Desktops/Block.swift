// The neutral timeline: what a session shows, whichever agent wrote it and whichever desktop sent it.
// `Agent` makes blocks from transcripts, `DeviceLink/TimelineCodec` carries them, `Dashboard` turns them into HTML.

/// What a block is. One record of a transcript may yield several blocks; a tool's output, edit or error is a block of its
/// own whose `parent` is the tool block.
package enum BlockKind: String, Sendable, CaseIterable {
    case user, assistant, thinking
    case tool, output, edit, todo, plan, image, subagent
    case approval, question, file
    case error, notice, usage
    /// A line that is no record (broken JSON, bad UTF-8): shown as a notice, with its raw bytes at hand.
    case badLine
    /// A record of a known type whose members have the wrong shape.
    case malformed
    /// A record, or part of one, of a kind that this version does not know.
    case unknown
}

/// Where a block stands in its life.
package enum BlockState: String, Sendable {
    case pending, streaming, complete, failed, cancelled
}

/// One entry of a to-do list.
package struct TodoItem: Sendable, Equatable {
    package enum State: String, Sendable { case pending, active, done }
    package var text: String
    package var state: State

    package init(text: String, state: State) {
        self.text = text
        self.state = state
    }
}

/// Tokens and money of one answer of a model.
package struct Usage: Sendable, Equatable {
    package var inputTokens: Int
    package var outputTokens: Int
    package var cacheReadTokens: Int
    package var cacheWriteTokens: Int
    /// Millionths of a US dollar; nil when the transcript does not say.
    package var costMicros: Int64?

    package init(
        inputTokens: Int = 0,
        outputTokens: Int = 0,
        cacheReadTokens: Int = 0,
        cacheWriteTokens: Int = 0,
        costMicros: Int64? = nil
    ) {
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
        self.cacheReadTokens = cacheReadTokens
        self.cacheWriteTokens = cacheWriteTokens
        self.costMicros = costMicros
    }
}

/// One entry of a session's timeline. A block with the same id replaces an earlier one; order is `seq`.
package struct Block: Sendable, Equatable {
    /// Stable over re-reads of the transcript and unique within its session.
    package var id: String
    /// Position in the timeline of its thread, ascending, from 0.
    package var seq: Int
    package var kind: BlockKind
    /// `main`, or the id of a subagent's thread inside the session.
    package var thread: String = "main"
    /// The block that this one belongs to: the tool of an output, edit, image or error.
    package var parent: String?
    /// Milliseconds since 1970; 0 when the record has no time. Decoration only, never the order.
    package var at: Int64 = 0
    /// Grows with every change of this block's content.
    package var revision: Int = 1
    package var state: BlockState = .complete
    /// Belongs to a branch of the chat that was rewound: shown folded.
    package var isRewound = false

    /// One line that names the block: a tool's title, a notice's heading, a subagent's task.
    package var title: String?
    /// The body: Markdown for user, assistant, thinking and plan; terminal text for output; plain text otherwise.
    package var text: String = ""
    /// The whole body's size in bytes when `text` was cut (head and tail kept); nil when `text` is whole.
    package var fullSize: Int?

    /// tool: the tool's own name (`Bash`, `exec_command`). unknown: the record's type.
    package var name: String?
    /// tool, approval: the input as the agent wrote it, JSON text.
    package var input: String?
    /// tool, output: the shell command.
    package var command: String?
    package var exitCode: Int?
    /// edit, file, tool on a file: the path on the desktop.
    package var path: String?
    /// edit: the old path of a rename.
    package var oldPath: String?
    /// edit: unified diff hunks (`@@ … @@` and lines), without file headers.
    package var patch: String?
    /// todo, plan: the list as it stands after this block.
    package var items: [TodoItem] = []
    /// image, file: MIME type.
    package var mediaType: String?
    /// image, file: what `readMedia` of its desktop takes; the bytes never travel inside a timeline.
    package var mediaID: String?
    /// subagent: the session id of the helper's own timeline, when it has one.
    package var child: String?
    /// assistant, usage: the model's name.
    package var model: String?
    package var usage: Usage?
    /// approval, question: what an answer must name; nil when that is the block's own id.
    package var requestID: String?
    /// approval, question: the choices offered.
    package var options: [String] = []
    /// approval, question: what was chosen, and by whom.
    package var decision: String?

    package init(id: String, seq: Int, kind: BlockKind) {
        self.id = id
        self.seq = seq
        self.kind = kind
    }
}

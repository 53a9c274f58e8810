// The to-do list of a session, put together from single changes (TaskCreate, TaskUpdate, TaskList of Claude Code).
// Whole lists (TodoWrite, update_plan) stand in their own record and need nothing from here.
import Desktops

/// The list as it stands, and how it stood after each block that changed it.
struct TodoMerge {
    private var order: [String] = []
    private var items: [String: TodoItem] = [:]
    private var states: [EntryRef: [TodoItem]] = [:]
    private var remembered: [EntryRef] = []

    /// The list after the change that `ref` shows; nil when it is too long ago.
    func list(at ref: EntryRef) -> [TodoItem]? { states[ref] }

    mutating func set(_ id: String, text: String?, state: TodoItem.State?) {
        if items[id] == nil {
            guard order.count < TranscriptLimits.todoItems else { return }
            order.append(id)
        }
        var item = items[id] ?? TodoItem(text: "#\(id)", state: .pending)
        if let text, !text.isEmpty { item.text = SessionFacts.oneLine(text) }
        if let state { item.state = state }
        items[id] = item
    }

    mutating func remove(_ id: String) {
        items[id] = nil
        order.removeAll { $0 == id }
    }

    mutating func removeAll() {
        items = [:]
        order = []
    }

    mutating func remember(_ ref: EntryRef) {
        if remembered.count == TranscriptLimits.todoStates {
            states[remembered.removeFirst()] = nil
        }
        states[ref] = order.compactMap { items[$0] }
        remembered.append(ref)
    }
}

extension TranscriptIndex {
    /// Reads the result of a task tool and adds the list as it stands after it.
    mutating func mergeTask(
        _ line: Span<UInt8>,
        _ call: Range<Int>,
        _ place: Place,
        _ tool: EntryRef,
        _ rich: Scan.Fields,
        part: Int,
        node: Int32
    ) {
        let isNew = find(line, call: call, ".todo") == nil
        guard
            let ref = add(
                .todo,
                line,
                place,
                id: .call(call, ".todo"),
                part: part,
                sub: 1,
                thread: tool.thread,
                parent: tool,
                role: .task,
                node: node
            ), isNew
        else { return }
        if let task = rich[Names.task], let id = Self.taskID(line, Scan.member(line, task, Names.id)) {
            todos.set(
                id,
                text: Scan.string(line, Scan.member(line, task, Names.subject)),
                state: Self.todoState(line, Scan.member(line, task, Names.status))
            )
        } else if let id = Self.taskID(line, rich[Names.taskId]) {
            let to = Scan.member(line, rich[Names.statusChange], Names.to)
            if Scan.key(line, to) == Self.deleted {
                todos.remove(id)
            } else {
                todos.set(id, text: nil, state: Self.todoState(line, to))
            }
        } else if let tasks = rich[Names.tasks], Scan.kind(line, tasks) == .array {
            todos.removeAll()
            var elements = Scan.Elements(tasks)
            while let task = elements.next(line) {
                guard let id = Self.taskID(line, Scan.member(line, task, Names.id)) else { continue }
                todos.set(
                    id,
                    text: Scan.string(line, Scan.member(line, task, Names.subject)),
                    state: Self.todoState(line, Scan.member(line, task, Names.status))
                )
            }
        }
        todos.remember(ref)
    }

    private static let deleted = Key("deleted")

    private static func taskID(_ line: Span<UInt8>, _ value: Range<Int>?) -> String? {
        if let text = Scan.prefix(line, value, limit: 64) { return text }
        return Scan.int(line, value).map(String.init)
    }

    /// What `pending`, `in_progress` and `completed` mean; nil for anything else.
    static func todoState(_ line: Span<UInt8>, _ value: Range<Int>?) -> TodoItem.State? {
        switch Scan.key(line, value) {
        case pendingState: .pending
        case activeState, inProgressState: .active
        case completedState, doneState: .done
        default: nil
        }
    }

    private static let pendingState = Key("pending"), activeState = Key("active"), inProgressState = Key("in_progress")
    private static let completedState = Key("completed"), doneState = Key("done")
}

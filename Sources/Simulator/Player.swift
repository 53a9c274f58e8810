// Plays a script into a session step by step. A value: it says how long to wait, the desktop's timer obeys. With the same
// seed it always plays the same.

import Web

/// The rest of a script.
struct Player: Sendable {
    private enum Step: Sendable {
        case play(Entry, parent: String?)
        case grow(block: String, text: String, after: Int64)
        case finish(block: String, entry: Entry)
        /// Waits for a decision on the block.
        case gate(block: String, Entry.Gate)
    }

    /// The next step last.
    private var steps: [Step] = []
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(state: seed) }

    var isEmpty: Bool { steps.isEmpty }

    /// The block on whose decision the script waits.
    var gate: String? {
        guard case .gate(let block, _)? = steps.last else { return nil }
        return block
    }

    /// Adds entries after everything else.
    mutating func append(_ entries: [Entry]) {
        steps.insert(contentsOf: entries.reversed().map { .play($0, parent: nil) }, at: 0)
    }

    /// Adds entries before the next entry that stands on its own, so that what is under way is finished first.
    mutating func insertNext(_ entries: [Entry]) {
        let place =
            steps.lastIndex {
                if case .play(_, parent: nil) = $0 { true } else { false }
            } ?? -1
        steps.insert(contentsOf: entries.reversed().map { .play($0, parent: nil) }, at: place + 1)
    }

    mutating func removeAll() { steps = [] }

    /// Lets the script go on after a decision.
    mutating func open(isAllowed: Bool) {
        guard case .gate(_, let gate)? = steps.popLast() else { return }
        let entries = isAllowed ? gate.allowed : gate.denied
        steps += entries.reversed().map { .play($0, parent: nil) }
    }

    /// Milliseconds until the next step is due; nil at the end and at a gate.
    mutating func delay() -> Int64? {
        switch steps.last {
        case .play(let entry, _): jitter(entry.pause)
        case .grow(_, _, let after): jitter(after)
        case .finish(_, let entry): jitter(entry.takes)
        case .gate, nil: nil
        }
    }

    private mutating func jitter(_ time: Int64) -> Int64 {
        time < 8 ? time : time + Int64.random(in: -time / 4...time / 4, using: &random)
    }

    /// Does the next step.
    mutating func step(_ session: inout SimulatedSession, at: Int64) {
        guard gate == nil, let step = steps.popLast() else { return }
        switch step {
        case .play(let entry, let parent):
            let block = session.begin(entry, parent: parent, at: at)
            push(entry, block)
        case .grow(let block, let text, _): session.grow(block, by: text, at: at)
        case .finish(let block, let entry):
            session.finish(block, state: entry.finalState, adding: entry.finished, at: at)
        case .gate: break
        }
    }

    private mutating func push(_ entry: Entry, _ block: String) {
        if let gate = entry.gate { return steps.append(.gate(block: block, gate)) }
        var isOpen = entry.takes > 0
        if case .whole = entry.pace {} else { isOpen = true }
        if isOpen { steps.append(.finish(block: block, entry: entry)) }
        steps += entry.children.reversed().map { .play($0, parent: block) }
        switch entry.pace {
        case .whole: break
        case .words(let time):
            steps += words(entry.body).reversed().map { .grow(block: block, text: $0, after: time) }
        case .lines(let time):
            steps += lines(entry.body).reversed().map { .grow(block: block, text: $0, after: time) }
        }
    }

    /// One to four words at a time, as models send them.
    private mutating func words(_ text: String) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var left = Int.random(in: 1...4, using: &random)
        for character in text {
            piece.append(character)
            guard character == " " || character == "\n" else { continue }
            left -= 1
            if left <= 0 {
                pieces.append(piece)
                piece = ""
                left = Int.random(in: 1...4, using: &random)
            }
        }
        if !piece.isEmpty { pieces.append(piece) }
        return pieces
    }

    private func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) + "\n" }
        if let last = lines.popLast(), last != "\n" { lines.append(String(last.dropLast())) }
        return lines
    }

    /// Plays everything up to the end or a gate at once, with the times it would have taken.
    ///
    /// - Returns: the time of the last step, from `start` on.
    mutating func playAll(_ session: inout SimulatedSession, from start: Int64) -> Int64 {
        var time = start
        while let delay = delay() {
            time += delay
            step(&session, at: time)
        }
        return time
    }
}

/// A small generator with a seed: the demonstration is the same every time.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

// Questions that wait for an answer (rules R39, R40, R42-R44). A pure value; `Reply` is whatever wakes the asker.

/// Calls in flight, by request id and ownership token.
package struct PendingCalls<Reply: Sendable>: Sendable {
    /// Proves that a cleanup belongs to the call that it wants to remove.
    package struct Token: Sendable, Hashable {
        fileprivate var number: Int
    }

    /// Why a call cannot begin.
    package enum Refusal: Error, Sendable, Equatable {
        /// A call with this id is in flight (R39).
        case duplicate
        /// `Limits.pendingCalls` are in flight.
        case full
    }

    /// A call that ran out of time.
    package struct Expired: Sendable {
        package var id: String
        /// The socket generation that sent it: the one to be made anew (R43).
        package var generation: Int
        package var reply: Reply
    }

    private struct Call {
        var token: Token
        var generation: Int
        var trace: String
        var deadline: Int64
        var reply: Reply
    }

    private var calls: [String: Call] = [:]
    private var lastToken = 0
    /// Answers that named an unknown id or another trace (W-2).
    package private(set) var strayAnswers = 0

    package init() {}

    package var count: Int { calls.count }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - generation: of the socket that sends it.
    ///   - trace: the trace id that the answer must carry.
    ///   - deadline: monotonic milliseconds.
    package mutating func begin(
        id: String,
        generation: Int,
        trace: String,
        deadline: Int64,
        reply: Reply
    ) throws(Refusal) -> Token {
        guard calls[id] == nil else { throw .duplicate }
        guard calls.count < Limits.pendingCalls else { throw .full }
        lastToken += 1
        let token = Token(number: lastToken)
        calls[id] = Call(token: token, generation: generation, trace: trace, deadline: deadline, reply: reply)
        return token
    }

    /// Takes the call that an answer belongs to: the same id and the same trace, sent on the socket that the answer
    /// came from.
    ///
    /// Anything else leaves it pending and is counted.
    package mutating func answered(id: String, trace: String?, generation: Int) -> Reply? {
        guard let call = calls[id], call.trace == trace, call.generation == generation else {
            strayAnswers += 1
            return nil
        }
        calls[id] = nil
        return call.reply
    }

    /// What waits under an id, left waiting; nil when nothing does.
    package func waiting(id: String) -> Reply? { calls[id]?.reply }

    /// Removes a call for its owner: nil when the id meanwhile belongs to a newer call (R40).
    package mutating func remove(id: String, token: Token) -> Reply? {
        guard let call = calls[id], call.token == token else { return nil }
        calls[id] = nil
        return call.reply
    }

    /// Takes every call that a socket generation sent: it is gone.
    package mutating func fail(generation: Int) -> [Reply] {
        let lost = calls.filter { $0.value.generation == generation }
        for id in lost.keys { calls[id] = nil }
        return lost.values.map(\.reply)
    }

    /// Takes the calls whose time is up, the oldest first.
    package mutating func expired(now: Int64) -> [Expired] {
        let late = calls.filter { $0.value.deadline <= now }.sorted { $0.value.token.number < $1.value.token.number }
        for (id, _) in late { calls[id] = nil }
        return late.map { Expired(id: $0.key, generation: $0.value.generation, reply: $0.value.reply) }
    }

    package var nextDeadline: Int64? { calls.values.map(\.deadline).min() }
}

// Idempotency on the desktop (section 3.4, RD8): a repeated key gets the first answer, addressed anew; at the same time it
// joins the running call; with other params it is a conflict. A pure value with time passed in.
import Wire

package struct AnswerCache: Sendable {
    /// Whom a remembered answer is for.
    package struct Key: Sendable, Hashable {
        package var user: String
        package var client: String
        package var method: String
        package var key: String

        /// Nil for a question without a key.
        package init?(_ request: RPCRequest) {
            guard let key = request.key else { return nil }
            user = request.user ?? ""
            client = request.client ?? ""
            method = request.method
            self.key = key
        }
    }

    /// What to do with a question that has a key.
    package enum Verdict: Sendable, Equatable {
        /// Work on it, then call `finished`.
        case run
        /// The same question is being worked on: it will be answered with it.
        case joined
        /// The answer of the first time.
        case known(Result<[UInt8], RPCError>)
        /// The same key with other params (−32003).
        case conflict
        /// Too many are waiting for the same answer.
        case busy
    }

    private enum State {
        case running(waiting: [RPCRequest])
        case done(Result<[UInt8], RPCError>, at: Int64)
    }

    private struct Entry {
        var params: [UInt8]
        var state: State
        var bytes = 0
    }

    private var entries: [Key: Entry] = [:]
    /// Keys with an answer, the oldest first.
    private var order: [Key] = []
    private var bytes = 0
    private static let mostWaiting = 64

    package init() {}

    package var count: Int { entries.count }

    package mutating func asked(_ request: RPCRequest, key: Key, now: Int64) -> Verdict {
        expire(now: now)
        let digest = Digest.sha256(request.params)
        guard var entry = entries[key] else {
            entries[key] = Entry(params: digest, state: .running(waiting: []))
            return .run
        }
        guard entry.params == digest else { return .conflict }
        switch entry.state {
        case .done(let outcome, _): return .known(outcome)
        case .running(var waiting):
            guard waiting.count < AnswerCache.mostWaiting else { return .busy }
            waiting.append(request)
            entry.state = .running(waiting: waiting)
            entries[key] = entry
            return .joined
        }
    }

    /// The running call ended.
    ///
    /// - Returns: the questions that joined it and get the same answer.
    package mutating func finished(
        key: Key,
        outcome: Result<[UInt8], RPCError>,
        now: Int64
    ) -> [RPCRequest] {
        guard var entry = entries[key], case .running(let waiting) = entry.state else { return [] }
        guard AnswerCache.isRemembered(outcome) else {
            entries[key] = nil
            return waiting
        }
        if case .success(let result) = outcome { entry.bytes = result.count }
        entry.state = .done(outcome, at: now)
        entries[key] = entry
        order.append(key)
        bytes += entry.bytes
        while order.count > Limits.rememberedAnswers || bytes > Limits.rememberedAnswerBytes { dropOldest() }
        return waiting
    }

    private static func isRemembered(_ outcome: Result<[UInt8], RPCError>) -> Bool {
        guard case .failure(let error) = outcome else { return true }
        return [RPCCode.conflict, RPCCode.validation, RPCCode.invalidParams].contains(error.code)
    }

    private mutating func expire(now: Int64) {
        while let oldest = order.first, case .done(_, let at) = entries[oldest]?.state,
            now - at >= Limits.rememberedAnswerMilliseconds
        {
            dropOldest()
        }
    }

    private mutating func dropOldest() {
        let key = order.removeFirst()
        bytes -= entries.removeValue(forKey: key)?.bytes ?? 0
    }
}

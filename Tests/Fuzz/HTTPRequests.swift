// sources: Sources/Web/HTTP/RequestHeadParser.swift Sources/Web/HTTP/FieldRange.swift Sources/Web/HTTP/ByteSink.swift Sources/Web/HTTP/HTTPFields.swift Sources/Web/HTTP/RequestTarget.swift Sources/Web/HTTP/ChunkedDecoder.swift Sources/Web/HTTP/HTTPCharacters.swift Sources/Web/HTTP/HTTPLimits.swift Sources/Web/HTTP/HTTPMethod.swift Sources/Web/HTTP/HTTPRefusal.swift Sources/Web/HTTP/HTTPStatus.swift Sources/Web/HTTP/HTTPDate.swift
// A head that is read whole and one that grows byte by byte must agree; a path leaves its root under no spelling; a chunked
// body gives the same bytes however it is split.

private let limits = HTTPLimits()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
    if data[0] & 1 == 0 { head(bytes) } else { chunks(bytes, pieces: 1 + Int(data[0] >> 1)) }
    _ = HTTPDate.parse(String(decoding: bytes.prefix(40), as: UTF8.self), now: 1_800_000_000)
    return 0
}

private enum Outcome: Equatable {
    case incomplete, found(length: Int, framing: BodyFraming), refused(HTTPRefusal)
}

private func read(_ bytes: [UInt8], _ parser: inout RequestHeadParser) -> Outcome {
    do throws(HTTPRefusal) {
        guard try parser.parse(bytes.span, limits: limits) else { return .incomplete }
        return .found(length: parser.head.length, framing: parser.head.framing)
    } catch {
        return .refused(error)
    }
}

private func head(_ bytes: [UInt8]) {
    var parser = RequestHeadParser()
    let whole = read(bytes, &parser)
    if case .found(let length, _) = whole {
        precondition(length <= bytes.count)
        let method = HTTPMethod(stringLiteral: String(decoding: bytes[parser.head.method], as: UTF8.self))
        if let target = try? RequestTarget(bytes.span, parser.head.target, method: method),
            let path = try? target.normalizedPath(bytes.span)
        {
            precondition(path.first == UInt8(ascii: "/") && !path.contains(0))
            let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
            precondition(
                !parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) },
                "a path leads up"
            )
        }
    }
    // Only short heads: growing is quadratic by its nature.
    guard bytes.count <= 200 else { return }
    for count in 0..<bytes.count {
        var growing = RequestHeadParser()
        switch read(Array(bytes[..<count]), &growing) {
        case .incomplete: continue
        case .found(let length, let framing):
            precondition(whole == .found(length: length, framing: framing), "a part was read as another request")
        case .refused: if case .found = whole { preconditionFailure("a part was refused, the whole was not") }
        }
        return
    }
}

private func chunks(_ bytes: [UInt8], pieces: Int) {
    func decode(_ size: Int) -> (body: [UInt8], isDone: Bool, refusal: HTTPRefusal?) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var pending: [UInt8] = []
        var start = 0
        while start < bytes.count, !decoder.isDone {
            let piece = bytes[start..<min(bytes.count, start + size)]
            start += piece.count
            pending += piece
            do throws(HTTPRefusal) {
                let used = try decoder.decode(pending.span, into: &body, limit: 1 << 16)
                pending.removeFirst(used)
            } catch {
                return (body, false, error)
            }
        }
        return (body, decoder.isDone, nil)
    }
    let whole = decode(max(1, bytes.count)), split = decode(pieces)
    precondition(
        whole.isDone == split.isDone && (whole.refusal == nil) == (split.refusal == nil),
        "the split changes the end"
    )
    precondition(whole.refusal != nil || whole.body == split.body, "the split changes the body")
    precondition(whole.body.count <= 1 << 16)
}

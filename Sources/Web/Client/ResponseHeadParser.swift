// Reads the head of an answer where it lies (RFC 9112 §4 to §6), as strictly as the server reads requests.

struct ResponseHeadParser {
    private(set) var length = 0
    private(set) var status = 0
    private(set) var fields: [FieldRange] = []

    /// Reads one head from the start of `bytes`. Returns false when it is not complete.
    mutating func parse(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> Bool {
        fields = []
        // `HTTP/1.1 200 OK`; the reason may be missing, some servers leave out its space as well.
        guard bytes.count >= 14 else { return false }
        guard equalsIgnoringCase(bytes, 0..<7, "http/1."), bytes[7].isDigit, bytes[8] == 0x20,
            bytes[9].isDigit, bytes[10].isDigit, bytes[11].isDigit
        else { throw .malformedRequestLine }
        status = Int(bytes[9] - 0x30) * 100 + Int(bytes[10] - 0x30) * 10 + Int(bytes[11] - 0x30)
        var position = endOfFieldValue(bytes, from: 12)
        guard position + 1 < bytes.count else { return false }
        guard bytes[position] == 0x0D, bytes[position + 1] == 0x0A, status >= 100 else { throw .malformedRequestLine }
        position += 2
        while position < bytes.count {
            if bytes[position] == 0x0D {
                guard position + 1 < bytes.count else { return false }
                guard bytes[position + 1] == 0x0A else { throw .malformedField }
                length = position + 2
                return true
            }
            guard let field = try FieldRange.read(bytes, &position) else { return false }
            fields.append(field)
        }
        return false
    }

    /// How the body ends (RFC 9112 §6.3); nil for one that ends with the connection.
    static func framing(status: Int, isHead: Bool, _ fields: HTTPFields) throws(HTTPRefusal) -> BodyFraming? {
        if isHead || HTTPStatus.hasNoBody(status) { return BodyFraming.none }
        if let coding = fields.joined("transfer-encoding") {
            guard coding.equalsIgnoringCase("chunked") else { throw .unsupportedTransferCoding }
            return .chunked
        }
        guard let text = fields.joined("content-length") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.isDigit }), let length = Int(text) else {
            throw .malformedLength
        }
        return length == 0 ? BodyFraming.none : .length(length)
    }
}

// Reads a stream of server-sent events on a socket of its own.

import Glibc
import Wire

@Loop final class EventReader {
    private let descriptor: Int32
    private var watch: Watch?
    private(set) var text = ""

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    static func open(port: Int, path: String, cookie: String) async -> EventReader {
        let reader = EventReader(openSocket(port: port))
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n".utf8)
        _ = unsafe write(reader.descriptor, request, request.count)
        _ = fcntl(reader.descriptor, F_SETFL, O_NONBLOCK)
        reader.watch = try? Loop.watch(descriptor: reader.descriptor, for: .readable) { [weak reader] _ in
            reader?.read()
        }
        return reader
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 {
            text += String(decoding: buffer[..<count], as: UTF8.self)
        } else if count == 0 {
            watch?.cancel()
        }
    }

    func waitFor(_ piece: String) async -> Bool { await eventually { self.text.firstRange(of: piece) != nil } }

    func close() async {
        watch?.cancel()
        Glibc.close(descriptor)
    }
}

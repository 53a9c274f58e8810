// `conformance-peer json`: our JSON reader on standard input.
import Glibc
import Web

/// - Returns: the exit code: 0 accepts, 1 refuses.
func checkJSON(echo: Bool) -> Int32 {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { break }
        bytes += buffer[..<count]
    }
    do throws(JSONError) {
        let value = try JSON(parsing: bytes)
        guard echo else { return 0 }
        let output = value.encoded()
        var done = 0
        while done < output.count {
            let count = unsafe output.withUnsafeBytes {
                unsafe write(STDOUT_FILENO, $0.baseAddress.map { unsafe $0 + done }, output.count - done)
            }
            if count < 0 { return 1 }
            done += count
        }
        return 0
    } catch {
        return 1
    }
}

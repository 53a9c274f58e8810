// The three standard streams. Standard output carries only what was asked for; sentences for the person at the terminal go
// to standard error.

import Glibc

/// Writes one sentence to standard error.
func complain(_ sentence: String) {
    StandardOutput.write(Array((sentence + "\n").utf8), to: STDERR_FILENO)
}

enum StandardInput {
    /// The bytes until the end; what was read so far when reading fails.
    static func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var status = stat()
        if unsafe fstat(STDIN_FILENO, &status) == 0, status.st_size > 0 { all.reserveCapacity(Int(status.st_size) + 1) }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }
}

enum StandardOutput {
    /// Writes everything, or as much as the reader takes before it goes away.
    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }
}

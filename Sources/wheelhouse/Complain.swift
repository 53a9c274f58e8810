// Sentences for the person at the terminal go to standard error; standard output carries only what was asked for.

import Glibc

/// Writes one sentence to standard error.
func complain(_ sentence: String) {
    let bytes = Array((sentence + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(STDERR_FILENO, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent)
        }
        guard count > 0 else { return }
        sent += count
    }
}

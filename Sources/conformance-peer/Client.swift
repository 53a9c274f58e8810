// `conformance-peer client`: the echoing client of the Autobahn run.
import Glibc
import Web
import Wire

/// Runs every case of the fuzzing server at `AUTOBAHN_URL`.
///
/// - Returns: the exit code.
@Loop func runEchoClient() async -> Int32 {
    guard let base = environment("AUTOBAHN_URL") else { return 64 }
    let agent = environment("AUTOBAHN_AGENT") ?? "wheelhouse"
    guard let count = await caseCount(base) else { return 1 }
    for number in 0..<count { await echo("\(base)/runCase?case=\(number + 1)&agent=\(agent)") }
    return 0
}

private func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

@Loop private func caseCount(_ base: String) async -> Int? {
    guard let socket = try? await WebSocketClient.connect(url: base + "/getCaseCount") else { return nil }
    var text = ""
    socket.onText = { text = String(decoding: $0, as: UTF8.self) }
    await withCheckedContinuation { closed in
        socket.onClose = { _, _ in closed.resume() }
    }
    return Int(text)
}

@Loop private func echo(_ url: String) async {
    var options = WebSocketOptions()
    options.maxMessage = 17 << 20
    guard let socket = try? await WebSocketClient.connect(url: url, options: options) else { return }
    socket.onText = { [unowned socket] in socket.send(text: $0) }
    socket.onBinary = { [unowned socket] in socket.send(binary: $0) }
    await withCheckedContinuation { closed in
        socket.onClose = { _, _ in closed.resume() }
    }
}

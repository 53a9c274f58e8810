// The bare HTTP and WebSocket peer that conformance suites and load generators talk to (DESIGN.md §11): our network code
// with nothing of the product on it.
import Glibc
import Web
import Wire

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case "serve":
    guard let options = ServeOptions(arguments.dropFirst()) else { usage() }
    Loop.spawn { @Loop in servePeer(options) }
    while true { pause() }
case "client":
    Loop.spawn { @Loop in exit(await runEchoClient()) }
    while true { pause() }
case "json": exit(checkJSON(echo: arguments.contains("--echo")))
default: usage()
}

func usage() -> Never {
    Log.announce(
        """
        usage: conformance-peer serve --port N [--root DIR] [--static DIR] [--tls CERT.pem,KEY.pem] [--short-limits]
               conformance-peer json [--echo] < text
               conformance-peer client
        """
    )
    exit(64)
}

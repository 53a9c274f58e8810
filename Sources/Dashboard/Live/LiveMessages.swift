// What the server says on a live socket (DESIGN §6), encoded. One function per message.

import Markup
import Web

enum Say {
    static func welcome(now: Int64, build: String) -> PreparedMessage {
        message("welcome") { writer in
            writer.member("now", now)
            writer.member("build", build)
        }
    }

    static func pong(now: Int64) -> PreparedMessage { message("pong") { $0.member("now", now) } }

    /// Changes of a view since the version that the page has.
    static func patch(view: String, epoch: String, version: Int, ops: [[UInt8]]) -> PreparedMessage {
        message("patch") { writer in
            writer.member("view", view)
            writer.member("epoch", epoch)
            writer.member("seq", version)
            writer.key("ops")
            writer.beginArray()
            for op in ops { writer.raw(op) }
            writer.endArray()
        }
    }

    /// The newest part of a view, whole.
    static func snapshot(view: String, epoch: String, version: Int, html: HTML, older: HTML) -> PreparedMessage {
        message("patch") { writer in
            writer.member("view", view)
            writer.member("epoch", epoch)
            writer.member("seq", version)
            writer.member("reset", true)
            writer.key("html")
            writer.string(utf8: html.bytes)
            writer.key("older")
            writer.string(utf8: older.bytes)
        }
    }

    static func list(ops: [[UInt8]]) -> PreparedMessage {
        message("list") { writer in
            writer.key("ops")
            writer.beginArray()
            for op in ops { writer.raw(op) }
            writer.endArray()
        }
    }

    static func presence(desktop: String, presence: String, text: String) -> PreparedMessage {
        message("presence") { writer in
            writer.member("desktop", desktop)
            writer.member("presence", presence)
            writer.member("text", text)
        }
    }

    static func result(intent: String, failure: (code: String, message: String)?) -> PreparedMessage {
        message("result") { writer in
            writer.member("intent", intent)
            writer.member("ok", failure == nil)
            if let failure {
                writer.key("error")
                writer.beginObject()
                writer.member("code", failure.code)
                writer.member("message", failure.message)
                writer.endObject()
            }
        }
    }

    static func notice(level: String, text: String, id: String) -> PreparedMessage {
        message("notice") { writer in
            writer.member("level", level)
            writer.member("text", text)
            writer.member("id", id)
        }
    }

    static func reload(build: String, reason: String) -> PreparedMessage {
        message("reload") { writer in
            writer.member("build", build)
            writer.member("reason", reason)
        }
    }

    private static func message(_ type: String, _ body: (inout JSONWriter) -> Void) -> PreparedMessage {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("type", type)
        body(&writer)
        writer.endObject()
        return PreparedMessage(text: writer.bytes)
    }
}

/// One operation on an element of the page.
enum Op {
    static func append(to parent: String, else fallback: String?, html: HTML) -> [UInt8] {
        op("append") { writer in
            writer.member("to", parent)
            writer.member("else", ifPresent: fallback)
            writer.key("html")
            writer.string(utf8: html.bytes)
        }
    }

    static func before(_ id: String, html: HTML) -> [UInt8] { withHTML("before", id, html) }
    static func replace(_ id: String, html: HTML) -> [UInt8] { withHTML("replace", id, html) }
    static func remove(_ id: String) -> [UInt8] { op("remove") { $0.member("id", id) } }

    /// A row that goes to the front of its list.
    static func put(_ id: String, into list: String, html: HTML) -> [UInt8] {
        op("put") { writer in
            writer.member("id", id)
            writer.member("into", list)
            writer.key("html")
            writer.string(utf8: html.bytes)
        }
    }

    private static func withHTML(_ name: String, _ id: String, _ html: HTML) -> [UInt8] {
        op(name) { writer in
            writer.member("id", id)
            writer.key("html")
            writer.string(utf8: html.bytes)
        }
    }

    private static func op(_ name: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("op", name)
        body(&writer)
        writer.endObject()
        return writer.bytes
    }
}

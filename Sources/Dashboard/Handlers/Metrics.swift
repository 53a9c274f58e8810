// `/metrics`: the Prometheus text format, version 0.0.4.

import Desktops
import Store
import Web
import Wire

enum Metrics {
    @Loop static func text(of site: Site) -> String {
        var page = MetricsPage()
        let online = site.hub.desktops.count { $0.presence == .online }
        page.gauge("wheelhouse_desktops", "Known desktops.", site.hub.desktops.count)
        page.gauge("wheelhouse_desktops_online", "Desktops that are online.", online)
        page.gauge("wheelhouse_sessions", "Sessions of all desktops.", site.hub.sessions().count)
        page.gauge("wheelhouse_live_sockets", "Live sockets of tabs and share viewers.", site.views.socketCount)
        page.gauge("wheelhouse_views", "Views with a history.", site.views.feedCount)
        page.gauge("wheelhouse_leases", "Sessions that somebody watches.", site.hub.leases.count)
        page.counter("wheelhouse_patches_total", "Patches of the present views.", site.views.patchesSent)
        page.counter(
            "wheelhouse_slow_sockets_closed_total",
            "Live sockets closed because they read nothing.",
            site.views.slowClosed
        )
        page.gauge("wheelhouse_rendered_blocks", "Rendered blocks in the cache.", site.cache.count)
        page.counter("wheelhouse_render_hits_total", "Blocks found rendered.", site.cache.hits)
        page.counter("wheelhouse_render_misses_total", "Blocks that had to be rendered.", site.cache.misses)
        page.gauge("wheelhouse_database_jobs", "Questions that wait for the database.", site.database.load)
        page.gauge("wheelhouse_worker_backlog", "Jobs that wait for a worker thread.", WorkerPool.shared.backlog)
        let loop = Loop.statistics
        page.counter("wheelhouse_loop_turns_total", "Turns of the loop.", Int(loop.turns))
        page.counter(
            "wheelhouse_loop_busy_microseconds_total",
            "Time that the loop was busy.",
            Int(loop.busyMicroseconds)
        )
        page.gauge(
            "wheelhouse_loop_longest_turn_microseconds",
            "The longest turn of the loop.",
            Int(loop.longestMicroseconds)
        )
        if let server = site.serverCounters?() {
            page.counter("wheelhouse_http_connections_total", "Accepted connections.", server.accepted)
            page.counter("wheelhouse_http_requests_total", "Requests.", server.requests)
            page.counter("wheelhouse_http_websockets_total", "Upgrades to WebSocket.", server.webSockets)
            page.counter("wheelhouse_http_received_bytes_total", "Bytes received.", server.bytesReceived)
            page.counter("wheelhouse_http_sent_bytes_total", "Bytes sent.", server.bytesSent)
            page.counter("wheelhouse_http_timeouts_total", "Connections closed by a time-out.", server.timeouts)
            page.counters(
                "wheelhouse_http_answers_total",
                "Answers by class of status.",
                label: "class",
                (1...5).map { ("\($0)xx", server.answers[$0]) }
            )
        }
        return page.text
    }
}

private struct MetricsPage {
    var text = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Int) { add(name, help, "gauge", [("", value)]) }
    mutating func counter(_ name: String, _ help: String, _ value: Int) { add(name, help, "counter", [("", value)]) }

    mutating func counters(_ name: String, _ help: String, label: String, _ values: [(String, Int)]) {
        add(name, help, "counter", values.map { ("{\(label)=\"\($0.0)\"}", $0.1) })
    }

    private mutating func add(_ name: String, _ help: String, _ type: String, _ values: [(String, Int)]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for (labels, value) in values { text += "\(name)\(labels) \(value)\n" }
    }
}

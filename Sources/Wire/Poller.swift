// Which sockets are ready. Level-triggered epoll with a table indexed by descriptor; the loop calls it once a turn.
import CLinux
import Glibc

/// What a descriptor is ready for, or is watched for.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Both directions are gone, or an error waits. Reported whether it was asked for or not.
    package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// The other end sends no more.
    package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
}

/// One watched descriptor. Its owner cancels it before closing the descriptor.
@Loop package final class Watch {
    package let descriptor: Int32
    /// What is watched for.
    package var events: Readiness { watched }
    private var watched: Readiness
    /// Tells an event for this watch from one for an earlier user of the same descriptor number.
    fileprivate let serial: UInt32
    /// Who is told. Another may take over a watched descriptor, as a WebSocket does from HTTP.
    package var onReady: (@Loop (Readiness) -> Void)? {
        get { body }
        set { if body != nil { body = newValue } }
    }
    fileprivate var body: (@Loop (Readiness) -> Void)?

    fileprivate init(descriptor: Int32, events: Readiness, serial: UInt32, body: @escaping @Loop (Readiness) -> Void) {
        self.descriptor = descriptor
        watched = events
        self.serial = serial
        self.body = body
    }

    /// Watches for other events from now on. Costs a system call only when they differ.
    package func change(to events: Readiness) {
        if events == watched || body == nil { return }
        watched = events
        Loop.poller.modify(self)
    }

    /// Ends the watch: its closure is let go and never called again, not even for an event of this turn.
    package func cancel() {
        if body == nil { return }
        body = nil
        Loop.poller.remove(self)
    }
}

/// The epoll instance and the table of what it watches.
@safe @Loop final class Poller {
    /// Events taken in one system call; more wait for the next turn.
    private static let eventsPerTurn = 256

    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var watches: [Watch?] = []
    private var lastSerial: UInt32 = 0
    private(set) var count = 0

    init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "epoll_create1 failed: \(Errno.current)")
        unsafe events = .allocate(capacity: Self.eventsPerTurn)
    }

    func watch(
        descriptor: Int32,
        for readiness: Readiness,
        _ body: @escaping @Loop (Readiness) -> Void
    ) throws(Errno) -> Watch {
        guard descriptor >= 0 else { throw Errno(code: EBADF) }
        lastSerial &+= 1
        let watch = Watch(descriptor: descriptor, events: readiness, serial: lastSerial, body: body)
        var event = unsafe Self.event(for: watch)
        guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw .current }
        let index = Int(descriptor)
        while watches.count <= index { watches.append(nil) }
        watches[index] = watch
        count += 1
        return watch
    }

    fileprivate func modify(_ watch: Watch) {
        var event = unsafe Self.event(for: watch)
        let result = unsafe epoll_ctl(epoll, EPOLL_CTL_MOD, watch.descriptor, &event)
        assert(result == 0, "a watch outlived its descriptor: \(Errno.current)")
    }

    fileprivate func remove(_ watch: Watch) {
        var event = unsafe epoll_event()
        let result = unsafe epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, &event)
        assert(result == 0, "a watch outlived its descriptor: \(Errno.current)")
        watches[Int(watch.descriptor)] = nil
        count -= 1
    }

    /// Sleeps until something is ready, at most `timeout` milliseconds (-1: for ever). Returns the number of events.
    func wait(timeout: Int32) -> Int {
        Int(max(0, unsafe epoll_wait(epoll, events, Int32(Self.eventsPerTurn), timeout)))
    }

    /// Calls whoever watches the first `count` events. An event whose watch was cancelled since, or whose descriptor
    /// number serves another watch by now, is dropped.
    func dispatch(_ count: Int) {
        for index in 0..<count {
            let event = unsafe events[index]
            let descriptor = unsafe Int(event.data.u64 & 0xFFFF_FFFF)
            let serial = unsafe UInt32(event.data.u64 >> 32)
            guard let watch = watches[descriptor], watch.serial == serial, let body = watch.body else { continue }
            unsafe body(Readiness(rawValue: event.events))
        }
    }

    private static func event(for watch: Watch) -> epoll_event {
        let data = UInt64(watch.serial) << 32 | UInt64(UInt32(bitPattern: watch.descriptor))
        return unsafe epoll_event(events: watch.events.rawValue, data: epoll_data_t(u64: data))
    }
}

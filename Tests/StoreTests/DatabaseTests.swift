import Glibc
import Store
import Testing

@Suite("The data folder and its database", .timeLimit(.minutes(1)))
struct DatabaseTests {
    @Test func `the folder has mode 0700 and every file 0600`() throws {
        let scratch = Scratch()
        let database = try Database(folder: "\(scratch.path)/a/b/")
        try database.set(.baseURL, to: "http://127.0.0.1:8420/")
        #expect(scratch.mode(of: "a/b") == 0o700)
        for name in ["wheelhouse.sqlite", "wheelhouse.sqlite-wal", "wheelhouse.sqlite-shm"] {
            #expect(scratch.mode(of: "a/b/\(name)") == 0o600, "\(name)")
        }
        #expect(database.folder.path == "\(scratch.path)/a/b")
    }

    @Test func `a folder that is a file is refused with code 73, the path and the user`() throws {
        let scratch = Scratch()
        let file = "\(scratch.path)/file"
        close(unsafe open(file, O_CREAT | O_WRONLY, 0o600))
        let error = #expect(throws: StoreError.self) { try Database(folder: file) }
        #expect(error?.exitCode == 73)
        #expect(error?.sentence.contains(file) == true)
        #expect(error?.sentence.contains("user id \(getuid())") == true)
        #expect(error?.sentence.contains("--data DIR") == true)
    }

    @Test func `a folder below a file is refused with code 73`() throws {
        let error = #expect(throws: StoreError.self) { try Database(folder: "/proc/version/data") }
        #expect(error?.exitCode == 73)
    }

    @Test func `a file that is no database is damaged, code 78`() throws {
        let scratch = Scratch()
        let file = unsafe fopen("\(scratch.path)/wheelhouse.sqlite", "w")
        for _ in 0..<200 { unsafe fputs("this is not a database\n", file) }
        unsafe fclose(file)
        let error = #expect(throws: StoreError.self) { try Database(folder: scratch.path) }
        guard case .damaged = error else { Issue.record("got \(String(describing: error))"); return }
        #expect(error?.exitCode == 78)
    }

    @Test func `opening again keeps what was written`() throws {
        let scratch = Scratch()
        do {
            let database = try Database(folder: scratch.path)
            try database.set(.instanceID, to: "one")
        }
        let again = try Database(folder: scratch.path)
        #expect(try again.value(of: .instanceID) == "one")
        #expect(try again.value(of: .instanceID, orKeep: "two") == "one")
        #expect(try again.value(of: .baseURL, orKeep: "http://x/") == "http://x/")
    }

    @Test func `two processes' worth of connections see each other's writes at once`() throws {
        let scratch = Scratch()
        let server = try Database(folder: scratch.path), command = try Database(folder: scratch.path)
        try command.addPairingCode(hash: hash(1), role: .owner, now: 0)
        let result = try server.redeemPairingCode(hash: hash(1), token: hash(2), id: "b", label: "x", now: 1)
        guard case .paired = result else { Issue.record("got \(result)"); return }
    }

    @Test func `a transaction that throws leaves nothing behind`() throws {
        let scratch = Scratch()
        let database = try Database(folder: scratch.path)
        #expect(throws: StoreError.refused("no")) {
            try database.transaction { () throws(StoreError) in
                try database.set(.baseURL, to: "lost")
                throw .refused("no")
            }
        }
        #expect(try database.value(of: .baseURL) == nil)
        try database.set(.baseURL, to: "kept")
        #expect(try database.value(of: .baseURL) == "kept")
    }

    @Test func `a backup made while another connection writes is whole and has mode 0600`() throws {
        let scratch = Scratch()
        let database = try Database(folder: scratch.path + "/data"),
            other = try Database(folder: scratch.path + "/data")
        for number in 0..<200 {
            try database.note(AuditEntry(at: Int64(number), person: "p", action: "a", detail: "\(number)"))
        }
        try other.transaction { () throws(StoreError) in
            try other.note(AuditEntry(at: 1_000, person: "p", action: "unfinished", detail: ""))
            try database.backup(to: "\(scratch.path)/wheelhouse.sqlite")
        }
        #expect(scratch.mode(of: "wheelhouse.sqlite") == 0o600)
        let copy = try Database(folder: scratch.path)
        #expect(try copy.auditLog(limit: 1_000).count == 200)
        #expect(try copy.auditLog(limit: 1).first?.detail == "199")
        // Once more over the old one.
        try database.backup(to: "\(scratch.path)/again.sqlite")
        try database.backup(to: "\(scratch.path)/again.sqlite")
    }

    @Test func `a backup into a folder that is not there is code 73 and leaves no part`() throws {
        let scratch = Scratch()
        let database = try Database(folder: scratch.path)
        let error = #expect(throws: StoreError.self) { try database.backup(to: "\(scratch.path)/no/copy") }
        #expect(error?.exitCode == 73)
    }

    @Test func `what was answered survives a process that dies at once`() async throws {
        let scratch = Scratch()
        let path = scratch.path
        // The child writes, says so by its exit code, and dies without closing anything.
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            let database = try Database(folder: path)
            try database.set(.baseURL, to: "acknowledged")
            _exit(9)
        }
        #expect(try Database(folder: path).value(of: .baseURL) == "acknowledged")
    }

    @Test func `the audit log keeps its newest entries only`() throws {
        let scratch = Scratch()
        let database = try Database(folder: scratch.path)
        try database.transaction { () throws(StoreError) in
            for number in 0..<StoreLimits.auditEntries + 5 {
                try database.note(AuditEntry(at: Int64(number), person: "p", action: "a", detail: ""))
            }
        }
        let log = try database.auditLog(limit: StoreLimits.auditEntries + 100)
        #expect(log.count == StoreLimits.auditEntries)
        #expect(log.last?.at == 5)
    }
}

@Suite("The database thread", .timeLimit(.minutes(1)))
struct DatabaseThreadTests {
    @Test func `answers come back and run on one thread`() async throws {
        let scratch = Scratch()
        let thread = try DatabaseThread(Database(folder: scratch.path))
        let ids = try await withThrowingTaskGroup(of: UInt.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await thread.ask { database throws(StoreError) in
                        try database.note(AuditEntry(at: 0, person: "", action: "", detail: ""))
                        return UInt(pthread_self())
                    }
                }
            }
            return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(!ids.contains(UInt(pthread_self())))
        #expect(try await thread.ask { database throws(StoreError) in try database.auditLog(limit: 999).count } == 200)
        #expect(thread.load == 0)
    }

    @Test func `more than the limit of waiting jobs is refused, and all others are answered`() async throws {
        let scratch = Scratch()
        let thread = try DatabaseThread(Database(folder: scratch.path))
        let gate = Gate()
        let limit = StoreLimits.waitingJobs
        let blocker = Task { try await thread.ask { _ throws(StoreError) in gate.wait() } }
        while thread.load == 0 { await Task.yield() }
        let outcome = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<limit + 20 {
                group.addTask { (try? await thread.ask { _ throws(StoreError) in () }) != nil }
            }
            // Every one is either waiting or refused before the gate opens.
            var refused = 0
            while refused < 21 {
                if await group.next() == false { refused += 1 }
            }
            gate.open()
            var answered = 0
            for await success in group where success { answered += 1 }
            return (refused, answered)
        }
        try await blocker.value
        #expect(outcome == (21, limit - 1))
    }
}

/// A door that one thread waits at.
private final class Gate: Sendable {
    private let ends: (Int32, Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        precondition(unsafe pipe(&pair) == 0)
        ends = (pair[0], pair[1])
    }

    func wait() {
        var byte: UInt8 = 0
        _ = unsafe read(ends.0, &byte, 1)
    }

    func open() {
        var byte: UInt8 = 1
        _ = unsafe write(ends.1, &byte, 1)
    }

    deinit {
        close(ends.0)
        close(ends.1)
    }
}

import Foundation
import Records
import Synchronization
import TestSupport
import Testing

/// The databases that everything is tested with.
enum Backend: String, CaseIterable, Sendable {
    case sqlite, postgres

    /// Those that are installed here.
    static var here: [Backend] { allCases.filter { $0 == .sqlite || PrivatePostgres.isInstalled } }

    /// Runs `body` with a database of its own, which is empty.
    func run(_ body: (StoreLocation) throws -> Void) throws {
        switch self {
        case .sqlite:
            let path = "/tmp/kb-records-\(UUID().uuidString.prefix(8)).sqlite"
            defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
            try body(.sqlite(path: path))
        case .postgres:
            try body(.postgres(url: try PrivatePostgres.shared().database()))
        }
    }
}

extension RecordStore {
    /// The recorder after one that was closed: its lock goes when the server comes to it.
    static func nextRecorder(_ location: StoreLocation, city: String, nowMs: Int64) throws -> RecordStore {
        for _ in 0..<3_000 {
            if let store = try recorder(location, city: city, nowMs: nowMs) { return store }
            usleep(10_000)
        }
        return try #require(try recorder(location, city: city, nowMs: nowMs))
    }
}

/// A PostgreSQL of the tests' own, on a socket; it ends with the process that has asked for it.
final class PrivatePostgres: Sendable {
    struct Failure: Error { let text: String }

    private static let bin = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql"))?
        .compactMap { Int($0) }.max().map { "/usr/lib/postgresql/\($0)/bin" }
    static var isInstalled: Bool { bin != nil }

    private static let started = Mutex<Result<PrivatePostgres, any Error>?>(nil)

    static func shared() throws -> PrivatePostgres {
        try started.withLock { known in
            let result = known ?? Result { try PrivatePostgres() }
            known = result
            return result
        }.get()
    }

    private let directory: String
    private let count = Atomic(0)

    private init() throws {
        directory = "/tmp/kb-postgres-" + UUID().uuidString.prefix(8)
        let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../tools/postgres")
        let (status, output) = try runToEnd(tool.standardized.path, [directory, String(getpid())])
        guard status == 0 else { throw Failure(text: output) }
    }

    /// The URL of a new database. `options` stand at the end of CREATE DATABASE.
    func database(_ options: String = "") throws -> String {
        let name = "test\(count.add(1, ordering: .relaxed).newValue)"
        let main = try StoreLocation.postgres(url: url("postgres")).open(makes: false)
        defer { main.close() }
        try main.script("CREATE DATABASE \(name) \(options)")
        return url(name)
    }

    private func url(_ name: String) -> String { "postgresql://kerbside@/\(name)?host=\(directory)" }
}

extension RecordStore {
    /// Events as the recorder records them.
    func record(
        _ events: [RecordedEvent], gap: Gap? = nil, from: Cursor?, to: Cursor, nowMs: Int64
    ) throws(DatabaseFailure) {
        var prepared = prepare(after: gap.map { [$0] } ?? [])
        for event in events { prepared.add(event) }
        try record(prepared, from: from, to: to, nowMs: nowMs)
    }
}

// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Imports point one way only (Documentation.docc/Contributing.md, "The map"): a target sees what stands above it here.
// C is seen in twelve targets only: EventLoop, WebSocketServer, RedisLink, Tokens, WebPush, GTFS, Records, QRCode, PageFiles, PMTiles,
// HubFiles, KerbsideClientOpenSSL.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// What no message of a client goes through is compiled as it stands, also for release: two thirds of a build on two cores is
/// the optimizer's, most of it on these (decision 85).
let plain = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// Of the client library: here only its tests go through it, as above. In the build of an app, which has it among its check-outs,
/// it is optimised, and a package with unsafe flags could be no dependency.
let embedded = Context.packageDirectory.contains("/checkouts/") ? strict : plain

/// What lies beside the Swift of its capability in Sources/Hub: the Redis functions, in Lua, and the interface as JSON. CHubFiles has them.
let hubFiles = (FileManager.default.subpaths(atPath: Context.packageDirectory + "/Sources/Hub") ?? []).filter {
    $0.hasSuffix(".lua") || $0.hasSuffix(".json")
}

let package = Package(
    name: "Kerbside",
    // Of the client library, which apps embed; the hub runs on Linux.
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "kerbside", targets: ["kerbside"]),
        .library(name: "KerbsideClient", targets: ["KerbsideClient"]),
        .library(name: "KerbsideClientOpenSSL", targets: ["KerbsideClientOpenSSL"]),
    ],
    dependencies: [
        // The command line: sub-commands, typed flags, complete --help.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Log levels and metadata in the field's common form.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Deques of outbound queues.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // YAML with line marks, so that a wrong setting is reported by its line.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        // Latency percentiles of the load clients.
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        // For the tests only: generated code reads what the hub writes in Protocol Buffers, and the other way round.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibuv"),
        .systemLibrary(name: "CLibwebsockets"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CHiredis"),
        // Feeds come as archives from all kinds of archivers (shim.h says why no reader of our own).
        .systemLibrary(name: "CZip"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CLibpq"),
        .systemLibrary(name: "CQRencode"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CCurl"),
        // What is in the program and no Swift, read by the compiler (#embed): Redis functions, pages, the interface as JSON.
        .target(name: "CHubFiles"),
        // What libuv asks the kernel by.
        .target(name: "CTurn"),

        .target(name: "CSV", swiftSettings: strict),
        .target(name: "Wire", swiftSettings: strict),
        .target(name: "WireProtobuf", dependencies: ["Wire"], swiftSettings: strict),
        .target(name: "Domain", dependencies: ["Wire"], swiftSettings: strict),
        .target(
            name: "GTFS",
            dependencies: ["CSV", "CZip", "Domain", "Wire", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict),
        .target(name: "GTFSRealtime", dependencies: ["Domain", "Wire"], swiftSettings: strict),
        .target(name: "Telemetry", swiftSettings: strict),
        .target(name: "HubFiles", dependencies: ["CHubFiles"], swiftSettings: strict),
        .target(name: "PageFiles", dependencies: ["CZlib", "HubFiles", "Settings"], swiftSettings: strict),
        .target(name: "PMTiles", dependencies: ["CZlib"], swiftSettings: strict),
        .target(name: "QRCode", dependencies: ["CQRencode"], swiftSettings: strict),
        .target(
            name: "Settings",
            dependencies: ["Domain", "Wire", .product(name: "Yams", package: "Yams")],
            swiftSettings: plain),
        .target(name: "Tokens", dependencies: ["COpenSSL", "Settings", "Wire"], swiftSettings: strict),
        .target(name: "Records", dependencies: ["CLibpq", "CSQLite", "Settings", "Wire"], swiftSettings: strict),
        .target(name: "EventLoop", dependencies: ["CLibuv", "CTurn"], swiftSettings: strict),
        .target(
            name: "WebSocketServer",
            dependencies: [
                "EventLoop", "CLibwebsockets", "COpenSSL",
                .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .target(name: "WebPush", dependencies: ["CCurl", "COpenSSL", "EventLoop", "Wire"], swiftSettings: strict),
        .target(
            name: "RedisLink",
            dependencies: [
                "EventLoop", "CHiredis", .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .target(
            name: "Hub",
            dependencies: [
                "GTFSRealtime", "Wire", "WireProtobuf", "Domain", "Telemetry", "Settings", "Tokens", "Records",
                "EventLoop", "WebSocketServer", "RedisLink", "QRCode", "PageFiles", "PMTiles", "WebPush", "HubFiles",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            // They are in the program by CHubFiles.
            exclude: hubFiles, swiftSettings: strict),
        .target(
            name: "ClientSupport",
            dependencies: [
                "Wire", "Domain", "EventLoop", .product(name: "Histogram", package: "hdrhistogram-swift"),
            ], swiftSettings: strict),
        .target(
            name: "Replay",
            dependencies: [
                "ClientSupport", "CSV", "Wire", "Domain", "GTFS", "EventLoop", "WebSocketServer", "RedisLink",
            ],
            swiftSettings: plain),
        .target(
            name: "LoadBench",
            dependencies: ["ClientSupport", "Wire", "Domain", "EventLoop", "RedisLink", "WebSocketServer"],
            swiftSettings: strict),
        .executableTarget(
            name: "kerbside",
            dependencies: [
                "CSV", "Domain", "EventLoop", "GTFS", "Hub", "LoadBench", "QRCode", "Records", "Replay", "RedisLink",
                "Settings", "Tokens", "Wire",
                "WebSocketServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: plain),

        // The client library for apps: it sees nothing of the hub.
        .target(name: "KerbsideClient", path: "Sources/clients/swift/KerbsideClient", swiftSettings: embedded),
        // Its WebSocket where Foundation has none.
        .target(
            name: "KerbsideClientOpenSSL", dependencies: ["COpenSSL", "KerbsideClient"],
            path: "Sources/clients/swift/KerbsideClientOpenSSL", swiftSettings: strict),
        // An app on it, for the scenarios of all client libraries.
        .executableTarget(
            name: "swift-client-app", dependencies: ["KerbsideClient", "KerbsideClientOpenSSL"],
            path: "Tests/clients/swift", swiftSettings: plain),

        .testTarget(name: "KerbsideClientTests", dependencies: ["KerbsideClient"], swiftSettings: strict),

        // What the tests of several targets share.
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "CSVTests", dependencies: ["CSV"], swiftSettings: strict),
        .testTarget(name: "WireTests", dependencies: ["Wire"], swiftSettings: strict),
        .testTarget(
            name: "WireProtobufTests",
            dependencies: [
                "Wire", "Domain", "WireProtobuf", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                .product(name: "Yams", package: "Yams"),
            ], swiftSettings: strict),
        .testTarget(name: "DomainTests", dependencies: ["Domain"], swiftSettings: strict),
        .testTarget(name: "GTFSTests", dependencies: ["GTFS", "Domain", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "GTFSRealtimeTests",
            dependencies: [
                "GTFSRealtime", "GTFS", "Domain", "Wire", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ], swiftSettings: strict),
        .testTarget(name: "RecordsTests", dependencies: ["Records", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "WebSocketServerTests", dependencies: ["WebSocketServer", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "RedisLinkTests", dependencies: ["RedisLink", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "PageFilesTests", dependencies: ["PageFiles"], swiftSettings: strict),
        .testTarget(name: "PMTilesTests", dependencies: ["CZlib", "PMTiles"], swiftSettings: strict),
        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry"], swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "TokensTests", dependencies: ["COpenSSL", "Tokens", "Settings", "Wire"], swiftSettings: strict),
        .testTarget(name: "WebPushTests", dependencies: ["WebPush", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "HubTests", dependencies: ["Hub", "PMTiles", "Records", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ReplayTests",
            dependencies: [
                "Replay", "ClientSupport", "Domain", "EventLoop", "GTFS", "RedisLink", "TestSupport", "Wire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LoadBenchTests", dependencies: ["LoadBench", "ClientSupport", "Domain", "Wire"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

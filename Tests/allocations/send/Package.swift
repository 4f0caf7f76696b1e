// swift-tools-version: 6.2
import PackageDescription

// tools/allocations puts this beside links to the targets' sources: built alone, optimised, it takes seconds.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Send",
    dependencies: [.package(path: "swift-collections")],
    targets: [
        .systemLibrary(name: "CLibuv"),
        .systemLibrary(name: "CLibwebsockets"),
        .systemLibrary(name: "COpenSSL"),
        .target(name: "CTurn"),
        .target(name: "EventLoop", dependencies: ["CLibuv", "CTurn"], swiftSettings: strict),
        .target(
            name: "WebSocketServer",
            dependencies: [
                "EventLoop", "CLibwebsockets", "COpenSSL",
                .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .executableTarget(name: "send", dependencies: ["EventLoop", "WebSocketServer"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

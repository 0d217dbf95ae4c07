// swift-tools-version: 6.2

import PackageDescription

/// The settings of every target, the same as in the package meanwhile.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Checklist",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: ["SQLite", "Web"])
        .package(name: "meanwhile", path: "../..", traits: ["SQLite", "Web"]),
        // Persistence and Site depend on these anyway.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ChecklistModel",
            dependencies: [.product(name: "Persistence", package: "meanwhile")],
            swiftSettings: settings),
        .target(
            name: "ChecklistWeb",
            dependencies: [
                "ChecklistModel",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Persistence", package: "meanwhile"),
                .product(name: "Site", package: "meanwhile"),
            ],
            resources: [.embedInCode("Resources")], swiftSettings: settings),
        .executableTarget(
            name: "Checklist",
            dependencies: [
                "ChecklistModel", "ChecklistWeb",
                .product(name: "DurableFiles", package: "meanwhile"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Persistence", package: "meanwhile"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Site", package: "meanwhile"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChecklistModelTests",
            dependencies: ["ChecklistModel", .product(name: "Persistence", package: "meanwhile")],
            swiftSettings: settings),
        .testTarget(
            name: "ChecklistTests",
            dependencies: [
                "Checklist",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Persistence", package: "meanwhile"),
            ],
            swiftSettings: settings),
    ]
)

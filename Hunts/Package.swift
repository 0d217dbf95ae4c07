// swift-tools-version: 6.2

import PackageDescription

// Explorations of packages that people use. A package apart, so that clients of Meanwhile fetch none of these packages.

/// The Swift settings of every target.
let commonSettings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

extension Target {
    /// A test target whose tests explore the given dependencies.
    static func hunts(_ name: String, of dependencies: [Dependency]) -> Target {
        .testTarget(
            name: "\(name)Hunts",
            dependencies: ["HuntSupport", .product(name: "Interleaving", package: "meanwhile")] + dependencies,
            swiftSettings: commonSettings)
    }
}

/// The groups that build unless others are chosen.
let smallGroups: [Target] = [
    .hunts("StandardLibrary", of: []),
    .hunts(
        "OwnLibraries",
        of: [
            .product(name: "Futures", package: "meanwhile"),
            .product(name: "Loading", package: "meanwhile"),
        ]),
    .hunts("KnownBug", of: [.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]),
    .hunts("AsyncAlgorithms", of: [.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]),
]

/// The dependencies of the groups in ``largeGroups``, by the names of their packages.
let largeDependencies: [String: Package.Dependency] = [
    "GRDB.swift": .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    "async-http-client": .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    "hummingbird": .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    "swift-collections": .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    "swift-log": .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    "swift-nio": .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    "swift-nio-extras": .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    "swift-service-lifecycle": .package(
        url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

/// The groups that build only if chosen: `HUNT_GROUPS` in the environment contains their names, separated by spaces.
///
/// For each group, the products that it explores, by the names of their packages.
let largeGroups = [
    "GRDB": [("GRDB.swift", ["GRDB"])],
    "HTTPClient": [
        ("async-http-client", ["AsyncHTTPClient"]),
        ("swift-log", ["Logging"]),
        ("swift-nio", ["NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded", "NIOHTTP1"]),
    ],
    "Hummingbird": [
        ("hummingbird", ["HummingbirdCore"]),
        ("swift-nio", ["NIOCore", "NIOEmbedded"]),
        ("swift-nio-extras", ["NIOHTTPTypes"]),
    ],
    "NIO": [
        ("swift-collections", ["DequeModule"]),
        ("swift-nio", ["NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded"]),
    ],
    "ServiceLifecycle": [
        ("swift-log", ["Logging"]),
        ("swift-service-lifecycle", ["ServiceLifecycle", "ServiceLifecycleTestKit"]),
    ],
]

let chosenGroups = (Context.environment["HUNT_GROUPS"] ?? "").split(separator: " ").map(String.init).sorted()
let chosenPackages = Set(chosenGroups.flatMap { largeGroups[$0, default: []].map { $0.0 } }).sorted()
let chosenTargets = chosenGroups.map { name in
    Target.hunts(
        name,
        of: largeGroups[name, default: []].flatMap { package, products in
            products.map { .product(name: $0, package: package) }
        })
}

let package = Package(
    name: "Hunts",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "meanwhile", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    ] + chosenPackages.compactMap { largeDependencies[$0] },
    targets: [
        .target(
            name: "HuntSupport", dependencies: [.product(name: "Interleaving", package: "meanwhile")],
            swiftSettings: commonSettings)
    ] + (chosenGroups.isEmpty ? smallGroups : chosenTargets)
)

// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that users of the libraries don't resolve its dependencies.
//
// `capture-figures` measures operations that take seconds and run in other processes. `futures-figures` alternates
// between the libraries in each round, and counts allocations by interposing malloc. A framework for micro-benchmarks,
// such as ordo-one/benchmark, measures one library after the other, and reports 0 allocations here.

/// The Swift settings of every target, which are those of the package itself.
let commonSettings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "capture-figures", targets: ["CaptureFigures"]),
        .executable(name: "coffee-figures", targets: ["CoffeeFigures"]),
        .executable(name: "fetching-figures", targets: ["FetchingFigures"]),
        .executable(name: "futures-figures", targets: ["FuturesFigures"]),
        .executable(name: "hello-server", targets: ["HelloServer"]),
        .executable(name: "hop-cost", targets: ["HopCost"]),
        .executable(name: "hop-cost-interposed", targets: ["HopCostInterposed"]),
        .executable(name: "persistence-figures", targets: ["PersistenceFigures"]),
        .executable(name: "samples-figures", targets: ["SamplesFigures"]),
    ],
    dependencies: [
        .package(name: "meanwhile", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .target(name: "CAllocationCount"),
        .target(name: "Figures", swiftSettings: commonSettings),
        .executableTarget(
            name: "FuturesFigures",
            dependencies: [
                "CAllocationCount",
                "Figures",
                .product(name: "Futures", package: "meanwhile"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "CaptureFigures",
            dependencies: [
                "Figures",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Capture", package: "meanwhile"),
                .product(name: "Egress", package: "meanwhile"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "CoffeeFigures",
            dependencies: ["Figures", .product(name: "CoffeeTrackerModel", package: "meanwhile")],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "FetchingFigures",
            dependencies: [
                "Figures",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Egress", package: "meanwhile"),
                .product(name: "HTTPFetching", package: "meanwhile"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "PersistenceFigures",
            dependencies: [
                "Figures",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Persistence", package: "meanwhile"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "SamplesFigures",
            dependencies: [
                "Figures",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HealthSamples", package: "meanwhile"),
                .product(name: "Persistence", package: "meanwhile"),
            ],
            swiftSettings: commonSettings),
        .executableTarget(name: "HopCost", swiftSettings: commonSettings),
        // The same source, but linked with Interleaving.
        .executableTarget(
            name: "HopCostInterposed", dependencies: [.product(name: "Interleaving", package: "meanwhile")],
            swiftSettings: commonSettings + [.define("INTERPOSED")]),
        .executableTarget(
            name: "HelloServer",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")], swiftSettings: commonSettings),
    ],
    swiftLanguageModes: [.v6]
)

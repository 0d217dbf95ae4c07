// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses a library pays for it.
//
// `capture-figures` times operations that take seconds and happen in other processes: its own alternating rounds and medians
// say more of them than a framework for micro-benchmarks, such as ordo-one/benchmark, which counts one process's
// instructions and allocations. That one is for what runs within this process.

/// What every target is compiled with, as in the package itself.
let houseSettings: [SwiftSetting] = [
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
        .executable(name: "hello-server", targets: ["HelloServer"]),
    ],
    dependencies: [
        .package(name: "meanwhile", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .executableTarget(
            name: "CaptureFigures",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Capture", package: "meanwhile"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: houseSettings),
        .executableTarget(
            name: "HelloServer",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")], swiftSettings: houseSettings),
    ],
    swiftLanguageModes: [.v6]
)

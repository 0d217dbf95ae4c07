// swift-tools-version: 6.2

import PackageDescription

// The tree is the architecture; see README.md. Each target lives in the folder that says what it may import,
// and `script/check-imports` holds it to that.

/// Third-party code is tied to a trait, so that whoever adds one library fetches and builds for that one only.
///
/// All traits are on by default: a plain `swift build` here builds everything.
enum Needs {
    static let capture: TargetDependencyCondition? = .when(traits: ["Capture"])
    static let commands: TargetDependencyCondition? = .when(traits: ["Commands"])
    static let web: TargetDependencyCondition? = .when(traits: ["Web"])
}

/// What every target is compiled with.
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

extension Target {
    /// A library of the toolkit: it knows no app and no web server.
    static func toolkit(_ name: String, dependencies: [Dependency] = []) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/Toolkit/\(name)", swiftSettings: houseSettings)
    }

    /// What tests need to run programs.
    static let childProcesses: [Dependency] = [
        .product(name: "Subprocess", package: "swift-subprocess", condition: Needs.capture),
        .product(name: "SystemPackage", package: "swift-system", condition: Needs.capture),
    ]

    /// The tests of the target of that name.
    static func tests(of name: String, dependencies: [Dependency] = [], exclude: [String] = []) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, path: "Tests/\(name)Tests",
            exclude: exclude, swiftSettings: houseSettings)
    }
}

let package = Package(
    name: "meanwhile",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Futures", targets: ["Futures"]),
        .library(name: "Capture", targets: ["Capture"]),
        .executable(name: "meanwhile", targets: ["Meanwhile"]),
    ],
    traits: [
        .default(enabledTraits: ["Capture", "Commands", "Web"]),
        .trait(name: "Capture", description: "The library Capture: runs Chromium."),
        .trait(name: "Commands", description: "The executable `meanwhile`."),
        .trait(name: "Web", description: "What serves HTTP: for now the fixture site that the tests run against."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .toolkit("Futures"),
        .target(name: "CProcessControl", path: "Sources/Toolkit/CProcessControl"),
        .toolkit(
            "Capture",
            dependencies: [
                "CProcessControl",
                "Futures",
                .product(name: "Logging", package: "swift-log", condition: Needs.capture),
                .product(name: "Subprocess", package: "swift-subprocess", condition: Needs.capture),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.capture),
            ]),
        .executableTarget(
            name: "Meanwhile",
            dependencies: [
                "Capture",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: Needs.commands),
                .product(name: "Logging", package: "swift-log", condition: Needs.commands),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: Needs.commands),
            ],
            path: "Sources/Meanwhile", swiftSettings: houseSettings),

        .tests(of: "Futures"),
        .tests(of: "Capture", dependencies: ["FixtureSite", "Futures"] + Target.childProcesses),
        .tests(of: "Meanwhile", dependencies: ["Capture", "FixtureSite"] + Target.childProcesses),
        .target(
            name: "FixtureSite",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird", condition: Needs.web),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.web),
                .product(name: "Logging", package: "swift-log", condition: Needs.web),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.web),
            ],
            path: "Tests/FixtureSite", swiftSettings: houseSettings),
    ],
    swiftLanguageModes: [.v6]
)

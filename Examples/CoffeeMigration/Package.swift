// swift-tools-version: 6.2

import PackageDescription

/// The app's versions in the order of the WWDC21 talk “Swift concurrency: Update a sample app”.
///
/// The diff of two neighbours is one step of the talk.
let callbackSteps = [
    "Step00Callbacks", "Step01Save", "Step02Authorization", "Step03Query", "Step04Let", "Step05MainActor",
    "Step06Group", "Step07Actor", "Step08Nonisolated", "Step09Store", "Step10NoDidSet", "Step11BeforeAwait",
]
/// The steps in the Swift 6 language mode, in which the compiler rejects data races.
///
/// Warnings are errors, except for deprecations: step 12 still calls deprecated shims.
let checkedSteps = ["Step12Model", "Step13Done", "Step14Afterwards"]

let commonDependencies: [Target.Dependency] = [
    "Drinks", "HealthKitFacade", .product(name: "HealthSamples", package: "meanwhile"),
]

/// Settings of the targets that call the early steps: the Swift 6 mode would reject some of these calls as data races.
let driverSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v5),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0418-inferring-sendable-for-methods.md
    .enableUpcomingFeature("InferSendableFromCaptures"),
]

let package = Package(
    name: "CoffeeMigration",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: ["SQLite"])
        .package(name: "meanwhile", path: "../..", traits: ["SQLite"])
    ],
    targets: [
        .target(name: "Drinks", dependencies: [.product(name: "HealthSamples", package: "meanwhile")]),
        .target(name: "HealthKitFacade", dependencies: [.product(name: "HealthSamples", package: "meanwhile")]),
    ]
        + callbackSteps.map {
            .target(name: $0, dependencies: commonDependencies, swiftSettings: [.swiftLanguageMode(.v5)])
        }
        + checkedSteps.map {
            .target(
                name: $0, dependencies: commonDependencies,
                swiftSettings: [
                    .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
                ])
        }
        + [
            .target(name: "Remarks", dependencies: commonDependencies),
            .target(
                name: "AppDriver",
                dependencies: commonDependencies + [.product(name: "Interleaving", package: "meanwhile")]
                    + (callbackSteps + checkedSteps).map { .byName(name: $0) },
                swiftSettings: driverSettings),
            .executableTarget(
                name: "CoffeeMigration",
                dependencies: commonDependencies + ["AppDriver", .product(name: "Interleaving", package: "meanwhile")],
                swiftSettings: driverSettings),
            .testTarget(
                name: "CoffeeMigrationTests",
                dependencies: commonDependencies + [
                    "AppDriver", "CoffeeMigration", "Remarks", "Step12Model",
                    .product(name: "Interleaving", package: "meanwhile"),
                ],
                swiftSettings: driverSettings),
        ]
)

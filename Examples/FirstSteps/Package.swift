// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FirstSteps",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own, list only the traits of the libraries that you use; see docs/libraries.md.
        .package(name: "meanwhile", path: "../..", traits: ["Egress", "SQLite"])
    ],
    targets: [
        .executableTarget(
            name: "FirstSteps",
            dependencies: [
                .product(name: "CoffeeTrackerModel", package: "meanwhile"),
                .product(name: "DurableFiles", package: "meanwhile"),
                .product(name: "Egress", package: "meanwhile"),
                .product(name: "EmojiArtModel", package: "meanwhile"),
                .product(name: "Futures", package: "meanwhile"),
                .product(name: "FuturesFoundation", package: "meanwhile"),
                .product(name: "HealthSamples", package: "meanwhile"),
                .product(name: "ImageInfo", package: "meanwhile"),
                .product(name: "Persistence", package: "meanwhile"),
            ])
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Palettes",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: ["SQLite"])
        .package(name: "meanwhile", path: "../..", traits: ["SQLite"])
    ],
    targets: [
        .executableTarget(
            name: "Palettes",
            dependencies: [.product(name: "Persistence", package: "meanwhile")])
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "WebDataMigration",
    platforms: [.macOS(.v15)],
    targets: [
        .executableTarget(name: "WebDataMigration"),
        .testTarget(name: "WebDataMigrationTests", dependencies: ["WebDataMigration"]),
    ]
)

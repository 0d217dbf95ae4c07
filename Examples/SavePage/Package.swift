// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SavePage",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: ["Capture"])
        .package(name: "meanwhile", path: "../..", traits: ["Capture"]),
        // Serves the demonstration's page. Capture depends on it anyway.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "SavePage",
            dependencies: [
                .product(name: "Capture", package: "meanwhile"),
                .product(name: "Egress", package: "meanwhile"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ])
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Weather",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: [])
        .package(name: "meanwhile", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "Weather",
            dependencies: [.product(name: "Loading", package: "meanwhile")])
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FirstExploration",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: [])
        .package(name: "meanwhile", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "Bank"),
        .testTarget(
            name: "BankTests", dependencies: ["Bank", .product(name: "Interleaving", package: "meanwhile")]),
    ]
)

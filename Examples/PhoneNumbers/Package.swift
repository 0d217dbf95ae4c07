// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "PhoneNumbers",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: [])
        .package(name: "meanwhile", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "PhoneNumbers",
            dependencies: [
                .product(name: "Concurrency", package: "meanwhile"), .product(name: "Futures", package: "meanwhile"),
            ])
    ]
)

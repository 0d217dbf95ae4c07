// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SavePage",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", from: "…", traits: ["Capture"])
        .package(name: "meanwhile", path: "../..", traits: ["Capture"])
    ],
    targets: [
        .executableTarget(
            name: "SavePage",
            dependencies: [.product(name: "Capture", package: "meanwhile")])
    ]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SwiftUIPalettes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        // In a package of your own: .package(url: "…/meanwhile", branch: "main", traits: ["SQLite"])
        .package(name: "meanwhile", path: "../..", traits: ["SQLite"])
    ],
    targets: [
        .executableTarget(
            name: "SwiftUIPalettes",
            dependencies: [
                .product(name: "EmojiArtModel", package: "meanwhile"),
                .product(name: "Persistence", package: "meanwhile"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "SwiftUIPalettesTests",
            dependencies: [
                "SwiftUIPalettes",
                .product(name: "EmojiArtModel", package: "meanwhile"),
                .product(name: "Persistence", package: "meanwhile"),
            ]),
    ]
)

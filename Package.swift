// swift-tools-version: 6.2

import PackageDescription

// Each target is in the folder that determines what it may import; see docs/architecture.md. `script/check-imports`
// enforces that.

/// The trait conditions of third-party dependencies, so that a client of one library fetches and builds only that
/// library's dependencies.
///
/// All traits are enabled by default: a plain `swift build` here builds everything.
enum Needs {
    static let capture: TargetDependencyCondition? = .when(traits: ["Capture"])
    static let commands: TargetDependencyCondition? = .when(traits: ["Commands"])
    /// The dependencies of libraries that write files.
    static let files: TargetDependencyCondition? = .when(traits: ["HTTP", "SQLite"])
    static let egress: TargetDependencyCondition? = .when(traits: ["Egress"])
    static let http: TargetDependencyCondition? = .when(traits: ["HTTP"])
    static let postgreSQL: TargetDependencyCondition? = .when(traits: ["PostgreSQL"])
    static let s3: TargetDependencyCondition? = .when(traits: ["S3"])
    static let sqlite: TargetDependencyCondition? = .when(traits: ["SQLite"])
    static let web: TargetDependencyCondition? = .when(traits: ["Web"])
}

/// The Swift settings of every target.
let commonSettings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

extension Target {
    /// A library of the toolkit, which must not import an app or a web server.
    static func toolkit(
        _ name: String, dependencies: [Dependency] = [], exclude: [String] = [], resources: [Resource] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/Toolkit/\(name)", exclude: exclude,
            resources: resources, swiftSettings: commonSettings)
    }

    /// An app's three targets: the model, the store and the pages.
    ///
    /// The store and the pages depend on the model.
    ///
    /// - Parameters:
    ///   - name: The name of the app and of its folder.
    ///   - model: The model's dependencies. A client that imports only the model enables only the traits of these
    ///     libraries.
    ///   - modelResources: The model's resources.
    ///   - store: The store's dependencies, in addition to the model and GRDB.
    ///   - web: The pages' dependencies, in addition to the model, `Site` and the web server.
    /// - Returns: The targets.
    static func app(
        _ name: String, model: [Dependency], modelResources: [Resource] = [], store: [Dependency], web: [Dependency]
    ) -> [Target] {
        func layer(_ layer: String, _ dependencies: [Dependency], resources: [Resource] = []) -> Target {
            .target(
                name: "\(name)\(layer)", dependencies: dependencies, path: "Sources/Apps/\(name)/\(layer)",
                resources: resources, swiftSettings: commonSettings)
        }
        let ownModel = Dependency.target(name: "\(name)Model")
        return [
            layer("Model", model, resources: modelResources),
            layer("Store", [ownModel, .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite)] + store),
            layer("Web", [ownModel, "Site"] + webServer + web, resources: [.embedInCode("Resources")]),
        ]
    }

    /// The apps' targets.
    static var apps: [Target] {
        app(
            "OfflineLibrary",
            model: [
                "Capture", "Digests", "DurableFiles", "Egress", "Formats", "Futures", "FuturesFoundation", "Loading",
                "Markup", "Persistence",
            ],
            store: ["Capture", "Futures", "Jobs", "Loading", "Persistence"],
            web: ["Capture", "Formats", "Futures", "Loading", "Markup", "Multipart", "Persistence"])
            + [
                // Parses files from untrusted sources: only jobs, commands and tests import it.
                .target(
                    name: "OfflineLibraryReading",
                    dependencies: ["Capture", "ModelJSON", "Multipart", "OfflineLibraryModel"],
                    path: "Sources/Apps/OfflineLibrary/Reading", swiftSettings: commonSettings)
            ]
            + app(
                "EmojiArt",
                model: [
                    "BoardModel", "Digests", "Formats", "Futures", "FuturesFoundation", "ImageInfo", "Loading",
                    "Markup", "Persistence",
                ],
                modelResources: [.embedInCode("Resources")],
                store: ["Digests", "Futures", "Loading", "Persistence"],
                web: [
                    "BoardModule", "Capture", "Digests", "Formats", "Futures", "FuturesFoundation", "ImageInfo",
                    "Loading", "Multipart", "Persistence",
                ])
            + [
                // The rules of boards, in Embedded Swift: for the server, and as WebAssembly for the pages.
                .target(
                    name: "BoardModel", dependencies: ["ModelJSON"], path: "Sources/Apps/EmojiArt/BoardModel",
                    swiftSettings: commonSettings),
                .target(
                    name: "BoardModule", dependencies: ["BoardModel"], path: "Sources/Apps/EmojiArt/BoardModule",
                    swiftSettings: commonSettings, plugins: ["WebAssembly"]),
                // Parses files and pictures from untrusted sources: only jobs, commands and tests import it.
                .target(
                    name: "EmojiArtReading",
                    dependencies: ["EmojiArtModel", "HTTPFetching", "ImageInfo", "Loading", "Multipart"],
                    path: "Sources/Apps/EmojiArt/Reading", swiftSettings: commonSettings),
            ]
            + app(
                "CoffeeTracker",
                model: ["CaffeineModel", "Formats", "Futures", "HealthSamples", "Persistence"],
                store: ["Futures", "HealthSamples", "Persistence"],
                web: [
                    "Accounts", "CaffeineModule", "Digests", "Formats", "Futures", "FuturesFoundation", "HealthSamples",
                    "Markup",
                    "ModelJSON", "Persistence",
                ])
            + [
                // The rules of the caffeine level, in Embedded Swift: for the server, and as WebAssembly for the pages.
                .target(
                    name: "CaffeineModel", dependencies: ["ModelJSON"],
                    path: "Sources/Apps/CoffeeTracker/CaffeineModel", swiftSettings: commonSettings),
                .target(
                    name: "CaffeineModule", dependencies: ["CaffeineModel"],
                    path: "Sources/Apps/CoffeeTracker/CaffeineModule", swiftSettings: commonSettings,
                    plugins: ["WebAssembly"]),
            ]
    }

    /// The web server's modules that pages import.
    static let webServer: [Dependency] = [
        .product(name: "Hummingbird", package: "hummingbird", condition: Needs.web),
        .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.web),
        .product(name: "NIOCore", package: "swift-nio", condition: Needs.web),
    ]

    /// The dependencies of tests that run programs.
    static let childProcesses: [Dependency] = [
        .product(name: "Subprocess", package: "swift-subprocess", condition: Needs.capture),
        .product(name: "SystemPackage", package: "swift-system", condition: Needs.capture),
    ]

    /// The targets whose parsers are fuzzed, with the modules of their parsers' arguments and results.
    static let fuzzed: [Dependency] = [
        "Capture", "CoffeeTrackerModel", "CoffeeTrackerWeb", "Digests", "DurableFiles", "Egress", "EmojiArtModel",
        "EmojiArtReading",
        "EmojiArtWeb",
        "Futures",
        "HTTPFetching",
        "ImageInfo", "Markup", "ModelJSON", "Multipart", "OfflineLibraryModel", "OfflineLibraryReading", "Persistence",
        "Site",
        .product(name: "Crypto", package: "swift-crypto", condition: Needs.http),
        .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.http),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.http),
    ]

    /// The test target of a target.
    static func tests(of name: String, dependencies: [Dependency] = [], exclude: [String] = []) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, path: "Tests/\(name)Tests",
            exclude: exclude, swiftSettings: commonSettings)
    }
}

let package = Package(
    name: "meanwhile",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Futures", targets: ["Futures"]),
        .library(name: "FuturesFoundation", targets: ["FuturesFoundation"]),
        .library(name: "Concurrency", targets: ["Concurrency"]),
        .library(name: "Capture", targets: ["Capture"]),
        .library(name: "CoffeeTrackerModel", targets: ["CoffeeTrackerModel"]),
        .library(name: "DurableFiles", targets: ["DurableFiles"]),
        .library(name: "Egress", targets: ["Egress"]),
        .library(name: "EmojiArtModel", targets: ["EmojiArtModel"]),
        .library(name: "HTTPFetching", targets: ["HTTPFetching"]),
        .library(name: "HealthSamples", targets: ["HealthSamples"]),
        .library(name: "ImageInfo", targets: ["ImageInfo"]),
        .library(name: "Interleaving", targets: ["Interleaving"]),
        .library(name: "Loading", targets: ["Loading"]),
        .library(name: "Persistence", targets: ["Persistence"]),
        .library(name: "Site", targets: ["Site"]),
        .executable(name: "meanwhile", targets: ["Meanwhile"]),
    ],
    traits: [
        .default(enabledTraits: ["Capture", "Commands", "Egress", "HTTP", "PostgreSQL", "S3", "SQLite", "Web"]),
        .trait(name: "Capture", description: "The library Capture: runs Chromium.", enabledTraits: ["Egress"]),
        .trait(name: "Commands", description: "The executable `meanwhile`."),
        .trait(
            name: "Egress",
            description: "The library Egress: decides which addresses a program may connect to; includes a proxy."),
        .trait(
            name: "HTTP", description: "The library HTTPFetching: an HTTP client.",
            enabledTraits: ["Egress"]),
        .trait(
            name: "PostgreSQL", description: "Stores in PostgreSQL; needs libpq.", enabledTraits: ["SQLite"]),
        .trait(name: "S3", description: "Blobs in an S3-compatible store.", enabledTraits: ["SQLite"]),
        .trait(
            name: "SQLite",
            description: "The libraries Persistence, which stores data in SQLite and files, and HealthSamples."),
        .trait(
            name: "Web", description: "The library Site, a web server for apps; and the apps' pages.",
            enabledTraits: ["Egress", "SQLite"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Without its traits, which add a package for configuration by files and variables; it's unused here.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .toolkit("Futures"),
        .toolkit("FuturesFoundation", dependencies: ["Futures"]),
        .toolkit("Concurrency", dependencies: ["Futures", "FuturesFoundation"]),
        .toolkit(
            "Accounts",
            dependencies: [
                "Digests",
                "Futures",
                "FuturesFoundation",
                "Persistence",
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.web),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: Needs.web),
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .toolkit("Digests"),
        .toolkit(
            "DurableFiles",
            dependencies: [
                "FuturesFoundation",
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.files),
            ]),
        .toolkit("Formats"),
        .target(name: "CInterleaving", path: "Sources/Toolkit/CInterleaving"),
        .toolkit("Interleaving", dependencies: ["CInterleaving", "Futures"]),
        .target(name: "CProcessControl", path: "Sources/Toolkit/CProcessControl"),
        .systemLibrary(
            name: "CArchive", path: "Sources/Toolkit/CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/Toolkit/CPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .toolkit(
            "PostgreSQL",
            dependencies: [
                .target(name: "CPostgreSQL", condition: Needs.postgreSQL),
                "Digests",
                "Futures",
                "FuturesFoundation",
                "Persistence",
            ]),
        .target(name: "CZlib", path: "Sources/Toolkit/CZlib", linkerSettings: [.linkedLibrary("z")]),
        .toolkit(
            "Capture",
            dependencies: [
                "CArchive",
                "CProcessControl",
                "CZlib",
                "Digests",
                "Egress",
                "Futures",
                "FuturesFoundation",
                "Markup",
                "ModelJSON",
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.capture),
                .product(name: "Logging", package: "swift-log", condition: Needs.capture),
                .product(name: "Subprocess", package: "swift-subprocess", condition: Needs.capture),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.capture),
            ],
            exclude: ["LICENSE.md", "NOTICE", "README.md"].map { "ThirdParty/Readability/\($0)" },
            resources: [.embedInCode("Resources"), .embedInCode("ThirdParty/Readability/Readability.js")]),
        .toolkit(
            "Egress",
            dependencies: [
                "Digests",
                "Futures",
                "FuturesFoundation",
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.egress),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.egress),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.egress),
            ]),
        .toolkit(
            "HTTPFetching",
            dependencies: [
                "DurableFiles",
                "Egress",
                "Futures",
                "ImageInfo",
                "Loading",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: Needs.http),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.http),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOFoundationCompat", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras", condition: Needs.http),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: Needs.http),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.http),
            ]),
        .toolkit(
            "HealthSamples",
            dependencies: [
                "Digests",
                "Futures",
                "Persistence",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .toolkit(
            "Jobs",
            dependencies: [
                "Futures",
                "Persistence",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
                .product(name: "Logging", package: "swift-log", condition: Needs.sqlite),
            ]),
        .toolkit("ImageInfo"),
        .toolkit("Loading", dependencies: ["Futures"]),
        .toolkit("Markup"),
        .toolkit("ModelJSON"),
        .toolkit("Multipart"),
        .toolkit(
            "OpenIDConnect",
            dependencies: [
                "Digests",
                "Futures",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: Needs.web),
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.web),
                .product(name: "JWTKit", package: "jwt-kit", condition: Needs.web),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOFoundationCompat", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.web),
            ]),
        .toolkit(
            "PrometheusMetrics",
            dependencies: [
                "Futures", .product(name: "CoreMetrics", package: "swift-metrics", condition: Needs.web),
            ]),
        .plugin(name: "WebAssembly", capability: .buildTool()),
        .toolkit(
            "Persistence",
            dependencies: [
                "Digests",
                "DurableFiles",
                "Futures",
                "FuturesFoundation",
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.sqlite),
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.sqlite),
            ]),
        .toolkit(
            "S3",
            dependencies: [
                "Digests",
                "DurableFiles",
                "Futures",
                "Persistence",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: Needs.s3),
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.s3),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.s3),
                .product(name: "NIOFoundationCompat", package: "swift-nio", condition: Needs.s3),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.s3),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.s3),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: Needs.s3),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.s3),
            ]),
        .target(
            name: "Site",
            dependencies: Target.webServer + [
                "Accounts", "Digests", "Egress", "Formats", "Futures", "Markup", "OpenIDConnect", "Persistence",
                "PrometheusMetrics",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: Needs.web),
                .product(name: "Crypto", package: "swift-crypto", condition: Needs.web),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: Needs.web),
                .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: Needs.web),
                .product(name: "Logging", package: "swift-log", condition: Needs.web),
                .product(name: "Mustache", package: "swift-mustache", condition: Needs.web),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras", condition: Needs.web),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: Needs.web),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: Needs.web),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: Needs.web),
            ],
            path: "Sources/Site",
            resources: [.embedInCode("Resources")], swiftSettings: commonSettings),
    ] + Target.apps + [
        .executableTarget(
            name: "Meanwhile",
            dependencies: [
                "Accounts",
                "CProcessControl",
                "Capture",
                "CoffeeTrackerModel",
                "CoffeeTrackerStore",
                "CoffeeTrackerWeb",
                "Digests",
                "DurableFiles",
                "Egress",
                "EmojiArtModel",
                "EmojiArtReading",
                "EmojiArtStore",
                "EmojiArtWeb",
                "Formats",
                "Futures",
                "FuturesFoundation",
                "HTTPFetching",
                "HealthSamples",
                "ImageInfo",
                "Jobs",
                "Loading",
                "OfflineLibraryModel",
                "OfflineLibraryReading",
                "OfflineLibraryStore",
                "OfflineLibraryWeb",
                "OpenIDConnect",
                "Persistence",
                .target(name: "PostgreSQL", condition: Needs.postgreSQL),
                "PrometheusMetrics",
                .target(name: "S3", condition: Needs.s3),
                "Site",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: Needs.commands),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: Needs.commands),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: Needs.commands),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.commands),
                .product(name: "Hummingbird", package: "hummingbird", condition: Needs.commands),
                .product(name: "Logging", package: "swift-log", condition: Needs.commands),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.commands),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.commands),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: Needs.commands),
                .product(name: "Subprocess", package: "swift-subprocess", condition: Needs.commands),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.commands),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: Needs.commands),
            ],
            path: "Sources/Meanwhile", resources: [.embedInCode("Resources")], swiftSettings: commonSettings),

        .tests(of: "Futures", dependencies: ["Interleaving", "StoreTesting", "VirtualTime"]),
        .tests(of: "FuturesFoundation", dependencies: ["Futures", "VirtualTime"]),
        .tests(of: "Concurrency"),
        .tests(of: "Interleaving", dependencies: ["Futures"]),
        .tests(
            of: "Capture",
            dependencies: [
                "CZlib",
                "Egress", "FaultServer", "FixtureSite", "Futures", "Interleaving", "SeededChance", "StoreTesting",
                "VirtualTime",
            ]
                + Target.childProcesses),
        .tests(
            of: "Egress",
            dependencies: [
                "Futures",
                "StoreTesting",
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.egress),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.egress),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.egress),
            ]),
        .tests(
            of: "HTTPFetching",
            dependencies: [
                "Egress",
                "FaultServer",
                "Futures",
                "ImageInfo",
                "Loading",
                "StoreTesting",
                "VirtualTime",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.http),
            ]),
        .tests(
            of: "HealthSamples",
            dependencies: [
                "DamagedDatabase",
                "ForwardingSamples",
                "Futures",
                "Interleaving",
                "Persistence",
                "SeededChance", "ServedPostgreSQL",
                "StoreTesting", "StoreWriter",
                "Strace",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .tests(
            of: "Jobs",
            dependencies: [
                "DamagedDatabase",
                "Futures",
                "Interleaving",
                "MemoryJobs",
                "Persistence",
                "PostgreSQL",
                "SeededChance",
                "ServedPostgreSQL",
                "StoreTesting", "VirtualTime",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .tests(
            of: "PrometheusMetrics",
            dependencies: [.product(name: "CoreMetrics", package: "swift-metrics", condition: Needs.web)]),
        .tests(of: "Digests"),
        .tests(
            of: "DurableFiles",
            dependencies: [.product(name: "SystemPackage", package: "swift-system", condition: Needs.files)]),
        .tests(of: "Formats"),
        .tests(of: "Markup"),
        .tests(of: "ImageInfo", dependencies: ["SeededChance", "StoreTesting"]),
        .tests(
            of: "Loading", dependencies: ["Futures", "Interleaving", "SeededChance", "StoreTesting", "VirtualTime"]),
        .tests(
            of: "Persistence",
            dependencies: [
                "DamagedDatabase",
                "DurableFiles",
                "Futures",
                "Interleaving",
                "PostgreSQL",
                "S3",
                "SeededChance", "ServedPostgreSQL", "ServedS3", "StoreTesting", "StoreWriter",
                "Strace",
                "VirtualTime",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
                .product(name: "SystemPackage", package: "swift-system", condition: Needs.sqlite),
            ]),
        // Moves the data of all stores.
        .testTarget(
            name: "DatabaseMoveTests",
            dependencies: [
                "Accounts", "Capture", "CoffeeTrackerModel", "CoffeeTrackerStore", "EmojiArtModel", "EmojiArtStore",
                "Futures", "HealthSamples", "Jobs", "Loading", "OfflineLibraryModel", "OfflineLibraryStore",
                "Persistence", "PostgreSQL", "ServedPostgreSQL", "StoreTesting",
            ],
            path: "Tests/DatabaseMoveTests", swiftSettings: commonSettings),
        .tests(of: "Accounts", dependencies: ["Persistence", "ServedPostgreSQL", "StoreTesting"]),
        .tests(
            of: "PostgreSQL", dependencies: ["Futures", "Persistence", "ServedPostgreSQL", "StoreTesting"]),
        .tests(
            of: "S3",
            dependencies: [
                "FaultServer", "Futures", "Persistence", "SeededChance", "ServedS3", "StoreTesting", "VirtualTime",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: Needs.s3),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.s3),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.s3),
            ]),
        // A provider whose answers tests control.
        .target(
            name: "FakeProvider",
            dependencies: [
                "FaultServer", "Futures", .product(name: "JWTKit", package: "jwt-kit", condition: Needs.web),
            ], path: "Tests/FakeProvider", swiftSettings: commonSettings),
        .tests(of: "OpenIDConnect", dependencies: ["FakeProvider", "FaultServer", "StoreTesting"]),
        .tests(
            of: "Site",
            dependencies: Target.webServer + [
                "Accounts",
                "Capture",
                "Egress",
                "FakeProvider",
                "FaultServer",
                "Formats",
                "Futures",
                "OpenIDConnect",
                "Persistence",
                "PrometheusMetrics",
                "StoreTesting",
                "VirtualTime",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: Needs.web),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: Needs.web),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: Needs.web),
                .product(name: "Logging", package: "swift-log", condition: Needs.web),
                .product(name: "Mustache", package: "swift-mustache", condition: Needs.web),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: Needs.web),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: Needs.web),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.web),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: Needs.web),
            ]),
        .tests(
            of: "OfflineLibraryModel",
            dependencies: [
                "Capture", "Egress", "Futures", "FuturesFoundation", "Interleaving", "Loading", "MemoryStores",
                "OfflineLibraryReading", "Persistence", "SeededChance", "StoreTesting",
            ]),
        .tests(
            of: "OfflineLibraryStore",
            dependencies: [
                "Capture",
                "Futures",
                "Jobs",
                "Loading",
                "MemoryStores",
                "OfflineLibraryModel", "OfflineLibraryReading",
                "Persistence", "S3", "SeededChance", "ServedPostgreSQL", "ServedS3", "StoreTesting",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .tests(
            of: "EmojiArtModel",
            dependencies: [
                "BoardModel", "BoardTraces", "Digests", "EmojiArtReading", "Futures", "ImageInfo", "Interleaving",
                "Loading",
                "ModelJSON", "Persistence", "RealPictures", "SeededChance", "StoreTesting", "VirtualTime",
            ]),
        .tests(
            of: "EmojiArtStore",
            dependencies: [
                "EmojiArtModel",
                "Futures",
                "MemoryStores",
                "Persistence",
                "SeededChance", "ServedPostgreSQL",
                "StoreTesting", "StoreWriter",
                "Strace",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .tests(
            of: "EmojiArtWeb",
            dependencies: [
                "BoardModel", "BoardTraces", "BrowserDriver", "Capture", "Egress", "EmojiArtModel", "EmojiArtReading",
                "EmojiArtStore", "FaultServer",
                "Futures", "FuturesFoundation", "HTTPFetching", "Loading", "MemoryStores", "Multipart", "Persistence",
                "RealPictures", "SeededChance", "ServedSite", "Site", "StoreTesting", "VirtualTime",
            ] + Target.webServer),
        .tests(
            of: "CoffeeTrackerModel",
            dependencies: [
                "CaffeineModel", "Futures", "HealthSamples", "Interleaving", "MemoryStores", "ModelJSON", "Persistence",
                "SeededChance", "StoreTesting", "VirtualTime",
            ]),
        .tests(
            of: "CoffeeTrackerStore",
            dependencies: [
                "CoffeeTrackerModel",
                "ForwardingSamples",
                "HealthSamples",
                "MemoryStores",
                "Persistence", "ServedPostgreSQL", "StoreTesting",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ]),
        .tests(
            of: "CoffeeTrackerWeb",
            dependencies: [
                "BrowserDriver", "CoffeeTrackerModel", "CoffeeTrackerStore", "Futures", "HealthSamples", "ModelJSON",
                "Persistence", "SeededChance", "ServedSite", "Site", "StoreTesting", "VirtualTime",
            ]),
        .tests(
            of: "Meanwhile",
            dependencies: [
                "Accounts", "BrowserDriver", "Capture", "DurableFiles", "Egress", "EmojiArtModel", "EmojiArtStore",
                "FakeProvider",
                "FixtureSite",
                "Futures", "FuturesFoundation", "Jobs", "MemoryJobs", "OfflineLibraryModel", "OfflineLibraryStore",
                "OpenIDConnect", "Persistence", "PostgreSQL", "S3", "ServedPostgreSQL", "ServedS3", "ServedSite",
                "Site",
                "StoreTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: Needs.commands),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.web),
                .product(name: "Hummingbird", package: "hummingbird", condition: Needs.web),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: Needs.web),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.web),
            ] + Target.childProcesses,
            exclude: ["Backups", "Databases"]),
        .tests(
            of: "OfflineLibraryWeb",
            dependencies: [
                "BrowserDriver", "Capture", "Egress", "FixtureSite", "Formats", "Loading", "OfflineLibraryModel",
                "OfflineLibraryReading",
                "OfflineLibraryStore",
                "Persistence", "ServedSite", "Site", "StoreTesting", "VirtualTime",
            ]),
        .testTarget(
            name: "FuzzingTests", dependencies: Target.fuzzed, path: "Tests/FuzzingTests",
            exclude: ["Corpora", "Fuzzer"], swiftSettings: commonSettings),
        .target(
            name: "VirtualTime", dependencies: ["Futures"], path: "Tests/VirtualTime", swiftSettings: commonSettings),
        .target(
            name: "BoardTraces", dependencies: ["BoardModel", "ModelJSON", "SeededChance"], path: "Tests/BoardTraces",
            swiftSettings: commonSettings),
        .target(
            name: "BrowserDriver", dependencies: ["Capture"], path: "Tests/BrowserDriver",
            swiftSettings: commonSettings),
        .target(
            name: "FaultServer",
            dependencies: [
                "Egress",
                "Futures",
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOPosix", package: "swift-nio", condition: Needs.http),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: Needs.http),
            ],
            path: "Tests/FaultServer", swiftSettings: commonSettings),
        .target(
            name: "ForwardingSamples", dependencies: ["HealthSamples", "Persistence"], path: "Tests/ForwardingSamples",
            swiftSettings: commonSettings),
        .target(name: "RealPictures", path: "Tests/RealPictures", swiftSettings: commonSettings),
        .target(name: "SeededChance", path: "Tests/SeededChance", swiftSettings: commonSettings),
        .target(
            name: "ServedSite",
            dependencies: [
                "Site",
                .product(name: "Logging", package: "swift-log", condition: Needs.web),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: Needs.web),
            ],
            path: "Tests/ServedSite", swiftSettings: commonSettings),
        .target(
            name: "StoreTesting", dependencies: ["Futures"], path: "Tests/StoreTesting", swiftSettings: commonSettings),
        // Writes to a PostgreSQL database whose servers fail.
        .executableTarget(
            name: "ClusterWriter", dependencies: ["Futures", "Jobs", "Persistence", "PostgreSQL"],
            path: "Tests/ClusterWriter", swiftSettings: commonSettings),
        // A PostgreSQL server for tests.
        .target(
            name: "ServedPostgreSQL",
            dependencies: [
                .target(name: "CPostgreSQL", condition: Needs.postgreSQL), "Futures", "Persistence", "PostgreSQL",
                "StoreTesting",
            ],
            path: "Tests/ServedPostgreSQL", swiftSettings: commonSettings),
        // Services that speak S3, for tests.
        .target(
            name: "ServedS3", dependencies: ["Futures", "S3"], path: "Tests/ServedS3", swiftSettings: commonSettings),
        .target(name: "Strace", path: "Tests/Strace", swiftSettings: commonSettings),
        .target(
            name: "DamagedDatabase",
            dependencies: [.product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite)],
            path: "Tests/DamagedDatabase", swiftSettings: commonSettings),
        .executableTarget(
            name: "StoreWriter",
            dependencies: [
                "DurableFiles",
                "EmojiArtModel",
                "EmojiArtStore",
                "HealthSamples",
                "Persistence",
                .product(name: "GRDB", package: "GRDB.swift", condition: Needs.sqlite),
            ],
            path: "Tests/StoreWriter", swiftSettings: commonSettings),
        .target(
            name: "MemoryJobs", dependencies: ["Futures", "Jobs", "Persistence"], path: "Tests/MemoryJobs",
            swiftSettings: commonSettings),
        .target(
            name: "MemoryStores",
            dependencies: [
                "Capture", "CoffeeTrackerModel", "EmojiArtModel", "EmojiArtStore", "Futures", "HealthSamples",
                "Loading",
                "OfflineLibraryModel", "Persistence",
            ],
            path: "Tests/MemoryStores", swiftSettings: commonSettings),
        .target(
            name: "FixtureSite",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird", condition: Needs.web),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: Needs.web),
                .product(name: "Logging", package: "swift-log", condition: Needs.web),
                .product(name: "NIOCore", package: "swift-nio", condition: Needs.web),
            ],
            path: "Tests/FixtureSite", swiftSettings: commonSettings),
    ],
    swiftLanguageModes: [.v6]
)

// `script/test --filter` names the test targets to run, so that only these and their dependencies are built.
if let wanted = Context.environment["MEANWHILE_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}

// `script/fuzz` builds the program Fuzzer, from the same fuzz targets as the tests that replay the corpora. All tests
// are left out. This package's Swift targets are compiled with libFuzzer's counters, and a release build enables
// testing.
if Context.environment["MEANWHILE_FUZZING"] != nil {
    package.targets.removeAll { $0.type == .test }
    for target in package.targets where target.swiftSettings != nil {
        target.swiftSettings = commonSettings + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzzer", dependencies: Target.fuzzed, path: "Tests/FuzzingTests",
            exclude: ["Corpora"], sources: ["Fuzzer", "Targets"],
            swiftSettings: commonSettings + [.unsafeFlags(["-enable-testing", "-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

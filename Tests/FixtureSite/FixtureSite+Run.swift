package import Foundation
import Hummingbird
import Logging
import NIOCore

extension FixtureSite {
    /// Starts a site, runs the body, and stops the site even if the body throws.
    ///
    /// The body runs on the caller's actor. Stopping does not wait for clients: open, stalled and streaming connections
    /// are closed.
    ///
    /// - Parameters:
    ///   - folder: A folder to serve under `/files/`; none when nil.
    ///   - body: What to do while the site answers.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the server could not start.
    package static func run<R>(
        serving folder: URL? = nil, _ body: (FixtureSite) async throws -> R
    ) async throws -> R {
        let journal = Journal()
        let refusing = try RefusingPort()
        let (ports, portFound) = AsyncStream.makeStream(of: Int.self)
        let application = Self.application(
            serving: folder, journal: journal, refusing: refusing, portFound: portFound)

        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A task that waits for a port or a request must not outlive the server.
                defer {
                    portFound.finish()
                    journal.close()
                }
                try await application.run()
            }
            defer { group.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else {
                try Task.checkCancellation()
                try await group.next()
                throw FixtureError("The fixture site ended before it listened.")
            }
            return try await body(FixtureSite(port: port, journal: journal, refusing: refusing))
        }
    }

    /// Starts two sites, each at a port of its own, runs the body with them, and stops them.
    ///
    /// - Parameter body: What to do while both sites answer.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why a server could not start.
    package static func runTwo<R>(_ body: (FixtureSite, FixtureSite) async throws -> R) async throws -> R {
        try await Self.run { first in
            try await Self.run { second in
                try await body(first, second)
            }
        }
    }

    /// Assembles the server.
    private static func application(
        serving folder: URL?, journal: Journal, refusing: RefusingPort, portFound: AsyncStream<Int>.Continuation
    ) -> some ApplicationProtocol {
        let router = Router(context: FixtureContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: JournalMiddleware(journal: journal))
        if let folder {
            router.add(middleware: FileMiddleware(fileProvider: StaticFolder(root: folder), searchForIndexHtml: true))
        }
        Routes(router: router, journal: journal, refusingPort: refusing.number).addAll()
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port {
                    portFound.yield(port)
                }
                portFound.finish()
            },
            logger: Logger(label: "FixtureSite") { _ in SwiftLogNoOpLogHandler() })
    }
}

extension Routes {
    /// Adds every route of the table in ``FixtureSite``.
    fileprivate func addAll() {
        self.addRichPage()
        self.addRichAssets()
        self.addRichFrames()
        self.addLayouts()
        self.addLargePages()
        self.addFrames()
        self.addRedirects()
        self.addFailures()
        self.addDocuments()
        self.addEncodings()
        self.addDialogs()
        self.addPolicies()
        self.addStalls()
        self.addActivity()
        self.addMedia()
        self.addState()
        self.addRecordedPage()
    }
}

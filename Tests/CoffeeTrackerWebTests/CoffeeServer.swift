import BrowserDriver
import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Futures
import HealthSamples
import Persistence
import ServedSite
import Site
import StoreTesting
import VirtualTime

@testable import CoffeeTrackerWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app on a port and with a data folder of its own, in the test process.
struct CoffeeServer: Sendable {
    /// Sunday, 22 November 2026, 14:35 in Vienna.
    static let afternoon = Date(timeIntervalSince1970: 1_795_354_500)

    static let migrations = SQLiteSampleStore.migrations + CoffeeMigrations.all

    let folder: DataFolder
    let site: ServedSite
    let database: AppDatabase
    let documents: OpenDocuments<CoffeeDocument>
    let samples: any SampleStore
    let time: ManualDate
    /// The clock for the updates each minute and the refresh; the test advances it too.
    let clock: ManualClock

    var port: Int { site.port }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw CoffeeError.notFound }
        return url
    }

    /// Starts a server for a folder, on any port if it is 0.
    static func start(
        in folder: DataFolder, at date: Date = afternoon, zone: String = "Europe/Vienna", port: Int = 0,
        wrapping: @escaping @Sendable (CoffeeDataStore) -> any CoffeeStoring = { $0 }
    ) async throws -> CoffeeServer {
        let database = try await AppDatabase.open(in: folder, migrations: migrations)
        let time = ManualDate(date)
        let clock = ManualClock()
        let samples = try await SQLiteSampleStore.open(owner: .local, in: database, now: { time.now })
        let documents = await OpenDocuments<CoffeeDocument> { owner in
            let store = wrapping(CoffeeDataStore(database: database, owner: owner))
            let health = HealthKitController(samples: samples, store: store)
            var configuration = CoffeeData.Configuration()
            configuration.now = { time.now }
            let settings = CoffeeSettings.stored(in: SQLiteStore(database: database, owner: owner), zone: zone)
            let data = CoffeeData(
                owner: owner, store: store, settings: settings, health: health, configuration: configuration)
            return try CoffeeDocument(data: data, health: health, samples: samples, clock: clock)
        }
        let pages = try CoffeePages(documents: documents)
        let site = try await ServedSite.start([CoffeePages.app], port: port) { router, layout in
            pages.addRoutes(to: router, layout: layout)
        }
        return CoffeeServer(
            folder: folder, site: site, database: database, documents: documents, samples: samples, time: time,
            clock: clock)
    }

    /// Shuts the server down as a signal does; its data remains.
    func stop() async throws {
        try await site.stop()
        await documents.shutDown()
        database.close()
    }

    /// Runs the body with a server in a new folder, which is removed afterwards.
    static func run(
        at date: Date = afternoon, zone: String = "Europe/Vienna",
        wrapping: @escaping @Sendable (CoffeeDataStore) -> any CoffeeStoring = { $0 },
        _ body: (CoffeeServer) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "coffee-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try await start(in: try DataFolder.open(at: path), at: date, zone: zone, wrapping: wrapping)
        do {
            try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }
}

extension CoffeeServer {
    /// A time zone in which it is between 12:00 and 13:00 at a date.
    ///
    /// With it, a drink of an hour ago is one of today, whenever the tests run. The names are those of POSIX: `GMT-2` is
    /// two hours ahead.
    static func zoneWithNoon(at date: Date) -> String {
        let hour = Int(date.timeIntervalSince1970) / 3600 % 24
        return hour <= 12 ? "Etc/GMT-\(12 - hour)" : "Etc/GMT+\(hour - 12)"
    }

    /// Runs the body with a server at the browser's time, in a time zone where it is noon.
    static func runNow(_ body: (CoffeeServer) async throws -> Void) async throws {
        let now = Date()
        try await run(at: now, zone: zoneWithNoon(at: now), body)
    }

    /// Runs the body with a server that can be stopped and started again, on the same folder and port.
    ///
    /// Each server starts at the current time, as the browser does, in a time zone where it is noon. The body stops each
    /// server; if it throws, this method stops the last one.
    static func runRestartable(
        _ body: (CoffeeServer, _ restart: () async throws -> CoffeeServer) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "coffee-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder.open(at: path)
        let zone = zoneWithNoon(at: Date())
        let server = try await ServedSite.startAtPortOfItsOwn { port in
            try await start(in: folder, at: Date(), zone: zone, port: port)
        }
        var last = server
        do {
            try await body(server) {
                last = try await start(in: folder, at: Date(), zone: zone, port: server.port)
                return last
            }
        } catch {
            try? await last.stop()
            throw error
        }
    }
}

extension CoffeeServer {
    /// Uses the owner's data, as a tab's form does.
    func use<Value: Sendable>(_ body: @MainActor (CoffeeData) async throws -> Value) async throws -> Value {
        try await documents.use(.local) { try await body($0.data) }
    }

    /// Logs a drink a number of hours ago.
    @discardableResult
    func drink(_ kind: String, hoursAgo: Double = 0, sipping: TimeInterval = 0) async throws -> Drink {
        try await use { data in
            try await data.add(
                try DrinkCatalogue.kind(kind, in: data.kinds), at: data.now - hoursAgo * 3600, sipping: sipping)
        }
    }

    /// Logs drinks while Coffee Tracker may not write to the health store, and waits until it counts them as withheld.
    func withholdDrinks(_ count: Int) async throws {
        let before = try await use { $0.drinks.count }
        for number in 0..<count { try await drink("decaf", hoursAgo: Double(number) / 10) }
        try await eventually("\(before + count) drinks wait") {
            try await use { CoffeeView($0).withheld == before + count }
        }
    }

    /// Advances the wall clock, and the clock that the minute timer and the refresh sleep on.
    func advance(minutes: Double) async {
        await clock.waitForSleepers(2)
        time.set(time.now + minutes * 60)
        clock.advance(by: .seconds(minutes * 60))
    }
}

/// A server's response.
struct Answer: Sendable {
    var status: Int
    var headers: [String: String]
    var text: String
}

extension CoffeeServer {
    /// Requests a path, with optional headers.
    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        var request = URLRequest(url: try url(path))
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return try await ask(request)
    }

    /// Submits a form as a browser without scripts does, and returns the response.
    func post(_ path: String, _ fields: [String: String], prefersJSON: Bool = false) async throws -> Answer {
        var request = URLRequest(url: try url(path))
        request.httpMethod = "POST"
        request.setValue("http://127.0.0.1:\(port)", forHTTPHeaderField: "Origin")
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue(
            prefersJSON ? "application/problem+json, text/html" : "text/html", forHTTPHeaderField: "Accept")
        let allowed = CharacterSet.alphanumerics
        request.httpBody = Data(
            fields.map { name, value in
                "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
            }.joined(separator: "&").utf8)
        return try await ask(request)
    }

    private func ask(_ request: URLRequest) async throws -> Answer {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw CancellationError() }
        let headers = Dictionary(
            response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }, uniquingKeysWith: { $1 })
        return Answer(status: response.statusCode, headers: headers, text: String(decoding: data, as: UTF8.self))
    }
}

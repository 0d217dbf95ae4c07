import Dispatch
import Drinks
import Foundation
import HealthKitFacade
import HealthSamples
import Synchronization

/// The environment of one run of an app: a health store, queues and a file.
final class World: Sendable {
    static let own = SampleSource(identifier: "coffee-tracker", name: "Coffee Tracker")
    static let other = SampleSource(identifier: "bean-diary", name: "Bean Diary")
    static let noon = Date(timeIntervalSince1970: 1_700_000_000)

    let samples: MemorySampleStore
    let healthStore: HealthStore
    let queues: AppQueues
    let file: AppFile
    let journal: Journal

    init(
        _ queues: Queues = .explored, _ samples: MemorySampleStore, isEntitled: Bool, failingQueries: Int,
        file: AppFile, journal: Journal
    ) {
        let failures = Failures(failingQueries)
        self.journal = journal
        self.samples = samples
        self.file = file
        self.healthStore = HealthStore(
            samples, source: Self.own, callbackQueue: queues.callbacks, isEntitled: isEntitled,
            willQuery: { if failures.consumeFailure() { throw DeviceLocked() } })
        self.queues = AppQueues(main: queues.main, background: queues.background)
    }

    /// Creates a world in which the app may read and write, and the other app may write.
    ///
    /// - Parameters:
    ///   - queues: The queues that blocks run on.
    ///   - isAllowed: Whether the app has been granted access; if not, it hasn't asked yet.
    ///   - mayWrite: Whether the app may write; if not, the user has refused that.
    ///   - isAvailable: Whether a health store is available.
    ///   - isEntitled: Whether the app is signed with the entitlement.
    ///   - failingQueries: How many queries fail with ``DeviceLocked`` before one succeeds.
    ///   - file: The file that stores the app's drinks.
    ///   - journal: Collects the lines that the app logs.
    /// - Returns: The world.
    /// - Throws: The error of the sample store.
    static func make(
        _ queues: Queues = .explored, isAllowed: Bool = true, mayWrite: Bool = true, isAvailable: Bool = true,
        isEntitled: Bool = true, failingQueries: Int = 0, file: AppFile = AppFile(), journal: Journal = Journal()
    ) async throws -> World {
        let samples = MemorySampleStore(isAvailable: isAvailable, consent: .always, now: { noon })
        if isAllowed {
            try await samples.grant(.read, to: [.dietaryCaffeine], source: own)
            try await samples.grant(.share, to: [.dietaryCaffeine], source: own)
        }
        if !mayWrite { try await samples.revoke(.share, to: [.dietaryCaffeine], source: own) }
        try await samples.grant(.share, to: [.dietaryCaffeine], source: other)
        return World(
            queues, samples, isEntitled: isEntitled, failingQueries: failingQueries, file: file, journal: journal)
    }

    /// Saves a drink as the other app.
    func saveFromOtherApp(_ milligrams: Double) async throws -> UUID {
        let sample = Sample(
            type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: Self.noon, source: Self.other)
        try await samples.save(sample, by: Self.other)
        return sample.id
    }

    static func drink(_ milligrams: Double) -> Drink {
        Drink(milligrams: milligrams, date: noon)
    }
}

/// The error of a failing query: health data can't be read while the device is locked.
struct DeviceLocked: Error, CustomStringConvertible {
    var description: String { "The device is locked. Unlock it, and load again." }
}

/// Counts down the calls that fail.
private final class Failures: Sendable {
    private let remaining: Mutex<Int>

    init(_ count: Int) {
        self.remaining = Mutex(count)
    }

    /// Returns whether the current call fails.
    func consumeFailure() -> Bool {
        remaining.withLock { remaining in
            defer { remaining = max(0, remaining - 1) }
            return remaining > 0
        }
    }
}

/// The lines that the app has logged.
final class Journal: Sendable {
    private let entries = Mutex<[String]>([])
    private let observer: @Sendable (String) -> Void

    /// Creates an empty journal.
    ///
    /// - Parameter observer: Called with each line, on the thread that logs it.
    init(_ observer: @escaping @Sendable (String) -> Void = { _ in }) {
        self.observer = observer
    }

    var lines: [String] { entries.withLock { $0 } }

    func note(_ line: String) {
        entries.withLock { $0.append(line) }
        observer(line)
    }
}

/// The app's property list in a temporary folder, with injected failures and observers.
///
/// The folder is removed when the file is deallocated.
final class AppFile: DrinkFile {
    struct Full: Error {}

    private let folder: URL
    private let list: PropertyListFile
    private let failures: Failures
    private let willRead: @Sendable () -> Void
    private let willWrite: @Sendable () -> Void

    /// Creates a file; it doesn't exist until the first write.
    ///
    /// - Parameters:
    ///   - failures: How many writes fail before one succeeds.
    ///   - willRead: Called before each read by the app.
    ///   - willWrite: Called before each write.
    init(
        failures: Int = 0, willRead: @escaping @Sendable () -> Void = {},
        willWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.folder = FileManager.default.temporaryDirectory.appendingPathComponent("coffee-\(UUID().uuidString)")
        self.list = PropertyListFile(folder.appendingPathComponent("drinks.plist"))
        self.failures = Failures(failures)
        self.willRead = willRead
        self.willWrite = willWrite
    }

    deinit {
        remove()
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The drinks in the property list; empty if it can't be read.
    var drinks: [Drink] { (try? list.read()) ?? [] }

    func read() throws -> [Drink] {
        willRead()
        return try list.read()
    }

    func write(_ drinks: [Drink]) throws {
        willWrite()
        if failures.consumeFailure() { throw Full() }
        try put(drinks)
    }

    /// Writes drinks as an earlier launch would have left them, without calling an observer.
    func put(_ drinks: [Drink]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try list.write(drinks)
    }
}

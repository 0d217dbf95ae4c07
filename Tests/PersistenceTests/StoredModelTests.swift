import Foundation
import Futures
import Observation
import Testing
import VirtualTime

@testable import Persistence

/// Stored models: classes that change without being set, in arrays, optionals and each other.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredModelTests {
    private let store = FaultyStore()
    private let clock = ManualClock()

    private var settings: AutosaveSettings { AutosaveSettings(delay: .seconds(1), clock: clock) }

    private func boards() -> Stored<[Board]> {
        Stored(
            "boards", in: store, models: StoredFormat("boards"), default: [Board(name: "first", pin: Pin(place: 1))],
            settings: settings)
    }

    private func drafts() -> Stored<[Draft]> {
        Stored(
            "drafts", in: store, models: StoredFormat<[Draft.Content]>("drafts"), snapshot: { $0.map(\.content) },
            restore: { $0.map { Draft($0) } }, default: [Draft(Draft.Content(id: UUID(), text: ""))],
            settings: settings)
    }

    @Test func changeWithinAModelIsWritten() async throws {
        let boards = await boards().load()
        #expect(boards.status.isSaved)
        let id = boards.value[0].id
        boards.value[0].pin?.place = 7
        #expect(boards.status.description == "saving")
        try await boards.flush()
        #expect(boards.status.isSaved)
        // Once more: the models are observed again after each write.
        boards.value[0].name = "renamed"
        #expect(!boards.status.isSaved)
        try await boards.flush()
        let again = await self.boards().load()
        #expect(again.value.map(\.name) == ["renamed"])
        #expect(again.value.map(\.pin?.place) == [7])
        #expect(again.value.map(\.id) == [id])
        #expect(store.commits.count == 2)
    }

    @Test func changesOfLoadedAndAddedModelsAreWritten() async throws {
        do {
            let boards = await boards().load()
            boards.value.append(Board(name: "second", pin: nil))
            try await boards.flush()
        }
        let boards = await boards().load()
        let last = try #require(boards.value.last)
        last.pin = Pin(place: 3)
        #expect(!boards.status.isSaved)
        try await boards.flush()
        // A model that was added later is observed, too.
        last.pin?.place = 4
        #expect(!boards.status.isSaved)
        try await boards.flush()
        #expect(await self.boards().load().value.last?.pin?.place == 4)
    }

    @Test func changeBeforeLoadingIsWritten() async throws {
        do {
            let drafts = await drafts().load()
            drafts.value[0].content.text = "kept"
            try await drafts.flush()
        }
        let drafts = drafts()
        drafts.value[0].content.text = "early"
        try await drafts.flush()
        #expect(drafts.value.map(\.content.text) == ["early"])
        #expect(drafts.reports == [.foreignLost("drafts.conflict-1")])
        #expect(try await store.read("drafts.conflict-1") != nil)
    }

    @Test func onlyObserversOfTheChangedPropertyAreNotified() async throws {
        let boards = await boards().load()
        let board = boards.value[0]
        let isNameObserverNotified = await notifies({ _ = boards.value[0].name }, when: { board.name = "a" })
        #expect(isNameObserverNotified)
        let isArrayObserverNotified = await notifies({ _ = boards.value }, when: { board.name = "b" })
        #expect(!isArrayObserverNotified)
        let isOtherObserverNotified = await notifies({ _ = boards.value[0].name }, when: { board.pin?.place = 9 })
        #expect(!isOtherObserverNotified)
        try await boards.flush()
        // Observers of the status are notified soon after the change, not within it.
        let statusChange = Promise<Void, any Error>()
        withObservationTracking {
            _ = boards.status
        } onChange: {
            statusChange.resolve(())
        }
        board.name = "c"
        #expect(!boards.status.isSaved)
        try await statusChange.future.value
    }

    @Test func modelsWithSnapshotsAreObservedAndWritten() async throws {
        let drafts = await drafts().load()
        drafts.value[0].content.text = "hello"
        #expect(!drafts.status.isSaved)
        try await drafts.flush()
        let again = await self.drafts().load()
        #expect(again.value.map(\.content) == drafts.value.map(\.content))
        // A change that is undone before the write isn't written.
        drafts.value[0].content.text = "another"
        drafts.value[0].content.text = "hello"
        try await drafts.flush()
        #expect(store.commits.count == 1)
        #expect(drafts.status.isSaved)
    }

    @Test func valuesOfOtherWritersBecomeModels() async throws {
        let drafts = await drafts().load()
        let other = await self.drafts().load()
        other.value.append(Draft(Draft.Content(id: UUID(), text: "from elsewhere")))
        try await other.flush()
        await until { drafts.value.last?.content.text == "from elsewhere" }
        // These models are observed, too.
        drafts.value.last?.content.text = "seen"
        try await drafts.flush()
        await until { other.value.last?.content.text == "seen" }
        #expect(drafts.reports.isEmpty && other.reports.isEmpty)
    }

    @Test func unencodableModelFailsTheFlush() async throws {
        let boards = await boards().load()
        boards.value[0].weight = .infinity
        #expect(await code { try await boards.flush() } == .notEncodable)
        #expect(boards.status.failure?.code == .notEncodable)
        boards.value[0].weight = 1
        try await boards.flush()
        #expect(boards.status.isSaved)
    }
}

/// A model that encodes itself.
@Observable private final class Board: Codable {
    let id: UUID
    var name: String
    var pin: Pin?
    var weight = 0.0

    init(name: String, pin: Pin?) {
        self.id = UUID()
        self.name = name
        self.pin = pin
    }

    private enum Key: CodingKey {
        case id
        case name
        case pin
        case weight
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.id = try container.decode(UUID.self, forKey: .id)
        self.name = try container.decode(String.self, forKey: .name)
        self.pin = try container.decodeIfPresent(Pin.self, forKey: .pin)
        self.weight = try container.decode(Double.self, forKey: .weight)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(pin, forKey: .pin)
        try container.encode(weight, forKey: .weight)
    }
}

/// A model within a model.
@Observable private final class Pin: Codable {
    var place: Int

    init(place: Int) {
        self.place = place
    }

    init(from decoder: any Decoder) throws {
        self.place = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(place)
    }
}

/// A model with a snapshot.
@MainActor @Observable private final class Draft {
    struct Content: Codable, Hashable, Sendable {
        var id: UUID
        var text: String
    }

    var content: Content

    init(_ content: Content) {
        self.content = content
    }
}

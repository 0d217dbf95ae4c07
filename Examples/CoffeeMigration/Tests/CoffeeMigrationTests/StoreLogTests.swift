import Testing

@testable import AppDriver

/// Step 9: the store's logger has a category, which each of its lines names.
@Suite(.timeLimit(.minutes(10))) struct StoreLogTests {
    private static let steps = Array(Step.all.dropFirst(9))

    /// Starts an app, and returns it with its log lines about drinks, which only the store writes.
    private func start(_ step: Step, _ file: AppFile) async throws -> (app: App, lines: AsyncStream<String>) {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let journal = Journal { if $0.contains("drinks") { line.yield($0) } }
        return (await step.app(try await World.make(.real, file: file, journal: journal)), lines)
    }

    @Test(arguments: steps) func readingIsLoggedUnderTheStoresCategory(_ step: Step) async throws {
        let file = AppFile()
        try file.put([World.drink(96)])
        let (app, lines) = try await start(step, file)
        await app.finishLaunching()
        #expect(await lines.first { _ in true } == "[CoffeeDataStore] Read drinks: 1.")
    }

    @Test(arguments: steps) func savingAndItsFailureAreLoggedUnderTheStoresCategory(_ step: Step) async throws {
        let (app, lines) = try await start(step, AppFile(failures: 1))
        await app.add(World.drink(96))
        #expect(await lines.first { _ in true } == "[CoffeeDataStore] The drinks could not be saved: Full()")
        await app.add(World.drink(64))
        #expect(await lines.first { _ in true } == "[CoffeeDataStore] Saved drinks: 2.")
    }
}

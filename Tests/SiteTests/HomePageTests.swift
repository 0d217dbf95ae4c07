import Futures
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Persistence
import Testing

@testable import Site

/// Sample data that exists only in a test.
private final class TestSamples: SampleData {
    let summary: String
    private let state = Lock(false)

    init(_ summary: String) { self.summary = summary }

    var isPresent: Bool { state.withLock { $0 } }
    func add() { state.withLock { $0 = true } }
    func remove() { state.withLock { $0 = false } }
}

/// Sample data that takes long to add.
private final class SlowSamples: SampleData {
    let summary = "a page"
    let events = Lock<[String]>([])
    let isAdding = Promise<Void, any Error>()

    var isPresent: Bool { false }

    func add() async {
        events.withLock { $0.append("adding") }
        isAdding.resolve(())
        for _ in 0..<100 { await Task.yield() }
        events.withLock { $0.append("added") }
    }

    func remove() { events.withLock { $0.append("removed") } }
}

private struct TestModule: SiteModule {
    let app: SiteApp?
    let shown: AppOverview?
    private let samples: (any SampleData)?

    func samples(of owner: OwnerID) -> (any SampleData)? { samples }

    init(_ name: String, _ shown: AppOverview?, samples: (any SampleData)? = nil) {
        app = SiteApp(name: name, path: "/\(name.lowercased())/", summary: "Does \(name).")
        self.shown = shown
        self.samples = samples
    }

    func overview(of owner: OwnerID) async throws -> AppOverview? {
        guard let shown else { throw CancellationError() }
        return shown
    }
}

@Suite struct HomePageTests {
    private static let entries = (1...4).map {
        AppOverview.Entry(name: "Page <\($0)>", path: "/one/\($0)", detail: "\($0) parts")
    }

    private func step(_ text: String, isDone: Bool) -> AppOverview.Step {
        AppOverview.Step(text, at: "/one/#new", isDone: isDone)
    }

    private func site(_ modules: [TestModule]) throws -> some ApplicationProtocol {
        let modules = SiteModules(modules)
        return try SiteServer(
            configuration: SiteConfiguration(port: 80, apps: modules.apps), logger: .quiet, home: modules,
            routes: modules.addRoutes
        ).application()
    }

    private func home(_ client: some TestClientProtocol) async throws -> String {
        String(buffer: try await client.execute(uri: "/", method: .get).body)
    }

    @Test func cardShowsWhatAnAppHasNow() async throws {
        let used = AppOverview(status: "4 pages", entries: Self.entries, step: step("Make a page", isDone: true))
        try await site([TestModule("One", used)]).test(.router) { client in
            let page = try await home(client)
            #expect(page.contains(#"<p class="card-status">4 pages</p>"#))
            #expect(page.contains(#"<a href="/one/1" dir="auto">Page &lt;1&gt;</a> <span class="meta">1 parts</span>"#))
            // Three of four, and no summary beside the state.
            #expect(page.contains(#"href="/one/3""#) && !page.contains(#"href="/one/4""#))
            #expect(!page.contains("Does One."))
            #expect(!page.contains("First steps"))
        }
    }

    @Test func firstStepsAreShownUntilAllAreDone() async throws {
        let open = AppOverview(status: nil, step: step("Make a page", isDone: false))
        let done = AppOverview(status: "1 board", step: step("Make a board", isDone: true))
        try await site([TestModule("One", open), TestModule("Two", done)]).test(.router) { client in
            let page = try await home(client)
            #expect(page.contains(#"<a class="step" href="/one/#new">Make a page</a>"#))
            #expect(page.contains(#"Make a board <span class="badge good">Done</span>"#))
            #expect(page.contains("Does One."))
        }
    }

    @Test func appWhoseStateCannotBeReadIsStillListed() async throws {
        try await site([TestModule("One", nil)]).test(.router) { client in
            let page = try await home(client)
            #expect(page.contains(#"<h2><a href="/one/">One</a></h2>"#) && page.contains("Does One."))
        }
    }

    @Test func sampleDataIsAddedAndRemovedForAllApps() async throws {
        let open = AppOverview(status: nil, step: step("Make a page", isDone: false))
        let samples = [TestSamples("a page"), TestSamples("three drinks")]
        let app = try site([TestModule("One", open, samples: samples[0]), TestModule("Two", open, samples: samples[1])])
        try await app.test(.router) { client in
            let before = try await home(client)
            #expect(before.contains("Add sample data: a page, three drinks.") && before.contains("id=\"add-samples\""))
            #expect(!before.contains("remove-samples"))
            let headers: HTTPFields = [.origin: "http://localhost:80"]
            let added = try await client.execute(uri: "/samples", method: .post, headers: headers)
            #expect(added.status == .seeOther && added.headers[.location] == "/")
            #expect(samples.allSatisfy { $0.isPresent })
            let after = try await home(client)
            #expect(after.contains("id=\"remove-samples\"") && !after.contains("add-samples"))
            let removed = try await client.execute(uri: "/samples/remove", method: .post, headers: headers)
            #expect(removed.status == .seeOther)
            #expect(!samples.contains { $0.isPresent })
        }
    }

    @Test func sampleDataIsNotRemovedWhileItIsAdded() async throws {
        let samples = SlowSamples()
        let modules = SiteModules([TestModule("One", nil, samples: samples)])
        async let adding: Void = modules.addSamples(of: .local)
        try await samples.isAdding.future.value
        try await modules.removeSamples(of: .local)
        try await adding
        let events = samples.events.withLock { $0 }
        #expect(events == ["adding", "added", "removed"])
    }

    @Test func sampleDataIsNotOfferedWhenEveryAppIsInUse() async throws {
        let used = AppOverview(status: "4 pages", step: step("Make a page", isDone: true))
        try await site([TestModule("One", used, samples: TestSamples("a page"))]).test(.router) { client in
            let text = try await home(client)
            #expect(!text.contains("sample data"))
        }
    }
}

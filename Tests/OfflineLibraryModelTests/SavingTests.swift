import Capture
import Egress
import Foundation
import Loading
import Observation
import OfflineLibraryModel
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct SavingTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    @Test func newVersionHasTheMarksOfTheLastOne() async throws {
        let first = try await fixture.savePage("https://example.org/a")
        let marks = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "one, two"), note: "A note")
        try await fixture.library.mark(first, marks)
        let second = try await fixture.savePage("https://example.org/a#top")
        #expect(second != first && fixture.library.item(second)?.marks == marks)
        #expect(await fixture.storedPage(second)?.marks == marks)
        let other = try await fixture.savePage("https://example.org/b")
        #expect(fixture.library.item(other)?.marks == PageMarks())
    }

    @Test(arguments: [
        "", "   ", "a b", "hello", "example.org/a page", "\u{1}", "https://" + String(repeating: "a", count: 20_000),
        "http://", "http://example.org:99999/", "javascript:alert(1)", "file:///etc/passwd", "chrome://settings",
        "data:text/html,hello",
    ])
    func invalidAddressIsRefused(_ text: String) async {
        let error = await error { () throws(LibraryError) in try await library.save(text, formats: [.png]) }
        guard case .invalidAddress(let message) = error else {
            Issue.record("\(text.prefix(40)): \(String(describing: error))")
            return
        }
        #expect(!message.isEmpty)
        #expect(library.items.isEmpty)
        #expect(fixture.store.journal.isEmpty)
    }

    @Test func downloadCannotBeRetried() async throws {
        let id = try await library.save("example.org/file.zip", formats: [.png])
        try await fixture.capturer.call().fail(.download, "That is a file to download.")
        let item = await library.waitForItem(id) { $0.state.failureReason != nil }
        #expect(item?.state.failureReason?.canRetry == false)
    }

    @Test func refusedPrivateAddressNamesTheAllowOption() async throws {
        let address = try #require(IPAddress("192.168.1.5"))
        let refusal = try #require(
            #expect(throws: EgressRefusal.self) {
                try AddressPolicy.publicOnly.check(address, host: "nas.local", port: 5000)
            })
        let (id, call) = try await fixture.startSaving("http://nas.local:5000/")
        var error = CaptureError(.addressRefused, refusal.message)
        error.refusal = refusal
        call.fail(error)
        let failure = await library.waitForItem(id) { $0.state.failureReason != nil }?.state.failureReason
        #expect(failure?.code == "addressRefused")
        #expect(failure?.canRetry == true)
        #expect(failure?.message.hasSuffix("start Meanwhile with: script/server --allow nas.local:5000") == true)
    }

    @Test func exceededTimeLimitNamesTheOptionThatAllowsMoreTime() async throws {
        let (id, call) = try await fixture.startSaving()
        var error = CaptureError(.timedOut, "https://example.org wasn't ready within 60 s: it didn't finish loading.")
        error.exceededTimeout = .seconds(60)
        call.fail(error)
        let failure = await library.waitForItem(id) { $0.state.failureReason != nil }?.state.failureReason
        #expect(failure?.canRetry == true)
        #expect(failure?.message.hasSuffix("start Meanwhile with: script/server --capture-timeout 120") == true)
    }

    @Test func savingWithoutAFormatIsRefused() async {
        let error = await error { () throws(LibraryError) in try await library.save("example.org", formats: []) }
        #expect(error == .noFormat)
        #expect(library.items.isEmpty)
    }

    @Test func savedPageIsCapturedAndStored() async throws {
        let (id, call) = try await fixture.startSaving("example.org")
        #expect(library.item(id)?.state.sourceBeingFetched?.url.absoluteString == "https://example.org")
        #expect(call.formats == [.png, .webArchive])
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
        call.succeed(title: "An example")
        let item = await library.waitForItem(id) { $0.state.isFound }
        #expect(item?.state.value?.title == "An example")
        #expect(item?.state.value?.sizes.keys.contains(.thumbnail) == true)
        #expect(await fixture.storedPage(id)?.state == item?.state)
        #expect(try await library.file(.png, of: id).read() == Data("png of An example".utf8))
        #expect(!library.isBusy)
    }

    @Test func identicalConcurrentRequestsShareOneCapture() async throws {
        let gate = fixture.store.hold(.add)
        async let first = library.save("https://example.org", formats: [.png])
        await gate.arrived()
        async let second = library.save(" example.org ", formats: [.png])
        // Other formats make it another request.
        let other = try await library.save("https://example.org", formats: [.png, .pdf])
        gate.open()
        let ids = try await [first, second]
        #expect(ids[0] == ids[1])
        #expect(ids[0] != other)
        #expect(try await library.save("https://example.org", formats: [.png]) == ids[0])
        let calls = try await [fixture.capturer.call(), fixture.capturer.call()]
        #expect(library.items.count == 2)
        #expect(fixture.capturer.callCount == 2)
        for call in calls { call.succeed() }
        await library.waitForItem(ids[0]) { $0.state.isFound }
        #expect(try await library.save("https://example.org", formats: [.png]) != ids[0])
    }

    @Test func concurrentSavesFromManyTabsShareOneCapture() async throws {
        let requests = (0..<20).map { _ in Task { try await library.save("https://example.org", formats: [.png]) } }
        try await fixture.capturer.call().succeed()
        var ids: Set<SavedPage.ID> = []
        for request in requests { ids.insert(try await request.value) }
        #expect(ids.count == 1)
        #expect(library.items.count == 1)
        #expect(fixture.store.journal.count { $0 == .add } == 1)
    }

    @Test func failedAddFailsEveryWaitingSave() async throws {
        let gate = fixture.store.hold(.add)
        let requests = (0..<2).map { _ in
            Task {
                await error { () throws(LibraryError) in
                    try await library.save("https://example.org", formats: [.png])
                }
            }
        }
        await gate.arrived()
        await library.runPendingTasks()
        gate.fail()
        for request in requests { #expect(await request.value == .diskFull) }
        #expect(library.items.isEmpty)
        #expect(fixture.capturer.callCount == 0)
        #expect(fixture.store.journal == [.add])
        _ = try await fixture.startSaving()
    }

    @Test func cancelledWaiterDoesNotCancelTheSave() async throws {
        let gate = fixture.store.hold(.add)
        let first = Task { try await library.save("https://example.org", formats: [.png]) }
        await gate.arrived()
        let second = Task { try await library.save("https://example.org", formats: [.png]) }
        await library.runPendingTasks()
        first.cancel()
        gate.open()
        #expect(try await second.value == first.value)
        try await fixture.capturer.call().succeed()
        await library.waitForItem(try await first.value) { $0.state.isFound }
    }

    @Test func newestPageIsFirst() async throws {
        let addresses = ["https://a.example", "https://b.example", "https://c.example"]
        for address in addresses {
            _ = try await fixture.startSaving(address)
            fixture.time.advance(by: 1)
        }
        #expect(library.items.map(\.request.url.absoluteString) == addresses.reversed())
    }
}

// MARK: - Progress

extension SavingTests {
    @Test func progressIsShownUntilTheCaptureEnds() async throws {
        let (id, call) = try await fixture.startSaving()
        let steps: [CaptureProgress] = [
            .starting, .loading(finished: 0, started: 3, bytes: 0), .loading(finished: 3, started: 3, bytes: 9_000),
            .settling, .rendering(.png), .rendering(.webArchive),
        ]
        for step in steps {
            call.progress(step)
            await library.waitForItem(id) { $0.phase == .capturing(step) }
        }
        let gate = fixture.store.hold(.save)
        call.succeed()
        await gate.arrived()
        await library.waitForItem(id) { $0.phase == .storing }
        gate.open()
        await library.waitForItem(id) { $0.state.isFound }
        #expect(library.item(id)?.phase == nil)
        call.progress(.settling)
        _ = try await fixture.savePage("https://other.example")
        #expect(library.item(id)?.phase == nil)
        #expect(library.item(id)?.state.isFound == true)
    }

    @Test func progressNeverGoesBack() async throws {
        let (id, call) = try await fixture.startSaving()
        let shown = Task {
            var shown: [CapturePhase?] = []
            for await item in Observations({ library.item(id) }) {
                shown.append(item?.phase)
                if item?.state.isFound == true { break }
            }
            return shown
        }
        for number in 1...500 { call.progress(.loading(finished: number, started: 500, bytes: number)) }
        await library.waitForItem(id) { $0.phase == .capturing(.loading(finished: 500, started: 500, bytes: 500)) }
        call.succeed()
        let numbers = await shown.value.map { phase in
            switch phase {
            case nil: 0
            case .capturing(.loading(let finished, _, _)): finished
            case .capturing: -1
            case .storing: 501
            }
        }
        #expect(Array(numbers.dropLast()) == numbers.dropLast().sorted())
        #expect(numbers.last == 0)
    }

    @Test func lateProgressDoesNotReplaceTheStoringPhase() async throws {
        let (id, call) = try await fixture.startSaving()
        let gate = fixture.store.hold(.save)
        call.succeed()
        await gate.arrived()
        await library.waitForItem(id) { $0.phase == .storing }
        call.progress(.settling)
        await library.runPendingTasks()
        #expect(library.item(id)?.phase == .storing)
        gate.open()
        await library.waitForItem(id) { $0.state.isFound }
    }
}

import Futures
import Observation
import StoreTesting
import Testing
import VirtualTime

@testable import Loading

/// Tests exactly which properties notify their observers after which actions.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LoaderObservationTests {
    private let fetches = Fetches()
    private let probes = Probes()
    private let clock = ManualClock()

    private func loader() -> Loader<String, String, Problem> {
        Loader(settings: .exact(clock), probe: probes, fetch: fetches.fetch)
    }

    /// Returns the properties whose observers an action notifies.
    private func notifiedProperties(
        _ loader: Loader<String, String, Problem>, _ action: @MainActor () async -> Void
    ) async -> Set<String> {
        let reads: [(String, @MainActor () -> Void)] = [
            ("state", { _ = loader.state }), ("value", { _ = loader.value }), ("source", { _ = loader.source }),
            ("valueSource", { _ = loader.valueSource }), ("progress", { _ = loader.progress }),
            ("attempt", { _ = loader.attempt }), ("nextRetry", { _ = loader.nextRetry }),
            ("isPaused", { _ = loader.isPaused }), ("lastFailure", { _ = loader.lastFailure }),
        ]
        var flags: [String: Flag] = [:]
        for (name, read) in reads {
            let flag = Flag()
            flags[name] = flag
            withObservationTracking(read) { flag.raise() }
        }
        await action()
        return Set(flags.filter { $0.value.isRaised }.keys)
    }

    private func answer(
        _ number: Int, _ result: Result<String, Problem>, _ loader: Loader<String, String, Problem>
    ) async {
        await fetches.call(number).answer.settle(result)
        _ = try? await loader.settled()
    }

    @Test func startAndValueOfAFetchNotifyTheirObservers() async throws {
        let loader = loader()
        #expect(await notifiedProperties(loader) { loader.load("a") } == ["state", "source", "attempt"])
        let found = await notifiedProperties(loader) { await answer(0, .success("A"), loader) }
        #expect(found == ["state", "value", "valueSource", "attempt"])
    }

    @Test func callsThatChangeNothingNotifyNoObserver() async throws {
        let loader = loader()
        loader.load("a")
        #expect(await notifiedProperties(loader) { loader.load("a") } == [])
        // Fetching again leaves the visible state unchanged.
        #expect(await notifiedProperties(loader) { loader.revalidate() } == [])
        await fetches.call(0).answer.resolve("late")
        await answer(1, .success("A"), loader)
        #expect(await notifiedProperties(loader) { loader.load("a") } == [])
        #expect(await notifiedProperties(loader) { loader.cancel() } == [])
        #expect(await notifiedProperties(loader) { loader.retry() } == [])
    }

    @Test func equalValueNotifiesOnlyStateAndAttempt() async throws {
        let loader = loader()
        loader.load("a")
        await answer(0, .success("A"), loader)
        #expect(await notifiedProperties(loader) { loader.revalidate() } == ["state", "attempt"])
        #expect(await notifiedProperties(loader) { await answer(1, .success("A"), loader) } == ["state", "attempt"])
        loader.revalidate()
        #expect(
            await notifiedProperties(loader) { await answer(2, .success("A2"), loader) } == [
                "state", "value", "attempt",
            ])
    }

    @Test func failureDoesNotNotifyObserversOfTheValue() async throws {
        let loader = loader()
        loader.load("a")
        await answer(0, .success("A"), loader)
        #expect(await notifiedProperties(loader) { loader.load("b") } == ["state", "source", "attempt"])
        #expect(
            await notifiedProperties(loader) { await answer(1, .failure(.broken), loader) } == ["state", "attempt"])
        #expect(await notifiedProperties(loader) { loader.retry() } == ["state", "attempt"])
        #expect(await notifiedProperties(loader) { loader.cancel() } == ["state", "attempt"])
        #expect(await notifiedProperties(loader) { loader.reset() } == ["state", "value", "source", "valueSource"])
        #expect(await notifiedProperties(loader) { loader.reset() } == [])
        await fetches.call(2).answer.resolve("late")
    }

    @Test func progressNotifiesItsObservers() async throws {
        let loader = loader()
        loader.load("a")
        let call = await fetches.call(0)
        let notified = await notifiedProperties(loader) {
            call.report(FetchProgress(received: 1))
            await until { loader.progress != nil }
        }
        #expect(notified == ["progress"])
        let notifiedAtTheEnd = await notifiedProperties(loader) { await answer(0, .success("A"), loader) }
        #expect(notifiedAtTheEnd == ["state", "value", "valueSource", "progress", "attempt"])
    }

    @Test func failedAttemptNotifiesObserversOfTheRetry() async throws {
        let loader = loader()
        loader.load("a")
        let pause = await notifiedProperties(loader) {
            await fetches.call(0).answer.reject(.busy)
            await until { loader.nextRetry != nil }
        }
        #expect(pause == ["nextRetry", "lastFailure"])
        await clock.waitForSleepers(1)
        let next = await notifiedProperties(loader) {
            clock.advance(by: .seconds(1))
            await until { loader.nextRetry == nil }
        }
        #expect(next == ["nextRetry", "attempt"])
        let offline = await notifiedProperties(loader) {
            await fetches.call(1).answer.reject(.offline)
            await until { loader.isPaused }
        }
        #expect(offline == ["isPaused", "lastFailure"])
        await clock.waitForSleepers(1)
        let online = await notifiedProperties(loader) {
            clock.advance(by: .seconds(1))
            await probes.answer(0, true)
            await until { !loader.isPaused }
        }
        #expect(online == ["isPaused"])
    }

    @Test func prefetchNotifiesNoObserver() async throws {
        let loader = loader()
        let notified = await notifiedProperties(loader) {
            loader.prefetch("a")
            await fetches.call(0).answer.resolve("A")
            await eventually { loader.tasks.isEmpty }
        }
        #expect(notified == [])
        #expect(await notifiedProperties(loader) { loader.load("a") } == ["state", "value", "source", "valueSource"])
    }

    @Test func observerMayLoadAnotherSourceDuringItsNotification() async throws {
        let loader = loader()
        withObservationTracking {
            _ = loader.state
        } onChange: {
            MainActor.assumeIsolated { loader.load("b") }
        }
        loader.load("a")
        #expect(loader.state == .fetching("b", previous: nil) && loader.source == "b")
        for number in 0..<2 { await fetches.call(number).answer.resolve("\(number)") }
        _ = try await loader.settled()
        #expect(loader.valueSource == "b")
    }

    @Test func callerIsCancelledWhenAnObserverLoadsAnotherSource() async throws {
        let loader = loader()
        withObservationTracking {
            _ = loader.state
        } onChange: {
            MainActor.assumeIsolated { loader.load("b") }
        }
        await #expect(throws: CancellationError.self) { try await loader.value(of: "a") }
        #expect(loader.source == "b")
        for number in 0..<2 { await fetches.call(number).answer.resolve("\(number)") }
    }

    @Test func observerOfTheStateSeesTheOtherPropertiesUpdated() async throws {
        let loader = loader()
        loader.load("a")
        let seen = Flag()
        withObservationTracking {
            _ = loader.state
        } onChange: {
            MainActor.assumeIsolated { if loader.value == "A", loader.attempt == 0 { seen.raise() } }
        }
        await answer(0, .success("A"), loader)
        #expect(seen.isRaised)
    }
}

import HuntSupport
import Interleaving
import Loading
import Testing

@Suite struct LoaderHunts {
    @Test func newestSourceWins() {
        hunt("Loading: Loader", "the value of the source that was loaded last is shown, and nothing is running then") {
            let running = Log<Int>()
            let loaded = Log<String>()
            let loader = await Self.loader(running)
            let loads = ["a", "b"].map { source in
                Task { @MainActor in
                    loaded.append(source)
                    loader.load(source)
                }
            }
            for load in loads { await load.value }
            let state = try await loader.settled()
            await waitForOtherTasks()
            check(state.value == loaded.elements.last, "loaded \(loaded.elements), found \(state)")
            check(running.elements.reduce(0, +) == 0, "a fetch is running")
        }
    }

    @MainActor
    private static func loader(_ running: Log<Int>) -> Loader<String, String, HuntError> {
        Loader { (source: String, _) async throws(HuntError) -> String in
            running.append(1)
            await Task.yield()
            running.append(-1)
            return source
        }
    }
}

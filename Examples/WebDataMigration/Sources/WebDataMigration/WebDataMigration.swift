import Foundation

/// Runs each step of the migration with two overlapping calls, and with a page that can't be loaded.
@main @MainActor
enum WebDataMigration {
    static func main() async {
        await completionHandler()
        await continuation()
        await viewForEachCall()
        await cancellation()
    }

    private static func text(_ result: Result<Data, any Error>) -> String {
        switch result {
        case .success(let data): String(decoding: data, as: UTF8.self)
        case .failure(let error): "error: \(error)"
        }
    }

    private static func completionHandler() async {
        print("Step 1: a completion handler")
        let manager = CallbackWebDataManager()
        manager.createData(address: "a.example", type: .pdf) { print("  alone: \(text($0))") }
        await manager.webView.waitUntilIdle()
        manager.createData(address: "a.example/missing", type: .pdf) { print("  \(text($0))") }
        await manager.webView.waitUntilIdle()
        var results = 0
        manager.createData(address: "a.example", type: .snapshot) { _ in results += 1 }
        manager.createData(address: "b.example", type: .pdf) {
            results += 1
            print("  second of two: \(text($0))")
        }
        await manager.webView.waitUntilIdle()
        print("  results of two calls: \(results). The first caller never gets one.")
    }

    private static func continuation() async {
        print("Step 2: a stored continuation")
        let manager = ContinuationWebDataManager()
        var results = 0
        // Never ends; the program ends without it.
        Task {
            _ = try await manager.createData(address: "a.example", type: .snapshot)
            results += 1
        }
        await Task.yield()
        let second = Task { try await manager.createData(address: "b.example", type: .pdf) }
        print("  second of two: \(text(await second.result))")
        results += 1
        await manager.webView.waitUntilIdle()
        print("  results of two calls: \(results). The first task waits forever.")
    }

    private static func viewForEachCall() async {
        print("Step 3: a web view for each call")
        let manager = WebDataManager()
        let first = Task { try await manager.createData(address: "a.example", type: .snapshot) }
        let second = Task { try await manager.createData(address: "b.example", type: .pdf) }
        print("  first of two: \(text(await first.result))")
        print("  second of two: \(text(await second.result))")
        let failing = Task { try await manager.createData(address: "a.example/missing", type: .webArchive) }
        print("  \(text(await failing.result))")
    }

    private static func cancellation() async {
        print("Step 4: cancellation")
        let manager = WebDataManager()
        let task = Task { try await manager.createData(address: "slow.example", type: .pdf) }
        await Task.yield()
        task.cancel()
        switch await task.result {
        case .success: print("  data")
        case .failure(let error): print("  cancelled: \(error is CancellationError)")
        }
        print("  stopped: \(WebView.stopped.joined(separator: ", "))")
    }
}

import Foundation
import Futures

// Determines when a page is at rest.
//
// A page is at rest half a second after it has loaded. It needn't wait that long if nothing is due on it within half a
// second, or if it is watched while it's rendered.

extension PageTab {
    /// What is known of a page that seems to be at rest, before it is rendered.
    struct Rest: Sendable {
        /// Whether nothing is due on the page.
        var isQuiet: Bool
        /// Whether the page is watched for changes.
        var isWatched: Bool
        /// The number of requests so far.
        var requests: Int
    }

    /// The time after which a page that wasn't quiet is asked again.
    private static let quietInterval = Duration.milliseconds(100)

    /// Determines whether the page can be rendered before it has rested for half a second; returns `nil` if not.
    func provisionalRest() async throws(CaptureError) -> Rest? {
        let requests = load.started
        guard load.openRequests.isEmpty else { return nil }
        // The stripes of a tall page change its elements.
        let isStriped = try await contentSize().height > Double(tallestWindow)
        let isWatched = isStriped ? false : try await evaluate(PageScripts.watch, as: Bool.self)
        let isQuiet = try await isQuiet()
        return isQuiet || isWatched ? Rest(isQuiet: isQuiet, isWatched: isWatched, requests: requests) : nil
    }

    /// Waits until the page has rested; returns whether it hasn't changed since ``provisionalRest()``.
    func wasAtRest(_ rest: Rest?) async throws(CaptureError) -> Bool {
        try checkAlive()
        guard let rest else { return true }
        if !rest.isQuiet, try await waitForRest() == .settleLimit { return false }
        guard load.started == rest.requests else { return false }
        return rest.isWatched ? try await !evaluate(PageScripts.hasChanged, as: Bool.self) : true
    }

    /// Waits until the page is ready, or nothing is due on it.
    func waitForRest() async throws(CaptureError) -> PageCapture.Readiness {
        while true {
            if let readiness = try await readiness(while: { !load.isLoaded || !load.openRequests.isEmpty }) {
                return readiness
            }
            if try await isQuiet() { return .atRest }
            if let readiness = try await readiness(until: stopwatch.elapsed + Self.quietInterval) { return readiness }
        }
    }

    /// Whether nothing is due in any frame of the page within half a second.
    ///
    /// A page with cross-site frames always rests: other processes draw them, and on a busy machine they are on the
    /// screen later than this one knows.
    private func isQuiet() async throws(CaptureError) -> Bool {
        guard frameSessions.isEmpty else { return false }
        let script = PageScripts.isQuiet(event: restEvent)
        guard try await evaluate(script, as: Bool.self) else { return false }
        let frames = try await frames().filter { $0 != mainFrame }
        guard frames.count < options.limits.frames else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            for frame in frames {
                group.addTask {
                    // A frame that no longer exists or doesn't respond may have changed.
                    let isQuiet = try? await self.evaluate(
                        script, as: Bool.self, frame: frame, deadline: Self.frameLimit)
                    return isQuiet ?? false
                }
            }
            var areQuiet = true
            for await isQuiet in group where !isQuiet { areQuiet = false }
            return areQuiet
        }
    }

    /// All frames that aren't cross-site.
    private func frames() async throws(CaptureError) -> [String] {
        var (frames, trees) = ([String](), [try await send(DevTools.Page.GetFrameTree()).frameTree])
        while let tree = trees.popLast() {
            frames.append(tree.frame.id)
            trees += tree.childFrames ?? []
        }
        return frames
    }
}

import Figures
import Foundation
import Subprocess
import SystemPackage

/// `chromium --headless --screenshot`, measured from the start of the process to its exit.
///
/// It captures only the window, which has its default size unless another one is given.
struct HeadlessScreenshot {
    private let account: UnprivilegedAccount
    private let chromium: String

    init(chromium: String) throws {
        self.account = try UnprivilegedAccount()
        self.chromium = chromium
    }

    func remove() {
        account.remove()
    }

    /// Takes a screenshot.
    ///
    /// - Parameters:
    ///   - url: The page.
    ///   - isFirst: Whether to start with a new profile, as on a new machine. Otherwise the profile is reused, as a
    ///     user's own would be.
    ///   - window: The window's size in CSS pixels.
    /// - Returns: The duration in milliseconds.
    /// - Throws: An error if Chromium doesn't take the screenshot.
    func time(of url: URL, isFirst: Bool, window: (width: Int, height: Int)? = nil) async throws -> Double {
        let picture = account.folder.appending("picture.png").string
        let profile = account.folder.appending(isFirst ? "new-profile" : "profile").string
        try? FileManager.default.removeItem(atPath: picture)
        let size = window.map { ["--window-size=\($0.width),\($0.height)"] } ?? []
        let command = account.command(
            chromium,
            ["--headless", "--screenshot=\(picture)", "--user-data-dir=\(profile)"] + size + [url.absoluteString])
        let start = ContinuousClock.now
        let result = try await run(command, output: .discarded, error: .discarded)
        let milliseconds = (ContinuousClock.now - start).milliseconds
        guard result.terminationStatus.isSuccess, FileManager.default.fileExists(atPath: picture) else {
            throw MeasurementError("chromium --headless --screenshot made no picture.")
        }
        if isFirst { try? FileManager.default.removeItem(atPath: profile) }
        return milliseconds
    }
}

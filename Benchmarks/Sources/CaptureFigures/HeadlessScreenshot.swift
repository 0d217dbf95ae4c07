import Figures
import Foundation
import Subprocess
import SystemPackage

/// `chromium --headless --screenshot` as a whole process, from its start to its end.
///
/// Its picture is of the window only, which has its default size unless another one is given.
struct HeadlessScreenshot {
    private let account: UnprivilegedAccount
    private let chromium: String

    init(chromium: String) throws {
        self.account = try UnprivilegedAccount()
        self.chromium = chromium
    }

    /// Removes what it has written.
    func remove() {
        account.remove()
    }

    /// Takes a picture.
    ///
    /// - Parameters:
    ///   - url: The page.
    ///   - isFirst: Whether it is the first start on a machine, with a profile to make. The other profile is kept from one
    ///     time to the next, as somebody's own would be.
    ///   - window: The window's size in CSS pixels.
    /// - Returns: Milliseconds.
    /// - Throws: Why there is no picture.
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
            throw Unfit("chromium --headless --screenshot made no picture.")
        }
        if isFirst { try? FileManager.default.removeItem(atPath: profile) }
        return milliseconds
    }
}

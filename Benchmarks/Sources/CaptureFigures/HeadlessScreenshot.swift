import Foundation
import Subprocess
import SystemPackage

/// `chromium --headless --screenshot` as a whole process, from its start to its end.
///
/// Its picture is of the window only, and the window has its default size. The profile is kept from one run to the next,
/// as it would be on somebody's machine: only the first has to make it.
struct HeadlessScreenshot {
    private let account: UnprivilegedAccount
    private let chromium: String

    init(chromium: String) throws {
        self.account = try UnprivilegedAccount()
        self.chromium = chromium
    }

    /// Removes the profile.
    func remove() {
        account.remove()
    }

    /// - Returns: Milliseconds.
    func time(of url: URL) async throws -> Double {
        let picture = account.folder.appending("picture.png").string
        try? FileManager.default.removeItem(atPath: picture)
        let command = account.command(
            chromium,
            [
                "--headless", "--screenshot=\(picture)",
                "--user-data-dir=\(account.folder.appending("profile").string)", url.absoluteString,
            ])
        let start = ContinuousClock.now
        let result = try await run(command, output: .discarded, error: .discarded)
        let milliseconds = (ContinuousClock.now - start).milliseconds
        guard result.terminationStatus.isSuccess, FileManager.default.fileExists(atPath: picture) else {
            throw Unfit("chromium --headless --screenshot made no picture.")
        }
        return milliseconds
    }
}

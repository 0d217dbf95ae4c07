import Capture
import Foundation
import Testing

@testable import BrowserDriver

/// The browser that the tests of a process share.
@Suite(.timeLimit(.minutes(10))) struct SharedBrowserTests {
    @Test func failedLaunchIsRepeatedByTheNextTest() async throws {
        let path = NSTemporaryDirectory() + "meanwhile-browser-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let browser = SharedBrowser(executable: path)
        let missing = await #expect(throws: CaptureError.self) { _ = try await browser.connection() }
        #expect(missing?.code == .browserNotFound)
        try Data("#!/bin/sh\nexit 1\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let broken = await #expect(throws: CaptureError.self) { _ = try await browser.connection() }
        #expect(broken?.code == .browserFailedToStart)
    }
}

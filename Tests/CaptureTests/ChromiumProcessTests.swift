import FixtureSite
import Foundation
import StoreTesting
import SystemPackage
import Testing
import VirtualTime

@testable import Capture

/// Tests that start, kill and terminate browsers; each test has browsers of its own.
@Suite(.timeLimit(.minutes(20))) struct ChromiumProcessTests {
    private func profile(of browser: ChromiumProcess) throws -> String {
        let process = try #require(Processes.now().all.first { $0.id == browser.processID })
        let arguments = process.commandLine.split(separator: " ")
        let option = "--user-data-dir="
        let argument = try #require(arguments.first { $0.hasPrefix(option) })
        return FilePath(String(argument.dropFirst(option.count))).removingLastComponent().string
    }

    /// The kernel's report of a process's sandbox.
    private struct Sandbox {
        var filter: [String]
        var processNumbers: [String]
        var users: [String]

        init(_ process: Processes.Process) {
            let status = FileManager.default.contents(atPath: "/proc/\(process.id)/status") ?? Data()
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            func field(_ name: String) -> [String] {
                let line = lines.first { $0.hasPrefix(name + ":") } ?? ""
                return line.split(whereSeparator: \.isWhitespace).dropFirst().map { String($0) }
            }
            self.filter = field("Seccomp")
            self.processNumbers = field("NSpid")
            self.users = field("Uid")
        }

        /// Whether both layers of Chromium's sandbox are active: a filter of system calls, and a process namespace.
        var isWhole: Bool { filter == ["2"] && processNumbers.count > 1 && !users.contains("0") }
    }

    @Test func terminationEndsAllProcessesAndRemovesTheProfile() async throws {
        let browser = try await ChromiumProcess.launch(.withLongTimeouts)
        let profile = try profile(of: browser)
        #expect(browser.product.contains("Chrome"))
        #expect(FileManager.default.fileExists(atPath: profile))
        let isWhole = await eventually { Processes.now().group(of: browser).count > 3 }
        #expect(isWhole)
        let strays = ProcessTree(group: browser.processID, mark: profile).strays()
        await browser.terminate()
        let processes = Processes.now()
        #expect(processes.group(of: browser).isEmpty)
        #expect(!processes.all.contains { strays.contains($0.id) })
        #expect(!processes.all.contains { $0.parent == getpid() && $0.state == "Z" && $0.group == browser.processID })
        #expect(!FileManager.default.fileExists(atPath: profile))
        #expect(!browser.isRunning)
    }

    /// Regression test: zombies that were never reaped stayed forever.
    ///
    /// A server accumulated two for each crashed browser, and in the tests they kept Swift Testing from noticing the
    /// end of an exit test.
    @Test func crashHandlersThatEndedEarlierAreReaped() async throws {
        let browser = try await ChromiumProcess.launch(.withLongTimeouts)
        let tree = ProcessTree(group: browser.processID, mark: try profile(of: browser))
        let hasHandlers = await eventually { !tree.strays().isEmpty }
        #expect(hasHandlers)
        let strays = tree.strays()
        let handlers = Processes.now().all.filter { strays.contains($0.id) }
        for handler in handlers { handler.kill() }
        let haveEnded = await eventually {
            !Processes.now().all.contains { strays.contains($0.id) && $0.state != "Z" }
        }
        #expect(haveEnded)
        await browser.terminate()
        #expect(!Processes.now().all.contains { strays.contains($0.id) })
    }

    @Test func pagesAreSandboxedAndNoneRunsAsRoot() async throws {
        let browser = try await ChromiumProcess.launch(.withLongTimeouts)
        let context = try await browser.connection.send(DevTools.Target.CreateBrowserContext()).browserContextId
        _ = try await browser.connection.send(
            DevTools.Target.CreateTarget(url: "about:blank", browserContextId: context))
        // A renderer enters its sandbox shortly after its start.
        var sandboxes: [Sandbox] = []
        let areSandboxed = await eventually {
            sandboxes = Processes.now().renderers(of: browser).map(Sandbox.init)
            return !sandboxes.isEmpty && sandboxes.allSatisfy(\.isWhole)
        }
        #expect(areSandboxed, "\(sandboxes)")
        await browser.terminate()
    }

    /// Regression test: Chromium 156 loaded two pages of its address bar for each new window.
    @Test func browserLoadsNoPagesOfItsOwn() async throws {
        try await FixtureSite.run { site in
            let browser = try await ChromiumProcess.launch(.withLongTimeouts)
            let blank = try await BlankPage.open(window: CaptureOptions().viewport, in: browser.connection)
            _ = try await browser.connection.send(
                DevTools.Page.Navigate(url: site.url("/rich").absoluteString), session: blank.session)
            let targets = try await browser.connection.send(DevTools.Target.GetTargets()).targetInfos
            #expect(targets.contains { $0.type == "page" })
            #expect(!targets.contains { $0.url.hasPrefix("chrome://") }, "\(targets)")
            await browser.terminate()
        }
    }

    @Test func browserListensOnNoPort() async throws {
        let browser = try await ChromiumProcess.launch(.withLongTimeouts)
        let process = try #require(Processes.now().all.first { $0.id == browser.processID })
        #expect(process.commandLine.contains("--remote-debugging-pipe"))
        #expect(!process.commandLine.contains("--remote-debugging-port"))
        await browser.terminate()
    }

    @Test func aKilledBrowserFailsTheCaptureAndTheNextOneWorks() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            for path in ["/stall", "/stall-image"] {
                let task = Task { try await capturer.capture(site.url(path)) }
                await site.waitForRequest(path)
                let browser = try #require(await capturer.pool.sharedBrowser)
                Processes.now().all.first { $0.id == browser.processID }?.kill()
                await #expect {
                    _ = try await task.value
                } throws: {
                    ($0 as? CaptureError)?.code == .browserExited
                }
                let next = try await capturer.capture(site.url("/plain"), formats: [.png])
                #expect(next.data.count == 1)
                #expect(Processes.now().group(of: browser).isEmpty)
            }
            await capturer.close()
        }
    }

    @Test func aCrashedTabFailsItsCaptureOnly() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            let task = Task { try await capturer.capture(site.url("/stall-image")) }
            await site.waitForRequest("/stall/picture.png")
            let browser = try #require(await capturer.pool.sharedBrowser)
            for renderer in Processes.now().renderers(of: browser) { renderer.kill() }
            await #expect {
                _ = try await task.value
            } throws: {
                ($0 as? CaptureError)?.code == .pageCrashed
            }
            let next = try await capturer.capture(site.url("/plain"), formats: [.png])
            #expect(next.data.count == 1)
            #expect(await capturer.pool.sharedBrowser === browser)
            await capturer.close()
        }
    }

    @Test func closingFailsRunningCapturesAndRefusesNewOnes() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            let task = Task { try await capturer.capture(site.url("/stall")) }
            await site.waitForRequest("/stall")
            let browser = try #require(await capturer.pool.sharedBrowser)
            await capturer.close()
            #expect(Processes.now().group(of: browser).isEmpty)
            await #expect {
                _ = try await task.value
            } throws: {
                ($0 as? CaptureError)?.code == .closed
            }
            await #expect {
                _ = try await capturer.capture(site.url("/plain"))
            } throws: {
                ($0 as? CaptureError)?.code == .closed
            }
        }
    }

    @Test func concurrentCapturesShareOneBrowser() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask { try await capturer.capture(site.url("/plain?\(number)")).data.count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == [Int](repeating: PageFormat.allCases.count, count: 6))
            #expect(await capturer.pool.browsersStarted == 1)
            await capturer.close()
        }
    }

    /// Chromium keeps the bodies of pages that have been closed.
    @Test func browserThatStoresManyBodiesIsReplacedAfterItsCaptures() async throws {
        try await FixtureSite.run { site in
            var configuration = PageCapturer.Configuration.forFixtures
            configuration.maximumStoredBytes = 1
            let capturer = PageCapturer(configuration: configuration)
            for _ in 0..<2 { _ = try await capturer.capture(site.url("/plain")) }
            #expect(await capturer.pool.browsersStarted == 2)
            // A capture without WACZ makes the browser store no bodies.
            let browser = try await capturer.pool.browser()
            for _ in 0..<2 { _ = try await capturer.capture(site.url("/plain"), formats: [.png]) }
            await capturer.pool.release(browser)
            #expect(await capturer.pool.sharedBrowser === browser)
            // A browser that is replaced still completes the captures that it has begun.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let capture = try await capturer.capture(site.url("/plain?\(number)"))
                        #expect(capture.data.count == PageFormat.allCases.count)
                    }
                }
                try await group.waitForAll()
            }
            // A browser may report any number of bytes, for several pages at once.
            for _ in 0..<2 { browser.stored(bytes: .max) }
            #expect(browser.storedBytes == .max)
            await capturer.close()
            #expect(!browser.isRunning)
        }
    }

    @Test func programThatIsNotABrowserIsReported() async {
        var configuration = PageCapturer.Configuration.forFixtures
        configuration.chromium = "/bin/false"
        let capturer = PageCapturer(configuration: configuration)
        await #expect {
            _ = try await capturer.capture(try #require(URL(string: "http://127.0.0.1:1/")))
        } throws: {
            ($0 as? CaptureError)?.code == .browserFailedToStart
        }
        await capturer.close()
    }
}

extension ChromiumProcess.Configuration {
    /// A configuration for a machine that may be busy.
    fileprivate static let withLongTimeouts = {
        var configuration = ChromiumProcess.Configuration()
        configuration.clock = ExtendingClock()
        return configuration
    }()
}

extension DevTools.Target {
    /// Lists all targets, including those of the browser itself.
    struct GetTargets: DevToolsCommand {
        struct Info: Decodable {
            var type: String
            var url: String
        }

        struct Reply: Decodable {
            var targetInfos: [Info]
        }

        struct Filter: Encodable {}

        /// One filter without conditions, which all targets match.
        var filter = [Filter()]
    }
}

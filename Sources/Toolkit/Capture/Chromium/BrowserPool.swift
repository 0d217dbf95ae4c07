import Egress
import Foundation
import Futures

/// The browsers of one capturer: a shared one, and those that run a single capture; and their proxy.
actor BrowserPool {
    private typealias Waiter = CheckedContinuation<Result<ChromiumProcess, CaptureError>, Never>
    private typealias Closer = CheckedContinuation<Void, Never>

    private let configuration: PageCapturer.Configuration
    private var machine = BrowserPoolStateMachine<ChromiumProcess, Waiter, Closer>()
    /// The task that starts the shared browser; ``close()`` cancels it.
    private var start: Task<Void, Never>?
    private var spare: SparePage?
    /// The proxy that all browsers use; `nil` before the first start.
    private(set) var proxy: PinningProxy?
    /// The number of browsers started, for tests.
    private(set) var browsersStarted = 0

    init(_ configuration: PageCapturer.Configuration) {
        self.configuration = configuration
    }

    deinit {
        for browser in machine.browsers { browser.requestEnd() }
    }

    var isClosed: Bool { machine.isClosed }

    /// The current shared browser.
    var sharedBrowser: ChromiumProcess? { machine.shared }

    /// The page for the next capture, for tests.
    var sparePage: SparePage? { spare }
}

// MARK: - Browsers

extension BrowserPool {
    /// Returns the shared browser, after starting it if necessary; the caller must call ``release(_:)`` after its use.
    func browser() async throws(CaptureError) -> ChromiumProcess {
        try await withCheckedContinuation { waiter in
            switch machine.acquire(waiter, isUsable: \.isRunning) {
            case .use(let browser):
                waiter.resume(returning: .success(browser))
            case .start(let old):
                browsersStarted += 1
                // One start serves all waiting captures, and runs in its own task so that cancelling one capture
                // doesn't fail the others.
                start = Task { await startShared(replacing: old) }
            case .wait:
                break
            case .fail:
                waiter.resume(returning: .failure(.closed))
            }
        }.get()
    }

    /// Ends a capture's use of the shared browser.
    ///
    /// A browser that stores too many bodies is no longer shared, and ends after its last capture.
    func release(_ browser: ChromiumProcess) {
        let isWorn = browser.storedBytes >= configuration.maximumStoredBytes
        let isLast = machine.release(browser, isWorn: isWorn)
        if isWorn, spare?.process === browser { discardSpare() }
        // The capture needn't wait for it; the state machine keeps track of the browser.
        if isLast { Task { await discard(browser) } }
    }

    private func startShared(replacing old: ChromiumProcess?) async {
        if let old { await discard(old) }
        do throws(CaptureError) {
            let browser = try await launch()
            switch machine.started(browser) {
            case .use(let waiters):
                for waiter in waiters { waiter.resume(returning: .success(browser)) }
            case .end:
                await discard(browser)
            }
        } catch {
            let (failing, closers) = machine.startFailed()
            for waiter in failing { waiter.resume(returning: .failure(error)) }
            for closer in closers { closer.resume() }
        }
    }

    /// Starts a browser for a single capture, which must discard it.
    func dedicatedBrowser() async throws(CaptureError) -> ChromiumProcess {
        guard machine.startDedicated() else { throw .closed }
        browsersStarted += 1
        let browser: ChromiumProcess
        do throws(CaptureError) {
            browser = try await launch()
        } catch {
            for closer in machine.startDedicatedFailed() { closer.resume() }
            throw error
        }
        switch machine.startedDedicated(browser) {
        case .use:
            return browser
        case .end:
            await discard(browser)
            throw .closed
        }
    }

    /// Ends a browser and waits until all its processes have ended.
    func discard(_ browser: ChromiumProcess) async {
        machine.discard(browser)
        if spare?.process === browser { discardSpare() }
        await browser.terminate()
        for closer in machine.ended(browser) { closer.resume() }
    }

    /// Ends all browsers, prevents further starts, and waits until all processes have ended.
    func close() async {
        discardSpare()
        start?.cancel()
        await withCheckedContinuation { caller in
            let action = machine.close(caller)
            for waiter in action.failing { waiter.resume(returning: .failure(.closed)) }
            for closer in action.closers { closer.resume() }
            // The state machine keeps track of these browsers, and its closers wait for them.
            for browser in action.ending { Task { await discard(browser) } }
        }
        await proxy?.close()
    }

    private func launch() async throws(CaptureError) -> ChromiumProcess {
        let proxy: PinningProxy
        if let existing = self.proxy {
            proxy = existing
        } else {
            do throws(EgressError) {
                proxy = try await PinningProxy.start(
                    resolver: configuration.resolver, ownPorts: configuration.ownPorts)
            } catch {
                throw CaptureError(.browserFailedToStart, "Chromium can't be started. \(error)", cause: error)
            }
            self.proxy = proxy
        }
        var launch = ChromiumProcess.Configuration()
        launch.executable = configuration.chromium
        launch.clock = configuration.clock
        launch.proxyPort = proxy.port
        launch.memoryLimit = configuration.maximumBrowserMemory
        launch.usesCgroup = configuration.usesCgroup
        return try await ChromiumProcess.launch(launch)
    }
}

// MARK: - Spare pages

extension BrowserPool {
    /// Takes the spare page that fits a capture, and returns the one to open for the next capture.
    ///
    /// A browser for a single capture has neither.
    func sparePages(
        window: CaptureOptions.Viewport, in browser: ChromiumProcess
    ) -> (ready: SparePage?, next: SparePage?) {
        guard configuration.keepsSparePage, machine.shared === browser else { return (nil, nil) }
        var ready: SparePage?
        if let spare, spare.process === browser, spare.window == window {
            guard spare.isBegun else { return (nil, spare) }
            ready = spare
        } else {
            discardSpare()
        }
        spare = SparePage(window: window, in: browser)
        return (ready, spare)
    }

    private func discardSpare() {
        spare?.discard()
        spare = nil
    }
}

extension CaptureError {
    fileprivate static let closed = CaptureError(.closed, "The capturer has been closed.")
}

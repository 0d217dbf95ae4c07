public import Capture
import Foundation
import Futures
import Loading
import Persistence

// Saving pages and capturing them.

extension Library {
    /// Saves a page: returns when the request is durable, and captures the page in the background.
    ///
    /// A page that is already being captured in the same formats isn't captured a second time; if it waits with others of an
    /// import, it goes first. A new version of a saved page has the marks of the last one.
    ///
    /// - Parameters:
    ///   - address: The address as typed.
    ///   - formats: The formats to capture.
    ///   - id: The identifier of the new page, which a client has chosen so that it can repeat a request whose response it
    ///     didn't get: if there is such a page, also a deleted one, nothing is saved. `nil` for a new identifier.
    /// - Returns: The page's identifier.
    /// - Throws: ``LibraryError``.
    @discardableResult
    public func save(
        _ address: String, formats: Set<PageFormat>, id: SavedPage.ID? = nil
    ) async throws(LibraryError) -> SavedPage.ID {
        if isShuttingDown { throw .shuttingDown }
        let url = try PageAddress(address).url
        guard !formats.isEmpty else { throw .noFormat }
        let request = CaptureRequest(url: url, formats: formats)
        settings.value.formats = formats
        return try await uncancellable { () throws(LibraryError) in try await self.save(request, id: id) }
    }

    private func save(_ request: CaptureRequest, id: SavedPage.ID?) async throws(LibraryError) -> SavedPage.ID {
        if let id, item(id) != nil {
            try await pendingStarts[id]?.value
            return id
        }
        if let same = table.fetching(request) {
            try await pendingStarts[same.id]?.value
            try await store.hasten(same.id, owner: owner)
            return same.id
        }
        return try await add(request, id: id ?? SavedPage.ID())
    }

    private func add(_ request: CaptureRequest, id: SavedPage.ID) async throws(LibraryError) -> SavedPage.ID {
        var machine = Machine()
        let generation = machine.fetch(request)
        var page = SavedPage(id: id, request: request, requestedAt: configuration.now(), state: machine.state)
        page.marks = table.copies(from: request.url.pageKey).first?.marks ?? PageMarks()
        table.insert(
            Entry(
                id: page.id, request: request, requestedAt: page.requestedAt, attempt: page.attempt, machine: machine,
                deletedAt: nil, marks: page.marks))
        do throws(LibraryError) {
            try await storeStart(of: page.id) { () throws(LibraryError) in
                try await self.store.add(page, owner: self.owner)
            }
        } catch {
            table.remove([page.id])
            throw error
        }
        capture(page.id, request, attempt: page.attempt, generation: generation)
        return page.id
    }

    /// Stores the start of a capture; other operations on the page wait until it is stored.
    private func storeStart<Value>(
        of id: SavedPage.ID, _ write: () async throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        let start = Promise<Void, LibraryError>(onAbandon: { .shuttingDown })
        pendingStarts[id] = start.future
        defer { pendingStarts[id] = nil }
        do throws(LibraryError) {
            let value = try await write()
            start.resolve(())
            return value
        } catch {
            start.reject(error)
            throw error
        }
    }

    /// Waits while the start of a page's capture is being stored.
    func waitForPendingStart(of id: SavedPage.ID) async {
        while let start = pendingStarts[id] { _ = await start.result }
    }

    /// Captures a page again after its capture has failed, or after the server has sent an error page.
    ///
    /// The saved error page stays until the new capture succeeds.
    public func retry(_ id: SavedPage.ID) async throws(LibraryError) {
        if isShuttingDown { throw .shuttingDown }
        try await uncancellable { () throws(LibraryError) in
            guard let item = self.item(id), !item.isDeleted else { throw .notFound }
            // Another tab may have retried it already.
            let hasErrorPage = item.state.value?.errorStatus != nil
            guard !item.state.isFetching, item.state.failureReason != nil || hasErrorPage else { return }
            try await self.begin(id)
        }
    }

    /// Stops a running capture.
    public func stop(_ id: SavedPage.ID) async throws(LibraryError) {
        try await uncancellable { () throws(LibraryError) in
            await self.waitForPendingStart(of: id)
            guard let item = self.item(id), !item.isDeleted else { throw .notFound }
            guard item.state.isFetching, let entry = self.table[id] else { return }
            let generation = entry.machine.generation
            // The store decides whether the capture finished first.
            guard
                try await self.store.fail(
                    id, owner: self.owner, attempt: entry.attempt, failure: .stopped)
            else { return }
            self.change(id) { $0.machine.failed(.stopped, of: generation) }
            self.cancelCaptures { $0 == CaptureKey(page: id, generation: generation) }
        }
    }

    /// Starts a new capture attempt of a stored page.
    func begin(_ id: SavedPage.ID) async throws(LibraryError) {
        let started = change(id) { ($0.request, $0.machine.fetch($0.request)) }
        guard let (request, generation) = started else { throw .notFound }
        let attempt: Int
        do throws(LibraryError) {
            attempt = try await storeStart(of: id) { () throws(LibraryError) in
                try await self.store.beginAgain(id, owner: self.owner)
            }
        } catch {
            change(id) { $0.machine.failed(error.captureFailure, of: generation) }
            throw error
        }
        change(id) { $0.attempt = attempt }
        capture(id, request, attempt: attempt, generation: generation)
    }

    /// Captures a page whose attempt is already stored.
    func capture(
        _ id: SavedPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) {
        if isShuttingDown { return }
        cancelCaptures { $0.page == id }
        let key = CaptureKey(page: id, generation: generation)
        captures[key] = Task {
            let outcome = await captureAndStore(id, request, attempt: attempt, generation: generation)
            captures[key] = nil
            switch outcome {
            case .success(let content?):
                change(id) { $0.machine.succeeded(content, of: generation) }
                compareVersions(of: id)
            // Cancelled here, or deleted or restarted by another process.
            case .success(nil): break
            case .failure(let failure): change(id) { $0.machine.failed(failure, of: generation) }
            }
            captureEnded()
        }
    }

    /// Cancels captures; the caller sets the state of their pages.
    func cancelCaptures(_ shouldCancel: (CaptureKey) -> Bool) {
        for (key, capture) in captures where shouldCancel(key) { capture.cancel() }
    }

    private func captureAndStore(
        _ id: SavedPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) async -> Result<PageContent?, CaptureFailure> {
        let failure: CaptureFailure
        do throws(CaptureFailure) {
            let capture = try await runCapturer(id, request, attempt: attempt, generation: generation)
            change(id) { $0.machine.progressed(.storing, of: generation) }
            do throws(LibraryError) {
                return .success(
                    try await store.save(
                        capture, as: id, owner: owner, attempt: attempt, at: configuration.now()))
            } catch {
                failure = error.captureFailure
            }
        } catch {
            failure = error
        }
        // On shutdown the page stays unfinished; otherwise the code that cancelled the capture sets its state.
        if Task.isCancelled { return .success(nil) }
        // If this fails too, the page is captured again after the next start.
        _ = try? await store.fail(id, owner: owner, attempt: attempt, failure: failure)
        return .failure(failure)
    }

    private func runCapturer(
        _ id: SavedPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) async throws(CaptureFailure) -> PageCapture {
        // Only the latest progress matters.
        let (steps, reporter) = AsyncStream.makeStream(of: CaptureProgress.self, bufferingPolicy: .bufferingNewest(1))
        async let reporting: Void = report(steps, of: id, generation: generation)
        let result: Result<PageCapture, CaptureFailure>
        do throws(CaptureFailure) {
            result = .success(
                try await capturer.capture(
                    request, for: CaptureAttempt(page: id, owner: owner, number: attempt),
                    options: configuration.options, progress: { reporter.yield($0) }))
        } catch {
            result = .failure(error)
        }
        // Ignore any later progress reports.
        reporter.finish()
        await reporting
        return try result.get()
    }

    private func report(
        _ steps: AsyncStream<CaptureProgress>, of id: SavedPage.ID, generation: Machine.Generation
    ) async {
        for await step in steps { change(id) { $0.machine.progressed(.capturing(step), of: generation) } }
    }
}

public import Capture
import Foundation
import Futures
import Loading
import Persistence

// Asking for pages, and what becomes of them.

extension Library {
    /// No page has a longer address than this; a browser's own limit is 2 MB.
    private static let addressLimit = 20_000

    /// Saves a page: returns as soon as it is certain that it will not be forgotten, and goes on capturing it.
    ///
    /// The same page in the same formats that is being fetched already is not fetched twice at a time.
    ///
    /// - Parameters:
    ///   - address: What a person typed.
    ///   - formats: What is to be made of the page.
    /// - Returns: The page's number.
    /// - Throws: ``LibraryError``.
    @discardableResult
    public func save(_ address: String, formats: Set<PageFormat>) async throws(LibraryError) -> KeptPage.ID {
        if isEnding { throw .ending }
        let url: URL
        do {
            url = try WebAddress.parse(address, isCompleted: true, limit: Self.addressLimit)
            try PageCapturer.validate(url)
        } catch {
            throw .invalidAddress(error.message)
        }
        guard !formats.isEmpty else { throw .noFormat }
        let request = CaptureRequest(url: url, formats: formats)
        settings.value.formats = formats
        return try await toTheEnd { () throws(LibraryError) in try await self.save(request) }
    }

    private func save(_ request: CaptureRequest) async throws(LibraryError) -> KeptPage.ID {
        if let same = entries.first(where: {
            $0.deletedAt == nil && $0.request == request && $0.machine.state.isFetching
        }) {
            try await beginnings[same.id]?.value
            return same.id
        }
        return try await add(request)
    }

    private func add(_ request: CaptureRequest) async throws(LibraryError) -> KeptPage.ID {
        var machine = Machine()
        let generation = machine.fetch(request)
        let page = KeptPage(request: request, requestedAt: configuration.now(), state: machine.state)
        entries.insert(
            Entry(
                id: page.id, request: request, requestedAt: page.requestedAt, attempt: page.attempt, machine: machine,
                deletedAt: nil), at: 0)
        do throws(LibraryError) {
            try await beginning(of: page.id) { () throws(LibraryError) in
                try await self.store.add(page, owner: self.owner)
            }
        } catch {
            entries.removeAll { $0.id == page.id }
            throw error
        }
        capture(page.id, request, attempt: page.attempt, generation: generation)
        return page.id
    }

    /// Writes down that a page's capture begins: until that is done, nothing else is done with the page.
    private func beginning<Value>(
        of id: KeptPage.ID, _ write: () async throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        let beginning = Promise<Void, LibraryError>(onAbandon: { .ending })
        beginnings[id] = beginning.future
        defer { beginnings[id] = nil }
        do throws(LibraryError) {
            let value = try await write()
            beginning.resolve(())
            return value
        } catch {
            beginning.reject(error)
            throw error
        }
    }

    /// Waits while it is being written down that a page's capture begins.
    func settled(_ id: KeptPage.ID) async {
        while let beginning = beginnings[id] { _ = await beginning.result }
    }

    /// Tries a page again that has failed.
    public func retry(_ id: KeptPage.ID) async throws(LibraryError) {
        if isEnding { throw .ending }
        try await toTheEnd { () throws(LibraryError) in
            guard let item = self.item(id), !item.isDeleted else { throw .notFound }
            // Another tab may have been faster.
            guard item.state.failureReason != nil, !item.state.isFetching else { return }
            try await self.begin(id)
        }
    }

    /// Stops a capture that runs.
    public func stop(_ id: KeptPage.ID) async throws(LibraryError) {
        try await toTheEnd { () throws(LibraryError) in
            await self.settled(id)
            guard let item = self.item(id), !item.isDeleted else { throw .notFound }
            guard item.state.isFetching, let entry = self.entries.first(where: { $0.id == id }) else { return }
            let generation = entry.machine.generation
            // The store decides whether this or the capture's own end was first.
            guard
                try await self.store.fail(
                    id, owner: self.owner, attempt: entry.attempt, failure: .stopped)
            else { return }
            self.change(id) { $0.machine.failed(.stopped, of: generation) }
            self.cancelCaptures { $0 == CaptureKey(page: id, generation: generation) }
        }
    }

    /// Begins the capture of a page that is in the store.
    func begin(_ id: KeptPage.ID) async throws(LibraryError) {
        let started = change(id) { ($0.request, $0.machine.fetch($0.request)) }
        guard let (request, generation) = started else { throw .notFound }
        let attempt: Int
        do throws(LibraryError) {
            attempt = try await beginning(of: id) { () throws(LibraryError) in
                try await self.store.beginAgain(id, owner: self.owner)
            }
        } catch {
            change(id) {
                $0.machine.failed(CaptureFailure(code: "storage", message: "\(error)"), of: generation)
            }
            throw error
        }
        change(id) { $0.attempt = attempt }
        capture(id, request, attempt: attempt, generation: generation)
    }

    /// Captures a page whose attempt is in the store.
    func capture(
        _ id: KeptPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) {
        if isEnding { return }
        cancelCaptures { $0.page == id }
        let key = CaptureKey(page: id, generation: generation)
        captures[key] = Task {
            let outcome = await capturing(id, request, attempt: attempt, generation: generation)
            captures[key] = nil
            switch outcome {
            case .success(let content?): change(id) { $0.machine.succeeded(content, of: generation) }
            // Cancelled here; or deleted, or begun anew, by another process.
            case .success(nil): break
            case .failure(let failure): change(id) { $0.machine.failed(failure, of: generation) }
            }
        }
    }

    /// Cancels captures; whoever does it says what becomes of their pages.
    func cancelCaptures(_ isMeant: (CaptureKey) -> Bool) {
        for (key, capture) in captures where isMeant(key) { capture.cancel() }
    }

    private func capturing(
        _ id: KeptPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) async -> Result<PageContent?, CaptureFailure> {
        let failure: CaptureFailure
        do throws(CaptureFailure) {
            let capture = try await captured(id, request, attempt: attempt, generation: generation)
            change(id) { $0.machine.progressed(.keeping, of: generation) }
            do throws(LibraryError) {
                return .success(
                    try await store.keep(
                        capture, as: id, owner: owner, attempt: attempt, at: configuration.now()))
            } catch {
                failure = error.captureFailure
            }
        } catch {
            failure = error
        }
        // The page stays unfinished if the server is ending; otherwise the canceller decides what becomes of it.
        if Task.isCancelled { return .success(nil) }
        // If not even that can be written, the page is tried again after the next start.
        _ = try? await store.fail(id, owner: owner, attempt: attempt, failure: failure)
        return .failure(failure)
    }

    private func captured(
        _ id: KeptPage.ID, _ request: CaptureRequest, attempt: Int, generation: Machine.Generation
    ) async throws(CaptureFailure) -> PageCapture {
        // Only how far it is now is of interest.
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
        // Nothing that the capturer still says is listened to.
        reporter.finish()
        await reporting
        return try result.get()
    }

    private func report(
        _ steps: AsyncStream<CaptureProgress>, of id: KeptPage.ID, generation: Machine.Generation
    ) async {
        for await step in steps { change(id) { $0.machine.progressed(.capturing(step), of: generation) } }
    }
}

import Capture
import Foundation
import Loading
import Persistence

// Captures by a schedule. They aren't pages of the list until they have succeeded and found a change.

extension Library {
    /// Sets how often a page's address is captured by itself; returns when that is stored.
    ///
    /// - Parameters:
    ///   - id: Any version of the address; its formats are those of later versions.
    ///   - interval: How often; `nil` for never.
    ///   - zone: The name of the time zone in which days begin.
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist; ``LibraryError/overBudget(_:)`` if there are too many
    ///   schedules; or a storage error.
    public func schedule(
        _ id: SavedPage.ID, _ interval: RecaptureSchedule.Interval?, zone: String
    ) async throws(LibraryError) {
        if isShuttingDown { throw .shuttingDown }
        guard let versionStore, let item = item(id), !item.isDeleted else { throw .notFound }
        try await uncancellable { () throws(LibraryError) in
            if let interval {
                let schedule = RecaptureSchedule(
                    item.request, interval, from: self.configuration.now(), zone: zone)
                try await versionStore.setSchedule(schedule, owner: self.owner)
            } else {
                try await versionStore.removeSchedule(ofAddress: item.request.url.pageKey, owner: self.owner)
            }
        }
        await updateSchedules()
    }

    /// The schedule of a page's address; `nil` if it has none.
    public func schedule(of item: LibraryItem) -> RecaptureSchedule? {
        let key = item.request.url.pageKey
        return schedules.first { $0.key == key }
    }

    func updateSchedules() async {
        // If this fails, they are updated after the next change.
        if let versionStore, let schedules = try? await versionStore.schedules(ofOwner: owner) {
            self.schedules = schedules
        }
    }

    /// Captures the addresses whose time has come, one after another, in the background.
    ///
    /// Call it every minute: a time that passed while the server or its machine was off is caught up once.
    public func runSchedules() {
        guard let versionStore, !isShuttingDown, recapturing == nil else { return }
        recapturing = Task {
            defer { recapturing = nil }
            await updateSchedules()
            while !isShuttingDown, !Task.isCancelled,
                let due = schedules.filter({ $0.nextAt <= configuration.now() }).min(by: { $0.nextAt < $1.nextAt })
            {
                do throws(LibraryError) {
                    try await run(due, in: versionStore)
                } catch {
                    // The schedule is still due. The next call tries again: at the latest, after a minute.
                    schedulingProblem = error
                    return
                }
                schedulingProblem = nil
                await updateSchedules()
            }
        }
    }

    private func run(_ due: RecaptureSchedule, in versionStore: any VersionStore) async throws(LibraryError) {
        guard
            let schedule = try await versionStore.beginScheduled(
                ofAddress: due.key, owner: owner, at: configuration.now()), let id = schedule.running
        else { return await updateSchedules() }
        schedules.firstIndex { $0.key == due.key }.map { schedules[$0] = schedule }
        let outcome: ScheduledOutcome
        do throws(CaptureFailure) {
            let capture = try await capturer.capture(
                schedule.request, for: CaptureAttempt(page: id, owner: owner, number: 1),
                options: configuration.options, progress: { _ in })
            outcome = try await self.outcome(of: capture, schedule, id)
        } catch {
            // It continues after the next start.
            if isShuttingDown || Task.isCancelled { throw .shuttingDown }
            outcome = .failed(error)
        }
        var ended = schedule
        ended.nextAt = schedule.time(after: configuration.now())
        let isStored = try await uncancellable { [ended] () throws(LibraryError) in
            do throws(LibraryError) {
                return try await versionStore.endScheduled(
                    ended, outcome, owner: self.owner, at: self.configuration.now())
            } catch .overBudget(let reason) {
                // The schedule says so, and tries again at its next time.
                return try await versionStore.endScheduled(
                    ended, .failed(LibraryError.overBudget(reason).captureFailure), owner: self.owner,
                    at: self.configuration.now())
            }
        }
        if isStored, case .changed = outcome {
            let pages = try await store.pages(ofOwner: owner)
            show(pages.filter { $0.id == id })
            compareVersions(of: id)
        }
    }

    /// Shows pages whose capture is stored already.
    func show(_ pages: [SavedPage]) {
        // Opening the library again may have shown them already.
        table.append(pages.filter { item($0.id) == nil }.map(Entry.init))
    }

    /// Compares a scheduled capture with the newest version.
    private func outcome(
        of capture: PageCapture, _ schedule: RecaptureSchedule, _ id: SavedPage.ID
    ) async throws(CaptureFailure) -> ScheduledOutcome {
        if let status = capture.httpStatus, status >= 400 {
            return .failed(CaptureFailure(code: "http", message: LibraryWords.scheduledError(status)))
        }
        guard let newest = newestVersion(of: schedule) else { return .changed(capture, as: id) }
        do throws(LibraryError) {
            let old = try await store.file(.png, of: newest, owner: owner)
            let picture = capture.data[.png].map {
                PageFile(content: .data($0), byteCount: $0.count, digest: "")
            }
            let comparison = try await Self.compare(
                (try await text(of: newest), capture.text), (old, picture), capturer: capturer)
            // What only one version has can't be the same.
            let hasSameParts =
                (old == nil) == (picture == nil) && (comparison.words != nil || capture.text == nil)
                && (comparison.picture != nil || picture == nil)
            return comparison.isUnchanged && hasSameParts ? .unchanged(newest) : .changed(capture, as: id)
        } catch {
            throw error.captureFailure
        }
    }

    private func newestVersion(of schedule: RecaptureSchedule) -> SavedPage.ID? {
        table.copies(from: schedule.key).lazy.map(\.item).filter { $0.state.value?.errorStatus == nil }
            .max { $0.versionTime < $1.versionTime }?.id
    }
}

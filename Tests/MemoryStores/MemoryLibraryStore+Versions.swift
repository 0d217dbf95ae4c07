import Capture
public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

extension MemoryLibraryStore: VersionStore {
    /// Whether a page is a new version that the filter admits.
    func isChanged(_ row: Row) -> Bool {
        guard row.openedAt == nil, row.page.deletedAt == nil, case .found(let content) = row.page.state else {
            return false
        }
        let others = rows.values.filter {
            $0.owner == row.owner && $0.page.deletedAt == nil
                && $0.page.request.url.pageKey == row.page.request.url.pageKey
        }.compactMap { $0.page.state.value?.capturedAt }
        let isUnchanged = comparisons.contains { $0.key.new == row.page.id && $0.value.isUnchanged }
        return others.contains { $0 < content.capturedAt } && !others.contains { $0 > content.capturedAt }
            && !isUnchanged
    }

    /// Returns the stored comparisons of versions.
    public func comparisons(
        of new: Set<SavedPage.ID>, owner: OwnerID
    ) -> [VersionPair: VersionComparison] {
        comparisons.filter {
            new.contains($0.key.new) && row($0.key.new, owner) != nil && row($0.key.old, owner) != nil
        }
    }

    /// Stores a comparison.
    public func saveComparison(_ comparison: VersionComparison, of pair: VersionPair, owner: OwnerID) {
        let pages = [pair.old, pair.new].compactMap { row($0, owner) }
        guard pages.count == 2, pages.allSatisfy({ $0.page.deletedAt == nil }) else { return }
        comparisons[pair] = comparison
    }

    /// Returns the files of versions, each of which is one part.
    public func storedParts(
        of ids: Set<SavedPage.ID>, kinds: Set<FileKind>, owner: OwnerID
    ) -> [SavedPage.ID: [String: Int]] {
        var parts: [SavedPage.ID: [String: Int]] = [:]
        for id in ids {
            for (kind, data) in row(id, owner)?.files ?? [:] where kinds.contains(kind) {
                parts[id, default: [:]][BlobStore.ID(of: data).description] = data.count
            }
        }
        return parts
    }

    /// Records that a version was opened.
    public func recordOpening(of id: SavedPage.ID, owner: OwnerID, at time: Date) {
        guard let row = row(id, owner), row.openedAt == nil else { return }
        rows[id]?.openedAt = time
    }

    /// Returns the checks of an address.
    public func checks(ofAddress key: String, owner: OwnerID, limit: Int) -> [VersionCheck] {
        checks.reversed().filter { row($0.page, owner)?.page.request.url.pageKey == key }.prefix(limit).map { $0 }
    }

    /// Returns the schedules of an owner.
    public func schedules(ofOwner owner: OwnerID) -> [RecaptureSchedule] {
        (schedules[owner] ?? []).sorted { $0.key < $1.key }
    }

    /// Adds or replaces a schedule.
    public func setSchedule(_ schedule: RecaptureSchedule, owner: OwnerID) throws(LibraryError) {
        var all = (schedules[owner] ?? []).filter { $0.key != schedule.key }
        if all.count == schedules[owner]?.count ?? 0, let refusal = OwnerBudget.refusalOfSchedule(at: all.count) {
            throw .overBudget(refusal)
        }
        all.append(schedule)
        schedules[owner] = all
    }

    /// Removes a schedule.
    public func removeSchedule(ofAddress key: String, owner: OwnerID) {
        schedules[owner]?.removeAll { $0.key == key }
    }

    /// Returns the owners of schedules whose time has come.
    public func ownersWithDueSchedules(at time: Date) -> [OwnerID] {
        schedules.filter { $0.value.contains { $0.nextAt <= time } }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Begins the capture of a schedule, or continues it.
    public func beginScheduled(ofAddress key: String, owner: OwnerID, at time: Date) -> RecaptureSchedule? {
        guard let index = schedules[owner]?.firstIndex(where: { $0.key == key && $0.nextAt <= time }) else {
            return nil
        }
        let running = schedules[owner]?[index].running ?? SavedPage.ID()
        schedules[owner]?[index].running = running
        return schedules[owner]?[index]
    }

    /// Ends the capture of a schedule.
    public func endScheduled(
        _ schedule: RecaptureSchedule, _ outcome: ScheduledOutcome, owner: OwnerID, at time: Date
    ) throws(LibraryError) -> Bool {
        guard let running = schedule.running,
            let index = schedules[owner]?.firstIndex(where: { $0.key == schedule.key && $0.running == running })
        else { return false }
        var failure: String?
        switch outcome {
        case .changed(let capture, let id):
            let page = SavedPage(
                id: id, request: schedule.request, requestedAt: time, state: .fetching(schedule.request, previous: nil))
            try add(page, owner: owner)
            _ = try save(capture, as: id, owner: owner, attempt: 1, at: time)
        case .unchanged(let page): checks.append(VersionCheck(page: page, checkedAt: time))
        case .failed(let reason): failure = reason.message
        }
        schedules[owner]?[index].running = nil
        schedules[owner]?[index].nextAt = schedule.nextAt
        schedules[owner]?[index].endedAt = time
        schedules[owner]?[index].failure = failure
        return true
    }
}

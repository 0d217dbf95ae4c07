public import Foundation
import Persistence

/// Palettes of a store that were set aside: they couldn't be read, or restored ones replaced them.
public struct SetAsidePalettes: Hashable, Sendable, Identifiable {
    /// Why they were set aside.
    public enum Cause: Hashable, Sendable {
        /// They couldn't be read; the text says why.
        case unreadable(String)
        /// A person restored others.
        case replaced
    }

    /// What tells them apart from all others that were set aside.
    public let id: String
    /// When they were set aside.
    public let time: Date
    /// Why they were set aside.
    public let cause: Cause
    /// How many palettes can be restored; 0 if none can.
    public let count: Int
    /// Why they can't be restored; `nil` if they can.
    public let problem: String?
}

extension PaletteStore {
    /// Why the palettes are set aside that restored ones replace.
    static let replacedReason = "Other palettes were restored."

    /// Reads which palettes of this name are set aside: see ``setAside``.
    ///
    /// - Throws: ``PaletteError/failed(_:)``.
    public func loadSetAside() async throws(PaletteError) {
        // Noted before: a report that comes meanwhile is one more reason to read again.
        let reportCount = reports.count
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            var found: [SetAsidePalettes] = []
            for record in try await stored.setAsideRecords() {
                let cause: SetAsidePalettes.Cause =
                    record.reason == Self.replacedReason ? .replaced : .unreadable(record.reason)
                var count = 0
                var problem: String?
                do throws(StoreError) {
                    count = try await stored.setAsideValue(of: record).palettes.count
                } catch {
                    // Another process has restored or removed them since.
                    if error.code == .missing { continue }
                    problem = error.code == .corrupt ? "The data is still damaged." : error.message
                }
                found.append(
                    SetAsidePalettes(id: record.id, time: record.time, cause: cause, count: count, problem: problem))
            }
            show(setAside: found, asOf: reportCount)
        }
    }

    /// Reads again which palettes are set aside, if some were since the last time.
    public func loadNewSetAside() async {
        guard reports.count != loadedReports else { return }
        // What cannot be read now is tried at the next change.
        try? await loadSetAside()
    }

    /// The bytes of palettes that were set aside, as they are.
    ///
    /// - Throws: ``PaletteError``: `noSetAside`, or `failed`.
    public func setAsideBytes(_ id: SetAsidePalettes.ID) async throws(PaletteError) -> Data {
        let record = try await record(id)
        let found = try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.setAsideContent(of: record)
        }
        guard let found else { throw .noSetAside }
        return found.bytes
    }

    /// Puts palettes that were set aside in the place of the present ones, which are set aside themselves.
    ///
    /// - Throws: ``PaletteError``: `noSetAside` if they were restored or deleted meanwhile, `notRestorable` if their bytes make no
    ///   palettes; nothing is changed then. `fromTheFuture` or `failed`, if they can't be stored.
    public func restore(setAside id: SetAsidePalettes.ID) async throws(PaletteError) {
        let record = try await record(id)
        do throws(StoreError) {
            _ = try await stored.setAsideValue(of: record)
        } catch {
            switch error.code {
            case .missing: throw .noSetAside
            case .corrupt, .notDecodable, .newerVersion: throw .notRestorable(error.message)
            default: throw PaletteError(error)
            }
        }
        do throws(StoreError) {
            try await stored.restore(record, reason: Self.replacedReason, within: Self.patience)
        } catch {
            throw error.code == .missing ? .noSetAside : PaletteError(error)
        }
        try await loadSetAside()
    }

    /// Deletes palettes that were set aside.
    ///
    /// - Throws: ``PaletteError``: `noSetAside` if they were restored or deleted meanwhile, or `failed`.
    public func deleteSetAside(_ id: SetAsidePalettes.ID) async throws(PaletteError) {
        let record = try await record(id)
        let isDeleted = try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.removeSetAside(record)
        }
        try await loadSetAside()
        guard isDeleted else { throw .noSetAside }
    }

    private func record(_ id: SetAsidePalettes.ID) async throws(PaletteError) -> SetAsideRecord {
        let records = try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.setAsideRecords()
        }
        guard let record = records.first(where: { $0.id == id }) else { throw .noSetAside }
        return record
    }
}

extension PaletteStores {
    /// Reads which palettes of all stores are set aside.
    ///
    /// - Throws: ``PaletteError/failed(_:)``, of the first store that cannot be read; the others are read all the same.
    public func loadSetAside() async throws(PaletteError) {
        try await forEachStore { store throws(PaletteError) in try await store.loadSetAside() }
    }

    /// Reads again which palettes are set aside, in each store that has set some aside since the last time.
    public func loadNewSetAside() async {
        for store in stores { await store.loadNewSetAside() }
    }
}

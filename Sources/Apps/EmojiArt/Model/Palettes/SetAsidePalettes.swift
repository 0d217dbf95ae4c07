public import Foundation
import Futures
import Persistence

/// Palettes of a store that were set aside, because they couldn't be decoded or were replaced by restored ones.
public struct SetAsidePalettes: Hashable, Sendable, Identifiable {
    /// Why they were set aside.
    public enum Cause: Hashable, Sendable {
        /// They couldn't be decoded; the text says why.
        case unreadable(String)
        /// The user restored others.
        case replaced
    }

    /// The unique id of the set-aside record.
    public let id: String
    /// When the palettes were set aside.
    public let time: Date
    /// Why the palettes were set aside.
    public let cause: Cause
    /// The number of palettes that can be restored; 0 if none can.
    public let count: Int
    /// Why the palettes can't be restored; `nil` if they can.
    public let problem: String?
}

extension PaletteStore {
    /// The recorded reason for setting palettes aside because others were restored.
    static let replacedReason = "Other palettes were restored."

    /// Reads this store's set-aside palettes into ``setAside``.
    ///
    /// - Throws: ``PaletteError/failed(_:)``.
    public func loadSetAside() async throws(PaletteError) {
        // Read first: a report that arrives meanwhile must trigger another load.
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
                    // Another process has restored or deleted them.
                    if error.code == .missing { continue }
                    problem = error.code == .corrupt ? ArtWords.stillDamaged : error.message
                }
                found.append(
                    SetAsidePalettes(id: record.id, time: record.time, cause: cause, count: count, problem: problem))
            }
            show(setAside: found, asOf: reportCount)
        }
    }

    /// Reloads the set-aside palettes, if some were set aside since the last load.
    public func loadNewSetAside() async {
        guard reports.count != loadedReports else { return }
        // After a failure, the next call tries again.
        try? await loadSetAside()
    }

    /// The bytes of set-aside palettes, unchanged.
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

    /// Replaces the current palettes by set-aside ones, and sets the current ones aside.
    ///
    /// - Throws: ``PaletteError``: `noSetAside` if they were restored or deleted meanwhile, `notRestorable` if their
    ///   bytes can't be decoded; nothing is changed then. `newerVersion` or `failed`, if they can't be stored.
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
            try await stored.restore(record, reason: Self.replacedReason, within: Self.flushTimeout)
        } catch {
            throw error.code == .missing ? .noSetAside : PaletteError(error)
        }
        try await loadSetAside()
    }

    /// Deletes set-aside palettes.
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
    /// Reads the set-aside palettes of all stores.
    ///
    /// - Throws: ``PaletteError/failed(_:)``, of the first store that can't be read; the others are read anyway.
    public func loadSetAside() async throws(PaletteError) {
        try await forEachStore { store throws(PaletteError) in try await store.loadSetAside() }
    }

    /// Reloads the set-aside palettes of each store that has set some aside since the last load.
    public func loadNewSetAside() async {
        for store in stores { await store.loadNewSetAside() }
    }
}

import Capture
public import Foundation
import Loading
import Persistence

// The versions of an address: the pages that were saved from it.

/// A version of an address, for display.
public struct PageVersion: Hashable, Sendable {
    /// The page.
    public let item: LibraryItem
    /// The version before it; `nil` for the first one.
    public let previous: SavedPage.ID?
    /// What changed since the version before it; `nil` if they haven't been compared yet.
    public let comparison: VersionComparison?
    /// When captures by a schedule found no change, the newest first.
    public let checks: [Date]
    /// The size of the stored files in bytes, without what older versions have too.
    public let newBytes: Int
}

/// Why two versions couldn't be compared.
public struct ComparisonProblem: Sendable {
    /// A message for the user.
    public let message: String
    let time: Date
}

extension LibraryItem {
    /// When the page was captured; before that, when it was requested.
    public var versionTime: Date { state.value?.capturedAt ?? requestedAt }
}

extension Library {
    /// The maximum number of versions of an address that are listed and compared.
    public nonisolated static let maximumVersions = 200

    /// The versions of a page's address, the newest first; those that haven't been compared yet are compared in the
    /// background.
    ///
    /// - Parameter id: Any version.
    /// - Returns: The versions.
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist or isn't saved; or a storage error.
    public func versions(of id: SavedPage.ID) async throws(LibraryError) -> [PageVersion] {
        guard let versionStore, let item = item(id), !item.isDeleted else { throw .notFound }
        let items = versions(of: item)
        guard !items.isEmpty else { throw .notFound }
        let known = try await versionStore.comparisons(of: Set(items.map(\.id)), owner: owner)
        let checks = try await versionStore.checks(
            ofAddress: item.request.url.pageKey, owner: owner, limit: Self.maximumVersions)
        let newBytes = try await newBytes(of: items)
        var versions: [PageVersion] = []
        var isCompared = true
        for (index, item) in items.enumerated() {
            let previous = index + 1 < items.count ? items[index + 1].id : nil
            let comparison = previous.flatMap { known[VersionPair(old: $0, new: item.id)] }
            if previous != nil, comparison == nil { isCompared = false }
            versions.append(
                PageVersion(
                    item: item, previous: previous, comparison: comparison,
                    checks: checks.filter { $0.page == item.id }.map(\.checkedAt), newBytes: newBytes[item.id] ?? 0))
        }
        if !isCompared { compareVersions(of: id) }
        return versions
    }

    /// The size of what each version has in addition to those before it.
    private func newBytes(of items: [LibraryItem]) async throws(LibraryError) -> [SavedPage.ID: Int] {
        let kinds = Set(PageFormat.allCases.map { FileKind($0) })
        let parts = try await versionStore?.storedParts(of: Set(items.map(\.id)), kinds: kinds, owner: owner) ?? [:]
        var (known, bytes) = (Set<String>(), [SavedPage.ID: Int]())
        for item in items.reversed() {
            let new = parts[item.id, default: [:]].filter { known.insert($0.key).inserted }
            bytes[item.id] = new.values.reduce(0, +)
        }
        return bytes
    }

    /// The versions of a page's address, the newest first.
    private func versions(of item: LibraryItem) -> [LibraryItem] {
        Array(copies(of: item).sorted { $0.versionTime > $1.versionTime }.prefix(Self.maximumVersions))
    }

    /// The stored comparisons of versions with those before them.
    public func comparisons(
        of new: Set<SavedPage.ID>
    ) async throws(LibraryError) -> [VersionPair: VersionComparison] {
        try await versionStore?.comparisons(of: new, owner: owner) ?? [:]
    }

    /// Compares each version of a page's address with the one before it, in the background.
    public func compareVersions(of id: SavedPage.ID) { compare(.neighbours(id)) }

    /// Compares two versions in the background, unless that has failed within the last minute.
    ///
    /// Otherwise, an open page with a problem would cause it again at each of its updates.
    public func compare(_ pair: VersionPair) {
        if let problem = comparisonProblems[pair], configuration.now().timeIntervalSince(problem.time) < 60 { return }
        compare(.pair(pair))
    }

    private func compare(_ work: VersionWork) {
        guard versionStore != nil, !isShuttingDown, !uncompared.contains(work) else { return }
        uncompared.append(work)
        guard comparing == nil else { return }
        // It works for later calls, too.
        comparing = RequestID.$current.withValue(nil) {
            Task {
                defer { comparing = nil }
                while !isShuttingDown, !uncompared.isEmpty {
                    switch uncompared.removeFirst() {
                    // What fails is compared again when its versions are opened.
                    case .neighbours(let id): try? await compareNeighbours(of: id)
                    case .pair(let pair): await compareReporting(pair)
                    }
                }
            }
        }
    }

    /// What is to be compared.
    enum VersionWork: Hashable {
        case neighbours(SavedPage.ID)
        case pair(VersionPair)
    }

    private func compareReporting(_ pair: VersionPair) async {
        do throws(LibraryError) {
            _ = try await comparison(of: pair)
            comparisonProblems[pair] = nil
        } catch {
            comparisonProblems[pair] = ComparisonProblem(message: "\(error)", time: configuration.now())
            comparedVersions += 1
        }
    }

    private func compareNeighbours(of id: SavedPage.ID) async throws(LibraryError) {
        guard let versionStore, let item = item(id) else { return }
        let items = versions(of: item)
        let known = try await versionStore.comparisons(of: Set(items.map(\.id)), owner: owner)
        for (new, old) in zip(items, items.dropFirst()) {
            let pair = VersionPair(old: old.id, new: new.id)
            guard known[pair] == nil else { continue }
            if isShuttingDown { return }
            _ = try await comparison(of: pair)
        }
    }

    /// What changed between two versions, which is stored.
    ///
    /// - Parameter pair: The versions.
    /// - Returns: The comparison.
    /// - Throws: ``LibraryError/notFound`` if a version doesn't exist; ``LibraryError/rendering(_:)`` if they can't be
    ///   compared now; or a storage error.
    public func comparison(of pair: VersionPair) async throws(LibraryError) -> VersionComparison {
        guard let versionStore, item(pair.old)?.isDeleted == false, item(pair.new)?.isDeleted == false else {
            throw .notFound
        }
        if let known = try await versionStore.comparisons(of: [pair.new], owner: owner)[pair] { return known }
        let texts = (try await text(of: pair.old), try await text(of: pair.new))
        let (old, new) = (try await picture(of: pair.old), try await picture(of: pair.new))
        let comparison = try await Self.compare(
            texts, (old, new), capturer: capturer)
        try await versionStore.saveComparison(comparison, of: pair, owner: owner)
        comparedVersions += 1
        return comparison
    }

    /// The text of a version; `nil` if it has none.
    public func text(of id: SavedPage.ID) async throws(LibraryError) -> String? {
        do throws(LibraryError) {
            return String(decoding: try await file(.text, of: id).read(), as: UTF8.self)
        } catch .notFound {
            return nil
        }
    }

    private func picture(of id: SavedPage.ID) async throws(LibraryError) -> PageFile? {
        try await store.file(.png, of: id, owner: owner)
    }

    @concurrent
    static func compare(
        _ texts: (old: String?, new: String?), _ pictures: (old: PageFile?, new: PageFile?),
        capturer: any PageCapturing
    ) async throws(LibraryError) -> VersionComparison {
        var comparison = VersionComparison(words: nil, picture: nil)
        if let old = texts.old, let new = texts.new {
            comparison.words = old == new ? TextChanges.Count() : TextChanges(from: old, to: new).count
        }
        if let old = pictures.old, let new = pictures.new {
            do throws(CaptureFailure) {
                comparison.picture = try await capturer.pictureChanges(from: old, to: new)
            } catch {
                if error.canRetry { throw .rendering(error.message) }
            }
        }
        return comparison
    }

    /// Records that the owner has opened a version, so that it no longer counts as changed.
    public func recordOpening(of id: SavedPage.ID) async throws(LibraryError) {
        if let versionStore, openedVersions.insert(id).inserted {
            try await versionStore.recordOpening(of: id, owner: owner, at: configuration.now())
        }
        try await recordReading(of: id)
    }
}

extension PageCapturing {
    /// Compares two pictures in this process.
    public func pictureChanges(
        from old: PageFile, to new: PageFile
    ) async throws(CaptureFailure) -> PictureChanges {
        try await PictureChanges.compare(old, new)
    }
}

extension PictureChanges {
    /// Compares two pictures, which may be damaged.
    @concurrent
    package static func compare(_ old: PageFile, _ new: PageFile) async throws(CaptureFailure) -> PictureChanges {
        do {
            return try PictureChanges(from: try await old.read(), to: try await new.read())
        } catch {
            let isDamaged = error is PictureRows.Problem
            throw CaptureFailure(
                code: "picture", message: LibraryWords.uncomparedPicture(because: "\(error)"), canRetry: !isDamaged)
        }
    }
}

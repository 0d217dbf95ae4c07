public import Capture
public import Foundation
public import Persistence

/// Two versions of an address.
public struct VersionPair: Hashable, Sendable {
    /// The old version.
    public var old: SavedPage.ID
    /// The new version.
    public var new: SavedPage.ID

    /// Creates a pair.
    public init(old: SavedPage.ID, new: SavedPage.ID) { (self.old, self.new) = (old, new) }
}

/// What changed between two versions of an address.
public struct VersionComparison: Hashable, Codable, Sendable {
    /// The words that changed; `nil` if a version has no text.
    public var words: TextChanges.Count?
    /// The pixels that changed; `nil` if a version has no picture that can be read.
    public var picture: PictureChanges?

    /// Creates a comparison.
    public init(words: TextChanges.Count?, picture: PictureChanges?) { (self.words, self.picture) = (words, picture) }

    /// Whether all that can be compared is the same, and something can.
    public var isUnchanged: Bool {
        (words != nil || picture != nil) && words?.isUnchanged ?? true && picture?.isUnchanged ?? true
    }
}

/// A capture by a schedule that found no change.
public struct VersionCheck: Hashable, Sendable {
    /// The version that is still the same.
    public var page: SavedPage.ID
    /// When it was checked.
    public var checkedAt: Date

    /// Creates a record of a check.
    public init(page: SavedPage.ID, checkedAt: Date) { (self.page, self.checkedAt) = (page, checkedAt) }
}

/// How a scheduled capture ended.
public enum ScheduledOutcome: Sendable {
    /// The page changed: the capture becomes a page with this identifier.
    case changed(PageCapture, as: SavedPage.ID)
    /// The version is still the same.
    case unchanged(SavedPage.ID)
    /// It failed.
    case failed(CaptureFailure)
}

/// Stores what versions of an address have beside their pages: comparisons, checks and schedules.
///
/// A change is durable once the call returns. All belongs to an owner; to other owners, it is unknown.
public protocol VersionStore: Sendable {
    /// The stored comparisons of versions with any older ones.
    func comparisons(
        of new: Set<SavedPage.ID>, owner: OwnerID
    ) async throws(LibraryError) -> [VersionPair: VersionComparison]

    /// Stores a comparison, unless a page doesn't exist; a new capture of either page removes it.
    func saveComparison(
        _ comparison: VersionComparison, of pair: VersionPair, owner: OwnerID
    ) async throws(LibraryError)

    /// What the files of versions consist of: for each, the parts that other versions may share, and their sizes in bytes.
    ///
    /// - Parameters:
    ///   - ids: The versions.
    ///   - kinds: The kinds of the files.
    ///   - owner: The owner of the pages.
    /// - Returns: The sizes by the digests of the parts; a file without equal parts is one part.
    /// - Throws: ``LibraryError`` if the store can't be read.
    func storedParts(
        of ids: Set<SavedPage.ID>, kinds: Set<FileKind>, owner: OwnerID
    ) async throws(LibraryError) -> [SavedPage.ID: [String: Int]]

    /// Records that the owner has opened a version, unless that is recorded already.
    func recordOpening(of id: SavedPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError)

    /// The checks of an address that found no change, the newest first.
    func checks(ofAddress key: String, owner: OwnerID, limit: Int) async throws(LibraryError) -> [VersionCheck]

    /// The schedules of an owner, by address.
    func schedules(ofOwner owner: OwnerID) async throws(LibraryError) -> [RecaptureSchedule]

    /// Adds a schedule, or replaces that of the same address.
    ///
    /// - Throws: ``LibraryError/overBudget(_:)`` if the owner has ``RecaptureSchedule/maximumCount``; or a storage error.
    func setSchedule(_ schedule: RecaptureSchedule, owner: OwnerID) async throws(LibraryError)

    /// Removes a schedule, and cancels its capture; does nothing if there is none.
    func removeSchedule(ofAddress key: String, owner: OwnerID) async throws(LibraryError)

    /// The owners of schedules whose time has come.
    func ownersWithDueSchedules(at time: Date) async throws(LibraryError) -> [OwnerID]

    /// Begins the capture of a schedule.
    ///
    /// If the capture was begun already, before a restart, it goes on.
    ///
    /// - Returns: The schedule, with its capture; `nil` if it no longer exists or isn't due.
    func beginScheduled(
        ofAddress key: String, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> RecaptureSchedule?

    /// Ends the capture of a schedule, and sets its next time, in one transaction.
    ///
    /// - Returns: Whether the outcome was stored; it isn't if the schedule has been removed or replaced.
    func endScheduled(
        _ schedule: RecaptureSchedule, _ outcome: ScheduledOutcome, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> Bool
}

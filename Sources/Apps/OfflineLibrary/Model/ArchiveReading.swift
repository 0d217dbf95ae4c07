public import Capture

/// Reads the texts of archives that were saved before texts were searched, one after another.
///
/// Each text is stored before the next archive is read, so that the work continues where it stopped after a restart.
public struct ArchiveReading: Sendable {
    private let store: any LibraryStore
    private let capturer: any PageCapturing
    private let options: CaptureOptions

    /// Creates the work.
    ///
    /// - Parameters:
    ///   - store: The store of the pages.
    ///   - capturer: Reads archives.
    ///   - options: The options for reading them.
    public init(store: any LibraryStore, capturer: any PageCapturing, options: CaptureOptions) {
        (self.store, self.capturer, self.options) = (store, capturer, options)
    }

    /// Reads all archives without a text, until none is left or the task is cancelled.
    ///
    /// An archive that can never be read gets an empty text. One that can't be read now is tried again at the next call.
    ///
    /// - Returns: The number of texts that were stored.
    /// - Throws: ``LibraryError`` if the store fails.
    @discardableResult
    public func run() async throws(LibraryError) -> Int {
        var (number, count) = (Int64.min, 0)
        while !Task.isCancelled, let archive = try await store.unreadArchive(after: number) {
            number = archive.number
            let text: String
            do throws(CaptureFailure) {
                text = try await capturer.text(of: archive.file, options: options)
            } catch {
                if error.canRetry { continue }
                text = ""
            }
            try await store.saveText(text, of: archive)
            count += 1
        }
        return count
    }
}

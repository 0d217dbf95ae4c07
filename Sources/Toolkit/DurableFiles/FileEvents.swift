package import Dispatch

/// Events about changes of a file or in a folder: inotify on Linux, a dispatch source on Apple platforms.
///
/// It occupies no thread.
package struct FileEvents: @unchecked Sendable {
    // Unchecked: the only use of the dispatch source is to cancel it, which any thread may do.
    private let source: any DispatchSourceProtocol

    /// Whether events about a folder name the changed files.
    package static var haveNames: Bool {
        #if canImport(Darwin)
            false
        #else
            true
        #endif
    }

    /// Starts watching; `nil` if the file does not exist, or the system can't watch it.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - queue: The queue that `report` is called on.
    ///   - report: Called after changes, with the names of the changed files in the folder. Names may be missing: the system
    ///     drops events when there are many, and Apple platforms provide no names.
    package init?(of path: String, on queue: DispatchQueue, _ report: @escaping @Sendable (Set<String>) -> Void) {
        #if canImport(Darwin)
            guard let file = try? OpenFile(path, .reading) else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: file.descriptor, eventMask: [.write, .delete, .rename], queue: queue)
            source.setEventHandler { report([]) }
            source.setCancelHandler { withExtendedLifetime(file) {} }
        #else
            guard let events = SystemCall.events(of: path) else { return nil }
            let source = DispatchSource.makeReadSource(fileDescriptor: events, queue: queue)
            source.setEventHandler { report(SystemCall.takeEvents(events)) }
            source.setCancelHandler { SystemCall.stopEvents(events) }
        #endif
        source.resume()
        self.source = source
    }

    /// Stops watching.
    package func stop() {
        source.cancel()
    }
}

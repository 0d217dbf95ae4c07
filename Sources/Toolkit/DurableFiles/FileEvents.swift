package import Dispatch

/// What the system tells of changes to a file or in a folder: inotify on Linux, a dispatch source on Apple's systems.
///
/// It keeps no thread.
package struct FileEvents: @unchecked Sendable {
    // Unchecked: a dispatch source may be cancelled from any thread, and no more is done with it.
    private let source: any DispatchSourceProtocol

    /// Begins to watch; `nil` if there is no such file, or the system can't watch it.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - queue: Where `report` is called.
    ///   - report: Called after changes, with the names in the folder that have changed. They may be too few: the system loses
    ///     some when there are many, and Apple's systems tell none.
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
            source.setCancelHandler { SystemCall.closeFile(events) }
        #endif
        source.resume()
        self.source = source
    }

    /// Ends the watching.
    package func stop() {
        source.cancel()
    }
}

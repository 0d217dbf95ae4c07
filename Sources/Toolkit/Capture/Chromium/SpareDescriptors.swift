import Foundation
package import SystemPackage

/// As many descriptors as Subprocess needs for a process; close them just before it starts one.
///
/// Without them, swift-subprocess 1.0.2 starts a process that it never reports as ended: it waits by a descriptor of the
/// process, and doesn't notice that it couldn't open it. At the first process of the program, it also opens two for a queue
/// of events.
package struct SpareDescriptors: Sendable {
    private var files: [FileDescriptor] = []

    /// Opens the descriptors.
    ///
    /// - Parameter file: Any open file.
    /// - Throws: The system's error if there aren't enough.
    package init(copiedFrom file: FileDescriptor) throws(Errno) {
        while files.count < 3 {
            let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else {
                let error = Errno(rawValue: errno)
                close()
                throw error
            }
            files.append(FileDescriptor(rawValue: copy))
        }
    }

    /// Closes the descriptors.
    package func close() {
        for file in files { try? file.close() }
    }
}

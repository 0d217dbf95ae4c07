import Foundation
package import SystemPackage

/// A pair of connected local sockets.
package enum SocketPair {
    /// Creates a pair of stream sockets that other programs started by this process don't inherit.
    package static func make() throws(Errno) -> (ours: FileDescriptor, theirs: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #else
            #if canImport(Glibc)
                let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            #else
                let kind = SOCK_STREAM | SOCK_CLOEXEC
            #endif
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        #endif
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }
}

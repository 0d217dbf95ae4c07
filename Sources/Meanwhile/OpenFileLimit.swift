#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit of open files and sockets of this process.
enum OpenFileLimit {
    /// What the server wants: two thousand connections, and room for the database, jobs and files.
    private static let wanted: UInt = 8_192

    /// Raises the limit as far as that is wanted and allowed.
    ///
    /// - Returns: The limit.
    static func raise() -> Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            _ = setrlimit(resource, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}

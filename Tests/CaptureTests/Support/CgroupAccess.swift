import Foundation

@testable import Capture

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether this account can create memory cgroups; checked independently of the product's code.
enum CgroupAccess {
    static let reason = "This account can't create a memory cgroup here."

    static let isAvailable: Bool = {
        guard let own = MemoryCgroup.ofThisProcess() else { return false }
        let folder = own.folder + "/meanwhile-test-access-\(UUID().uuidString)"
        guard mkdir(folder, 0o700) == 0 else { return false }
        defer { rmdir(folder) }
        return ["memory.limit_in_bytes", "memory.max"].contains { access("\(folder)/\($0)", W_OK) == 0 }
    }()
}

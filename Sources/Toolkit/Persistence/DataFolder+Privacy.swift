import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DataFolder {
    /// Makes sure that no other account can enter the folder.
    ///
    /// What lies in it is then out of their reach, whatever its own permissions are.
    func makePrivate() throws(PersistenceError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_uid == geteuid(), Disk.isOpenToOthers(status.st_mode) {
            try checkThatItIsOurs(mode: status.st_mode)
        }
        try makePrivate(path)
    }

    /// Makes sure that no other account can read the files of the database, nor enter the folder of the blobs.
    ///
    /// While the folder was open to others, one may have made them.
    func makeFilesPrivate() throws(PersistenceError) {
        for name in DamagedFiles.names { try makePrivate(path(of: name)) }
    }

    private func makePrivate(_ path: String) throws(PersistenceError) {
        let ownership: Disk.Ownership
        do throws(Errno) {
            ownership = try Disk.makePrivate(path)
        } catch {
            throw PersistenceError(error, "is open to other accounts, and they could not be kept out", at: path)
        }
        guard case .anotherAccount(let number) = ownership else { return }
        throw PersistenceError(
            .notWritable,
            "\(path) belongs to the account \(Self.name(ofAccount: number)), and this program runs as "
                + "\(Self.name(ofAccount: geteuid())). Run it as its owner, change its owner (chown), or choose another data "
                + "folder.")
    }

    /// Refuses a folder that other programs may need as it is.
    ///
    /// - Parameter mode: The folder's, which is open to others.
    /// - Throws: ``PersistenceError`` with the code `notWritable`.
    private func checkThatItIsOurs(mode: mode_t) throws(PersistenceError) {
        let names: [String]
        do throws(Errno) {
            names = try Disk.real.list(path)
        } catch {
            throw PersistenceError(error, "could not be read", at: path)
        }
        let isOurs = names.isEmpty || names.contains("meanwhile.sqlite")
        guard !isOurs || mode & S_ISVTX != 0 else { return }
        throw PersistenceError(
            .notWritable,
            "\(path) is open to other accounts, and holds other things than this program's data or is meant for all. Choose "
                + "an empty folder, or keep the others out: chmod 700 \(path)")
    }

    private static func name(ofAccount number: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(number, &entry, start, buffer.count, &found) == 0,
                found != nil, let name = entry.pw_name
            else { return "\(number)" }
            return String(cString: name)
        }
    }
}

import DurableFiles
import Foundation
import SystemPackage

extension DataFolder {
    /// Makes sure that no other account can enter the folder.
    ///
    /// Other accounts then can't access the files in it either, whatever the permissions of those files are.
    func makePrivate() throws(StoreError) {
        let openness = Disk.openness(of: path)
        if openness.isOpenToOthers { try refuseSharedFolder(isSticky: openness.isSticky) }
        try makePrivate(path)
    }

    /// Makes sure that no other account can read the database files or enter the folder of the blobs.
    ///
    /// If the folder was accessible to other accounts before, one of them may have created these files.
    func makeFilesPrivate() throws(StoreError) {
        for name in DamagedFiles.names { try makePrivate(path(of: name)) }
    }

    private func makePrivate(_ path: String) throws(StoreError) {
        let ownership = try onDisk("is open to other accounts, and its permissions could not be restricted", at: path) {
            () throws(Errno) in
            try Disk.makePrivate(path)
        }
        guard case .anotherAccount(let name) = ownership else { return }
        throw StoreError(
            .notWritable,
            "\(path) belongs to the account \(name), and this program runs as "
                + "\(Disk.accountName). Run it as its owner, change its owner (chown), or choose another data "
                + "folder.")
    }

    /// Refuses a folder whose permissions other programs may depend on.
    ///
    /// - Throws: ``StoreError`` with the code `notWritable`.
    private func refuseSharedFolder(isSticky: Bool) throws(StoreError) {
        let names = try onDisk("could not be read", at: path) { () throws(Errno) in try Disk.real.list(path) }
        let isDataFolder = names.contains("meanwhile.sqlite") || names.allSatisfy { $0.hasPrefix(Self.trialName) }
        guard !isDataFolder || isSticky else { return }
        throw StoreError(
            .notWritable,
            "\(path) is open to other accounts, and is shared or contains other files than this program's data. Choose "
                + "an empty folder, or restrict access: chmod 700 \(path)")
    }
}

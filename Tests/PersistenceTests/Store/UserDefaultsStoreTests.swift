import DurableFiles
import Foundation
import StoreTesting
import Testing

@testable import Persistence

/// The lock, the import and the damage of a store in user defaults.
@Suite(.timeLimit(.minutes(20))) struct UserDefaultsStoreTests {
    #if !canImport(Darwin)
        @Test func defaultLockIsInTheDataFolderOfTheAccount() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                // Foundation writes the defaults to the configuration folder.
                for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] { setenv(name, path, 1) }
                try await UserDefaultsStore(suite: "meanwhile-tests-lock").put("a", "1")
                #expect(Disk.exists(path + "/meanwhile/defaults.lock"))
                #expect(openToOthers(below: path + "/meanwhile") == [])
            }
        }
    #endif
}

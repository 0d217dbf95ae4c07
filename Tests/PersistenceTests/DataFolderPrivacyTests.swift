import Foundation
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Other accounts of the machine can neither read what is stored nor have the program write elsewhere.
@Suite(.timeLimit(.minutes(20))) struct DataFolderPrivacyTests {
    let folder: TemporaryFolder
    var data: String { folder.path + "/data" }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// The lock's holder is written into its file.
    @Test func aLockThatIsALinkIsRefusedAndItsTargetLeftAlone() async throws {
        let target = folder.path + "/important"
        try Data("important".utf8).write(to: URL(filePath: target))
        let data = try folder.data
        try FileManager.default.createSymbolicLink(atPath: "\(data.path)/server.lock", withDestinationPath: target)
        #expect(await code { try data.lock(for: "server").release() } == .notAFolder)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "important")
    }

    @Test func aPipeInPlaceOfALockIsRefused() async throws {
        let data = try folder.data
        try #require(mkfifo("\(data.path)/server.lock", 0o600) == 0)
        #expect(await code { try data.lock(for: "server").release() } == .inputOutput)
    }

    @Test func aPipeInPlaceOfAFileFailsTheReadingAndDoesNotStopIt() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path + "/values" as String] in
            let store = try await FolderStore.open(at: path)
            try #require(mkfifo(path + "/a.kept", 0o600) == 0)
            // Ends this process if the reading waits for a writer that never comes.
            alarm(120)
            #expect(await code { _ = try await store.read("a") } == .inputOutput)
        }
    }
}

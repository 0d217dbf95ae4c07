import Foundation
import Testing

/// Tests of the fixture itself.
@Suite(.timeLimit(.minutes(20))) struct SampleStoreFixtureTests {
    @Test func folderOfMemoryStoreIsRemovedAtItsEnd() async throws {
        func pathOfUsedFixture() async throws -> String {
            let fixture = try SampleStoreFixture(.memory)
            _ = try await fixture.open()
            return fixture.path
        }
        let path = try await pathOfUsedFixture()
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

import EmojiArtModel
import Foundation
import StoreTesting
import Strace
import Testing

@testable import EmojiArtStore

/// Kills a process just before each system call that changes the disk, and checks the stored data.
@Suite(.timeLimit(.minutes(60))) struct BoardCallKillTests {
    @Test(.enabled("Needs strace, to kill the program at a given system call.") { TracedProgram.isStraceInstalled })
    func acknowledgedBatchesSurviveKillAtEachSystemCall() async throws {
        let fixture = try await KillFixture()
        let batches = isSoak ? 12 : 2
        var kills = 0
        for call in TracedProgram.writingCalls {
            for time in 1... {
                try fixture.clearAcknowledgedBatches()
                let writer = TracedProgram(
                    TracedProgram.pathBesideTests("StoreWriter"),
                    ["boards", fixture.path, "\(batches)", KillFixture.acknowledged(in: fixture.path)])
                let end = await writer.run(killedAt: call, ordinal: time)
                try await fixture.checkSequentialBatches(hasPictures: false)
                if end == .ended { break }
                try #require(end == .killed, "strace neither ended nor killed the writer")
                kills += 1
            }
        }
        #expect(kills >= 15, "\(kills) kills")
    }
}

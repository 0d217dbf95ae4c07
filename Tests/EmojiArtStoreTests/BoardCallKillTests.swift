import EmojiArtModel
import Foundation
import StoreTesting
import Strace
import Testing

@testable import EmojiArtStore

/// Kills a process just before each system call that changes the disk, and checks the stored data.
@Suite(.timeLimit(.minutes(60))) struct BoardCallKillTests {
    @Test(.enabled("strace ends a program at a given call") { TracedProgram.isPossible })
    func killedAtEachCallOfTheSystem() async throws {
        let place = try await KillPlace()
        let batches = isSoak ? 12 : 2
        var kills = 0
        for call in TracedProgram.writingCalls {
            for time in 1... {
                try place.begin()
                let writer = TracedProgram(
                    TracedProgram.besideTests("StoreWriter"),
                    ["boards", place.path, "\(batches)", KillPlace.acknowledged(in: place.path)])
                let end = await writer.run(killedAt: call, time: time)
                try await place.checkSteps(hasPictures: false)
                if end == .ended { break }
                try #require(end == .killed, "strace did neither")
                kills += 1
            }
        }
        #expect(kills >= 15, "\(kills) kills")
    }
}

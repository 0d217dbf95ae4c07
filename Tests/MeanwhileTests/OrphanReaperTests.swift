import BrowserDriver
import FixtureSite
import Foundation
import Testing

@testable import Capture

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Tests of `OrphanReaper`.
@Suite(.timeLimit(.minutes(20))) struct OrphanReaperTests {
    /// Regression test: the zombies of a killed program's browser stayed, and occupied a processor.
    @Test(arguments: [false, true])
    func orphanIsReapedAfterItsProgram(isOrphanedBeforeTheKill: Bool) async throws {
        // As the first Chromium of another test does.
        ProcessTree.adoptOrphans()
        try await Workspace.with { workspace in
            let orphanFile = workspace.root + "/orphan"
            let start = #"sleep 600 & echo $! >"$1.new"; mv "$1.new" "$1""#
            let script = isOrphanedBeforeTheKill ? "(\(start)); exec sleep 600" : "\(start); wait"
            let outcome = try await workspace.run(["/bin/sh", "-c", script, "sh", orphanFile]) { program in
                try await program.wait(until: "the program has a child") { workspace.exists(orphanFile) }
                if isOrphanedBeforeTheKill {
                    let orphan = try Self.process(in: orphanFile)
                    try #require(kill(orphan, SIGKILL) == 0)
                    try await program.wait(until: "the orphan has ended") { ProcessEntry(id: orphan)?.state == "Z" }
                    let rounds = OrphanReaper.rounds
                    try await program.wait(until: "zombies have been reaped twice") { OrphanReaper.rounds > rounds + 2 }
                    #expect(ProcessEntry(id: orphan)?.state == "Z")
                }
                try program.send(SIGKILL)
            }
            #expect(outcome.signal == SIGKILL)
            let orphan = try Self.process(in: orphanFile)
            if !isOrphanedBeforeTheKill { try #require(kill(orphan, SIGKILL) == 0) }
            try await eventually("the orphan has been reaped") { ProcessEntry(id: orphan) == nil }
        }
    }

    private static func process(in file: String) throws -> Int32 {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
    }
}

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

/// Tests how the tests reap what killed programs leave.
@Suite(.timeLimit(.minutes(20))) struct OrphanReaperTests {
    /// Regression test: the zombies of a killed program's browser stayed, and occupied a processor.
    @Test func orphanOfAKilledProgramIsReaped() async throws {
        // As the first Chromium of another test does.
        ProcessTree.adoptOrphans()
        try await Workspace.with { workspace in
            let orphanFile = workspace.root + "/orphan"
            let outcome = try await workspace.run(
                ["/bin/sh", "-c", #"sleep 600 & echo $! >"$1.new"; mv "$1.new" "$1"; wait"#, "sh", orphanFile]
            ) { program in
                try await program.wait(until: "the program has a child") { workspace.exists(orphanFile) }
                try program.send(SIGKILL)
            }
            #expect(outcome.signal == SIGKILL)
            let text = try String(contentsOfFile: orphanFile, encoding: .utf8)
            let orphan = try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
            try #require(kill(orphan, SIGKILL) == 0)
            try await eventually("the orphan has been reaped") { ProcessEntry(id: orphan) == nil }
        }
    }
}

import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

@testable import Capture

/// A command to the browser under every schedule that could be found: it ends once, whatever comes at the same instant.
@Suite(.timeLimit(.minutes(20))) struct DevToolsExplorations {
    private static let schedules = isSoak ? 5_000 : 300

    private struct Question: DevToolsCommand {
        static let method = "Test.question"
        struct Reply: Decodable, Sendable {
            var answer: Int
        }
    }

    private enum Ending: Equatable {
        case answer(Int)
        case error(DevToolsError.Code)
    }

    private static func ask(_ connection: DevToolsConnection) -> Task<Ending, Never> {
        Task {
            do throws(DevToolsError) {
                return .answer(try await connection.send(Question(), deadline: .seconds(5)).answer)
            } catch {
                return .error(error.code)
            }
        }
    }

    /// Does something at the very instant of the deadline, by the clock of the exploration: no time passes.
    private static func atTheDeadline(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: .seconds(5))
            body()
        }
    }

    @Test func anAnswerADeadlineAndACancellationTogetherAreOneEnding() {
        let endings = Endings()
        explore(schedules: Self.schedules) {
            let browser = try FakeBrowser()
            // With it, its end of the connection would go.
            defer { withExtendedLifetime(browser) {} }
            let connection = browser.connection
            let asking = Self.ask(connection)
            let answering = Self.atTheDeadline { connection.receive(Data(#"{"id":1,"result":{"answer":42}}"#.utf8)) }
            let cancelling = Self.atTheDeadline { asking.cancel() }
            let ending = await asking.value
            _ = await (answering.value, cancelling.value)
            check(
                [.answer(42), .error(.deadlineExceeded), .error(.cancelled)].contains(ending), "it ended with \(ending)"
            )
            endings.add("\(ending)")
            // A second answer to the same command is nobody's.
            connection.receive(Data(#"{"id":1,"result":{"answer":1}}"#.utf8))
        }
        #expect(endings.all.count == 3, "\(endings.all)")
    }

    @Test func whatClosesWhileItIsAskedFailsAllWhoWait() {
        explore(schedules: Self.schedules) {
            let browser = try FakeBrowser()
            defer { withExtendedLifetime(browser) {} }
            let connection = browser.connection
            let asking = (0..<3).map { _ in Self.ask(connection) }
            let closing = Task { connection.close(DevToolsError(.disconnected, "gone")) }
            let late = Self.ask(connection)
            for task in asking + [late] {
                let ending = await task.value
                check(ending == .error(.disconnected), "it ended with \(ending)")
            }
            await closing.value
        }
    }
}

/// The kinds of endings that came.
private final class Endings: Sendable {
    private let lock = Lock<Set<String>>([])

    var all: Set<String> { lock.withLock { $0 } }

    func add(_ ending: String) {
        lock.withLock { _ = $0.insert(ending) }
    }
}

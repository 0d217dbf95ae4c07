import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

@testable import Capture

/// Explores a command under many schedules: it ends exactly once, whatever happens at the same instant.
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

    /// Calls `body` at the instant of the deadline, by the exploration's virtual clock.
    private static func atTheDeadline(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: .seconds(5))
            body()
        }
    }

    @Test func simultaneousReplyDeadlineAndCancellationGiveOneOutcome() {
        let endings = Endings()
        explore(schedules: Self.schedules) {
            let browser = try FakeBrowser()
            // Deallocating the browser would close its end of the connection.
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
            // A second reply to the same command is ignored.
            connection.receive(Data(#"{"id":1,"result":{"answer":1}}"#.utf8))
        }
        #expect(endings.all.count == 3, "\(endings.all)")
    }

    @Test func closingTheConnectionFailsAllPendingCommands() {
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

/// Collects the distinct endings.
private final class Endings: Sendable {
    private let lock = Lock<Set<String>>([])

    var all: Set<String> { lock.withLock { $0 } }

    func add(_ ending: String) {
        lock.withLock { _ = $0.insert(ending) }
    }
}

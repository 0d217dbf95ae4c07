import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

@Suite struct CombiningHunts {
    @Test func mergeDeliversEverything() {
        hunt("merge (2)", "every element arrives once, in each sequence's order") {
            let received = try await elements(of: merge(QuietSequence([1, 2, 3]), QuietSequence([11, 12])))
            check(received.filter { $0 < 10 } == [1, 2, 3], "received \(received)")
            check(received.filter { $0 > 10 } == [11, 12], "received \(received)")
        }
        hunt("merge (3)", "every element arrives once, in each sequence's order") {
            let merged = merge(QuietSequence([1, 2]), QuietSequence([11, 12]), QuietSequence([21]))
            let received = try await elements(of: merged)
            check(received.filter { $0 < 10 } == [1, 2], "received \(received)")
            check(received.filter { $0 > 10 && $0 < 20 } == [11, 12], "received \(received)")
            check(received.filter { $0 > 20 } == [21], "received \(received)")
        }
    }

    @Test func mergeDeliversElementsBeforeTheError() {
        hunt("merge (3)", "the error ends the sequence, after the elements that were produced before it") {
            let produced = Log<Int>()
            let merged = merge(
                logged([1, 2], produced), YieldingSequence([11, 12]),
                YieldingSequence([21], error: HuntError.expected))
            let received = await elementsAndError(of: merged)
            check(received.last == -1, "received \(received)")
            check(received.contains(21), "received \(received)")
            let own = received.filter { $0 == 1 || $0 == 2 }
            check(own == Array([1, 2].prefix(own.count)), "received \(received)")
        }
    }

    @Test func zipPairsElementsByPosition() {
        hunt("zip (2)", "pairs the elements by position, and ends with the shorter sequence") {
            let received = try await elements(of: zip(QuietSequence([1, 2, 3]), QuietSequence([11, 12])))
            check(received.map { [$0, $1] } == [[1, 11], [2, 12]], "received \(received)")
        }
        hunt("zip (3)", "groups the elements by position, and ends with the shortest sequence") {
            let zipped = zip(QuietSequence([1, 2]), QuietSequence([11, 12]), QuietSequence([21]))
            let received = try await elements(of: zipped)
            check(received.map { [$0, $1, $2] } == [[1, 11, 21]], "received \(received)")
        }
    }

    @Test func combineLatestAdvancesOneElementAtATime() {
        hunt("combineLatest (2)", "each combination differs by one step, and the last is of both last elements") {
            let combined = combineLatest(QuietSequence([1, 2, 3]), QuietSequence([1, 2]))
            let received = try await elements(of: combined)
            check(received.first.map { $0 == 1 || $1 == 1 } ?? false, "received \(received)")
            check(received.last.map { [$0, $1] } == [3, 2], "received \(received)")
            for (before, after) in Swift.zip(received, received.dropFirst()) {
                check(after.0 - before.0 + after.1 - before.1 == 1, "received \(received)")
            }
        }
        hunt("combineLatest (3)", "each combination differs by one step, and the last is of all last elements") {
            let combined = combineLatest(QuietSequence([1, 2]), QuietSequence([1, 2]), QuietSequence([1]))
            let received = try await elements(of: combined)
            check(received.last.map { [$0, $1, $2] } == [2, 2, 1], "received \(received)")
            for (before, after) in Swift.zip(received, received.dropFirst()) {
                check(after.0 - before.0 + after.1 - before.1 + after.2 - before.2 == 1, "received \(received)")
            }
        }
    }

    @Test func combineLatestDeliversCombinationsBeforeTheError() {
        hunt(
            "combineLatest (3)", "combinations of elements that were produced before the error arrive before it",
            expecting: .documented(
                "received [111, -1]", explanation: "an error is thrown immediately, before stored combinations")
        ) {
            let (first, firstContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let (second, secondContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let (third, thirdContinuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let received = Log<Int>()
            let consumer = Task {
                do {
                    for try await combination in combineLatest(first, second, third) {
                        received.append(combination.0 * 100 + combination.1 * 10 + combination.2)
                        // The consumer is slow.
                        try await Task.sleep(for: .seconds(1))
                    }
                } catch {
                    received.append(-1)
                }
            }
            firstContinuation.yield(1)
            secondContinuation.yield(1)
            thirdContinuation.yield(1)
            await waitForOtherTasks()
            // The consumer is busy with the first combination; the next one is stored.
            secondContinuation.yield(2)
            await waitForOtherTasks()
            thirdContinuation.finish(throwing: HuntError.expected)
            await consumer.value
            check([[111, 121, -1]].contains(received.elements), "received \(received.elements)")
            withExtendedLifetime((firstContinuation, secondContinuation)) {}
        }
    }

    @Test func errorsEndCombinations() {
        hunt("zip (2)", "an error of one sequence reaches the consumer, and ends all tasks") {
            let (endless, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let failing = YieldingSequence<Int>([], error: HuntError.expected)
            let received = await elementsAndError(of: zip(failing, endless).map { $0 + $1 })
            check(received == [-1], "received \(received)")
            withExtendedLifetime(continuation) {}
        }
        hunt("combineLatest (2)", "an error of one sequence reaches the consumer, and ends all tasks") {
            let (endless, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
            let failing = YieldingSequence<Int>([1], error: HuntError.expected)
            let received = await elementsAndError(of: combineLatest(failing, endless).map { $0 + $1 })
            check(received == [-1], "received \(received)")
            withExtendedLifetime(continuation) {}
        }
    }

    @Test func cancellationEndsCombinations() {
        for kind in Kind.allCases {
            hunt("\(kind.rawValue) (2)", "cancelling the consumer at any time ends all tasks") {
                let (endless, continuation) = AsyncStream<Int>.makeStream()
                let source = QuietSequence([1, 2])
                continuation.yield(1)
                let consumer = Task {
                    switch kind {
                    case .merge: for await _ in merge(source, endless) { await Task.yield() }
                    case .zip: for await _ in zip(source, endless) { await Task.yield() }
                    case .combineLatest: for await _ in combineLatest(source, endless) { await Task.yield() }
                    }
                }
                let canceller = Task {
                    await Task.yield()
                    consumer.cancel()
                }
                await consumer.value
                await canceller.value
                withExtendedLifetime(continuation) {}
            }
            hunt("\(kind.rawValue) (2)", "leaving the loop ends all tasks") {
                let (endless, continuation) = AsyncStream<Int>.makeStream()
                let source = QuietSequence([1, 2])
                continuation.yield(1)
                continuation.yield(2)
                switch kind {
                case .merge: for await _ in merge(source, endless) { break }
                case .zip: for await _ in zip(source, endless) { break }
                case .combineLatest: for await _ in combineLatest(source, endless) { break }
                }
                withExtendedLifetime(continuation) {}
            }
        }
    }

    @Test func chainDeliversOneAfterTheOther() {
        hunt("chain (2)", "delivers the first sequence, then the second") {
            let received = try await elements(of: chain(QuietSequence([1, 2]), QuietSequence([3])))
            check(received == [1, 2, 3], "received \(received)")
        }
    }

    @Test func sharedIterationOfStatefulSequencesIsPerIterator() {
        hunt("removeDuplicates", "two iterations at the same time don't affect each other") {
            let sequence = QuietSequence([1, 1, 2]).removeDuplicates()
            async let first = elements(of: sequence)
            async let second = elements(of: sequence)
            let received = try await (first, second)
            check(received.0 == [1, 2] && received.1 == [1, 2], "received \(received)")
        }
        hunt("adjacentPairs", "two iterations at the same time don't affect each other") {
            let sequence = QuietSequence([1, 2, 3]).adjacentPairs().map { $0 * 10 + $1 }
            async let first = elements(of: sequence)
            async let second = elements(of: sequence)
            let received = try await (first, second)
            check(received.0 == [12, 23] && received.1 == [12, 23], "received \(received)")
        }
    }
}

private enum Kind: String, CaseIterable {
    case merge
    case zip
    case combineLatest
}

/// Returns a sequence that also appends its elements to a log when they are produced.
private func logged(_ elements: [Int], _ log: Log<Int>) -> AsyncMapSequence<YieldingSequence<Int>, Int> {
    YieldingSequence(elements).map { element in
        log.append(element)
        return element
    }
}

import HuntSupport
import Interleaving
import Testing

@Suite struct GroupHunts {
    @Test func everyResultArrivesOnce() {
        hunt("TaskGroup", "every child's result arrives once, in the order of completion") {
            let completed = Log<Int>()
            let received = await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask {
                        await Task.yield()
                        completed.append(number)
                        return number
                    }
                }
                var received: [Int] = []
                for await number in group { received.append(number) }
                return received
            }
            check(received.sorted() == [0, 1, 2], "received \(received)")
            check(received == completed.elements, "completed \(completed.elements), received \(received)")
        }
    }

    @Test func leavingTheGroupWaitsForItsChildren() {
        hunt("TaskGroup", "leaving the group early waits for all children") {
            let completed = Log<Int>()
            await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask {
                        await Task.yield()
                        completed.append(number)
                    }
                }
                _ = await group.next()
                group.cancelAll()
            }
            check(completed.count == 3, "completed \(completed.elements)")
        }
    }

    @Test func cancellationReachesEveryChild() {
        hunt("TaskGroup", "cancelling the parent at any time cancels every child, also one that is added later") {
            let parent = Task {
                await withTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask {
                            do { try await Task.sleep(for: .seconds(3600)) } catch { return true }
                            return false
                        }
                        await Task.yield()
                    }
                    var cancelled = 0
                    for await wasCancelled in group where wasCancelled { cancelled += 1 }
                    return cancelled
                }
            }
            let canceller = Task { parent.cancel() }
            let cancelled = await parent.value
            await canceller.value
            check(cancelled == 3, "\(cancelled) were cancelled")
        }
    }

    @Test func noChildIsAddedToACancelledGroup() {
        hunt("TaskGroup", "addTaskUnlessCancelled adds a child only if the group isn't cancelled") {
            let parent = Task {
                await withTaskGroup(of: Void.self) { group in
                    await Task.yield()
                    let wasCancelled = group.isCancelled
                    let isAdded = group.addTaskUnlessCancelled {}
                    check(wasCancelled != isAdded, "cancelled: \(wasCancelled), added: \(isAdded)")
                }
            }
            let canceller = Task { parent.cancel() }
            await parent.value
            await canceller.value
        }
    }

    @Test func firstErrorCancelsTheOthers() {
        hunt("ThrowingTaskGroup", "an error that leaves the group cancels the other children, and is thrown") {
            let cancelled = try await cancelledChildren { group in
                while try await group.next() != nil {}
            }
            check(cancelled == 2, "\(cancelled) were cancelled")
        }
        hunt(
            "ThrowingTaskGroup", "waitForAll throws the first error at once",
            expecting: .documented(
                "0 were cancelled", explanation: "`waitForAll` waits for all children before it throws")
        ) {
            let cancelled = try await cancelledChildren { group in try await group.waitForAll() }
            check(cancelled == 2, "\(cancelled) were cancelled")
        }
    }

    @Test func timeoutByAGroup() {
        hunt("ThrowingTaskGroup", "of an operation and a timeout at the same time one wins, and nothing remains") {
            let result = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        try await Task.sleep(for: .seconds(1))
                        return number
                    }
                }
                defer { group.cancelAll() }
                return try await group.next()
            }
            check(result == 0 || result == 1, "\(String(describing: result))")
        }
    }

    @Test func discardingGroupWaitsForItsChildren() {
        hunt("DiscardingTaskGroup", "the group waits for all children, also for those that children's parents add") {
            let completed = Log<Int>()
            await withDiscardingTaskGroup { group in
                for number in 0..<3 {
                    group.addTask {
                        await Task.yield()
                        completed.append(number)
                    }
                    await Task.yield()
                }
            }
            check(completed.count == 3, "completed \(completed.elements)")
        }
    }

    @Test func errorCancelsADiscardingGroup() {
        hunt("ThrowingDiscardingTaskGroup", "the first error cancels the other children and is thrown") {
            let cancelled = Log<Int>()
            do {
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask {
                        await Task.yield()
                        throw HuntError.expected
                    }
                    for number in 0..<2 {
                        group.addTask {
                            do { try await Task.sleep(for: .seconds(3600)) } catch { cancelled.append(number) }
                        }
                    }
                }
                check(false, "no error was thrown")
            } catch {
                check(error is HuntError, "threw \(error)")
            }
            check(cancelled.count == 2, "cancelled \(cancelled.elements)")
        }
    }

    @Test func asyncLetIsCancelledAtTheEndOfItsScope() {
        hunt("async let", "a child that isn't awaited is cancelled and awaited at the end of the scope") {
            let ended = Log<Bool>()
            do {
                async let _: Void = {
                    do { try await Task.sleep(for: .seconds(3600)) } catch { ended.append(true) }
                }()
                await Task.yield()
            }
            check(ended.elements == [true], "ended \(ended.elements)")
        }
    }
}

/// Runs a group of which one child throws and two sleep; returns how many of the two were cancelled.
private func cancelledChildren(
    _ wait: @Sendable (inout ThrowingTaskGroup<Void, any Error>) async throws -> Void
) async throws -> Int {
    let cancelled = Log<Int>()
    do {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await Task.yield()
                throw HuntError.expected
            }
            for number in 0..<2 {
                group.addTask {
                    do { try await Task.sleep(for: .seconds(3600)) } catch { cancelled.append(number) }
                }
            }
            try await wait(&group)
        }
        check(false, "no error was thrown")
    } catch HuntError.expected {}
    return cancelled.count
}

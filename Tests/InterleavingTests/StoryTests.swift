import Foundation
import Interleaving
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoryTests {
    private func lostUpdate() -> Exploration {
        exploration(schedules: 500, for: minimising) {
            let till = Till()
            async let first: Void = till.add(1)
            async let second: Void = till.add(1)
            _ = await (first, second)
            let sum = await till.sum
            check(sum == 2, "lost update")
        }
    }

    #if DEBUG
        @Test func stepsNameTheirSourceLines() {
            let steps = lostUpdate().trace.steps
            let texts = steps.compactMap { $0.line?.text }
            #expect(texts.filter { $0 == "let before = sum" }.count == 2)
            #expect(texts.filter { $0 == "sum = before + amount" }.count == 2)
            #expect(steps.compactMap(\.line).allSatisfy { $0.description.hasPrefix("StoryTests.swift:") })
            #expect(steps.contains { $0.actor == "Till" })
        }

        @Test func storyTellsWhoInterruptsWhom() throws {
            let found = lostUpdate()
            let story = found.story
            #expect(story.first == "Task 1 begins; it starts tasks 2 and 3 and waits for task 2.")
            let third = try #require(story.first { $0.hasPrefix("Task 3 (StoryTests.swift:") })
            #expect(third.contains(") begins, although task 2 could go on: `let before = sum`"))
            #expect(story.contains { $0.hasPrefix("Task 2 goes on: `") && $0.hasSuffix("it resumes task 1 and ends.") })
            #expect(story.last?.hasPrefix("Then: lost update (StoryTests.swift:") == true)
            for sentence in story { #expect(found.report.contains(sentence)) }
        }
    #endif

    @Test func storyTellsWhoWaitsAndHowMuchTimePasses() {
        let found = exploration(.inOrder) {
            let other = Task { try await Task.sleep(for: .seconds(90)) }
            try await other.value
            check(false, "it is late")
        }
        #expect(found.story.contains { $0.hasPrefix("Task 1 ") && $0.contains("starts task 2 and waits for task 2.") })
        #expect(found.story.contains { $0.hasPrefix("After 90.0 seconds, task") })
        #expect(found.trace.steps.contains { $0.waitsFor == 2 })
    }

    @Test func hungTasksSayWhatTheyWaitFor() {
        let found = exploration(.inOrder, hangTimeout: .milliseconds(1)) {
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            let (stream, input) = AsyncStream<Int>.makeStream()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await forEver(waiting) }
                group.addTask { for await _ in stream {} }
                let third = Task { await forEver(waiting) }
                group.addTask { await third.value }
                group.addTask { await third.value }
            }
            input.finish()
        }
        guard case .hung(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        let states = [
            "task 1 waits for tasks 2, 3, 5 and 6 of its group", "task 2 waits for a continuation",
            "task 3 waits for an element of an AsyncStream", "task 4 waits for a continuation",
            "task 5 waits for task 4", "task 6 waits for task 4",
        ]
        #expect(tasks.map(\.waitsFor) == [nil, nil, nil, nil, 4, 4])
        #expect(found.story.last == "Nothing can run any more: \(states.joined(separator: "; ")).")
        #if DEBUG
            #expect(tasks[1].callStack == ["forEver", "closure #1 in StoryTests.\(#function.dropLast(2))"])
            #expect("\(tasks[0])".hasPrefix("\(states[0]) in closure #1 in StoryTests."))
            #expect(tasks[1].line?.text?.hasPrefix("await withCheckedContinuation") == true)
            #expect("\(tasks[1])".contains(" in forEver (StoryTests.swift:"))
            #expect(tasks[4].line?.text == "group.addTask { await third.value }")
        #endif
    }

    @Test func storyTellsWhoCancelsWhom() {
        let found = exploration(.inOrder) {
            let sleeper = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await Task.sleep(for: .seconds(5)) }
                }
                // A child of a cancelled task is cancelled from the start.
                async let child: Void = Task.yield()
                await child
            }
            await waitForOtherTasks()
            sleeper.cancel()
            let unstarted = Task {}
            unstarted.cancel()
            await sleeper.value
            await unstarted.value
            await Task.yield()
            withUnsafeCurrentTask { $0?.cancel() }
            await Task.yield()
            check(false, "it is cancelled")
        }
        let cancelling = found.trace.steps.filter { !$0.cancels.isEmpty }
        #expect(cancelling.map(\.task) == [1, 1], "\(found.report)")
        #expect(cancelling.map(\.cancels) == [[2, 3, 4], [1]], "\(found.report)")
        #expect(Set(found.trace.steps.filter(\.isCancelled).map(\.task)) == [1, 2, 3, 4, 5], "\(found.report)")
        let story = found.story
        #expect(story.contains { $0.hasPrefix("Task 1 ") && $0.contains("cancels tasks 2, 3 and 4") })
        #expect(story.contains { $0.hasPrefix("Task 3, cancelled by task 1, goes on") })
        #expect(story.contains { $0.hasPrefix("Task 4") && $0.contains(", cancelled by task 1, begins") })
        #expect(story.contains { $0.hasPrefix("Task 5") && $0.contains(", which is cancelled, begins") })
        #expect(story.contains { $0.contains("cancels itself") })
        #expect(found.timeline?.contains("cancels tasks 2, 3 and 4") == true)
        // Of each task, only one turn.
        #expect(story.count { $0.contains("cancelled by task 1,") } == 3)
    }

    @Test func hungTaskSaysThatItIsCancelled() {
        let found = exploration(.inOrder, hangTimeout: .milliseconds(1)) {
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            let task = Task { await forEver(waiting) }
            task.cancel()
            await task.value
        }
        guard case .hung(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #expect(tasks.map(\.isCancelled) == [false, true])
        #expect(found.report.contains("is cancelled, and waits for a continuation"), "\(found.report)")
    }

    @Test func taskIsIntroducedByItsNameAndWhereItIsCreated() {
        let found = exploration(.inOrder, hangTimeout: .milliseconds(1)) {
            let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
            let first = Task(name: "writer") { await forEver(waiting) }
            async let second: Void = forEver(waiting)
            await withTaskGroup(of: Void.self) { group in
                group.addTask(name: "reader \(1)") { await forEver(waiting) }
                group.addTask { await first.value }
            }
            await second
        }
        let origins = found.trace.origins
        #expect(origins.keys.sorted() == [2, 3, 4, 5])
        #expect((2...5).map { origins[$0]?.name } == ["writer", nil, "reader 1", nil])
        guard case .hung(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #expect(tasks.map(\.origin) == (1...5).map { origins[$0] })
        #expect(found.story.contains { $0.hasPrefix("Task 2 \"writer\" ") }, "\(found.report)")
        #expect("\(tasks[1])".hasPrefix("task 2 \"writer\" "))
        #if DEBUG
            let line = tasks[0].line?.number ?? 0
            let texts = (2...5).map { origins[$0]?.line?.text ?? "" }
            let starts = ["let first = Task", "async let second", "group.addTask(name:", "group.addTask {"]
            for (text, start) in zip(texts, starts) { #expect(text.hasPrefix(start), "\(found.report)") }
            #expect("\(tasks[3])".hasPrefix("task 4 \"reader 1\" (StoryTests.swift:\(line + 1)) waits for "))
            #expect(found.story.contains { $0.hasPrefix("Task 5 (StoryTests.swift:\(line + 2)) begins") })
            #expect(found.timeline?.contains("<b>task 5</b> (StoryTests.swift:\(line + 2)) begins") == true)
        #endif
    }

    @Test func leakedTaskThatSleepsSaysSo() {
        let found = exploration(.inOrder) { Task { try? await Task.sleep(for: .seconds(1)) } }
        guard case .leaked(let tasks) = found.outcome else {
            Issue.record("\(found.report)")
            return
        }
        #expect(tasks.map { "\($0)".contains(" sleeps") } == [true], "\(found.report)")
    }

    #if DEBUG
        @Test func namesAreThoseOfTheSource() {
            let found = exploration(.inOrder, hangTimeout: .milliseconds(1)) {
                let waiter = Waiter()
                async let first: Int = {
                    #expect(await waiter.value == 1)
                    return 1
                }()
                _ = await first
            }
            guard case .hung(let tasks) = found.outcome else {
                Issue.record("\(found.report)")
                return
            }
            // Neither the macro's closures, nor thunks, nor functions of Swift's own libraries.
            let body = "closure #1 in StoryTests.\(#function.dropLast(2))"
            #expect(tasks.map(\.callStack) == [[body], ["Waiter.value", body]], "\(found.report)")
        }

        @Test func stepOfAFunctionOfSwiftIsNamedAfterItsCaller() {
            let found = exploration(.inOrder, hangTimeout: .milliseconds(1)) { await Waiter().wait() }
            #expect(found.trace.steps.last?.action == "Waiter.wait", "\(found.report)")
        }
    #endif

    @Test func longStoryIsShortened() {
        let found = exploration(.random) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { for _ in 0..<20 { await Task.yield() } } }
            }
            try await Task.sleep(for: .seconds(1))
            for _ in 0..<30 {
                async let first: Void = Task.yield()
                async let second: Void = Task.yield()
                _ = await (first, second)
            }
            check(false, "it is long")
        }
        #expect(found.story.count <= 42)
        #expect(found.story.contains { $0.hasSuffix("more turns …") })
    }

    @Test func timelineShowsEveryStepAndEscapesText() throws {
        let found = exploration(schedules: 10) {
            await Task.yield()
            check(false, "<script>alert(1 & 2)</script>")
        }
        let timeline = try #require(found.timeline)
        #expect(timeline.hasPrefix("<!doctype html>"))
        #expect(!timeline.contains("<script"))
        #expect(timeline.contains("&lt;script&gt;alert(1 &amp; 2)&lt;/script&gt;"))
        #expect(timeline.components(separatedBy: "<li class=\"step").count - 1 == found.trace.steps.count)
        // Self-contained: it loads nothing.
        #expect(!timeline.contains("http") && !timeline.contains("src="))
        #expect(exploration(schedules: 2) {}.timeline == nil)
    }

    @Test func timelineIsSavedIntoTheFolderOfTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("timelines-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            setenv("INTERLEAVING_TIMELINES", folder.path, 1)
            // Two explorations with the same failure have a file each.
            for _ in 0..<2 {
                let found = exploration(schedules: 10) { check(false, "it fails") }
                guard let file = found.timelineFile else { preconditionFailure("no file") }
                precondition(found.report.contains("timeline: \(file)"))
                let text = try String(contentsOfFile: file, encoding: .utf8)
                precondition(text == found.timeline)
            }
            precondition(exploration(schedules: 10) {}.timelineFile == nil)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            precondition(files.count == 2)
        }
    }
}

private actor Till {
    private(set) var sum = 0

    func add(_ amount: Int) async {
        let before = sum
        await Task.yield()
        sum = before + amount
    }
}

private actor Waiter {
    var value: Int {
        get async {
            await withCheckedContinuation { (_: CheckedContinuation<Int, Never>) in }
        }
    }

    func wait() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        keepActorHop()
    }
}

@inline(never)
private func forEver(_ waiting: Shared<[CheckedContinuation<Void, Never>]>) async {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    keepActorHop()
}

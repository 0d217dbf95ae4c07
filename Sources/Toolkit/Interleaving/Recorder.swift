#if os(Linux) && compiler(>=6.3)
    import CInterleaving

    /// Records the steps of a schedule, and tracks its unfinished tasks.
    final class Recorder {
        private var steps: [Trace.Step] = []
        /// The address at which each step begins.
        private var addresses: [UInt?] = []
        private var numbers: [UInt64: Int] = [:]
        private var started: Set<UInt64> = []
        /// The tasks that have run and aren't finished, retained.
        private var live: [(task: Job, number: Int)] = []
        /// The owners of the items that were ready when the last step began.
        private var ready: Set<UInt64> = []
        /// For each step, the owners of the items that it made ready.
        private var woken: [[UInt64]] = []

        /// Records that a step begins.
        ///
        /// Before, completes the last step with what it has brought about.
        func note(_ item: interleaving_item, _ number: Int, _ candidates: Candidates, _ engine: EnginePointer) {
            completeStep(engine, next: item)
            numbers[item.owner] = number
            let last = steps.last?.task
            var step = Trace.Step(
                task: number, action: "", candidates: candidates.count, time: .nanoseconds(engine.pointee.now))
            step.isInterruption = candidates.canContinue && last != nil && last != number
            var address: UInt?
            if let worker = Worker.parked(in: item) {
                step.action = worker.callStack.first ?? "goes on"
                address = worker.address
            } else {
                address = describe(item, &step)
            }
            addresses.append(address)
            steps.append(step)
            woken.append([])
        }

        private func describe(_ item: interleaving_item, _ step: inout Trace.Step) -> UInt? {
            let isTask = item.kind != INTERLEAVING_BLOCK && interleaving_is_task(item.job)
            if isTask, !live.contains(where: { $0.task == item.job }) {
                interleaving_retain_task(item.job)
                live.append((item.job, step.task))
                noteWaiter(of: item.job, step.task)
            }
            let addresses = item.resume.map { [$0] } ?? (isTask ? Self.stack(of: item.job) : [])
            let named = addresses.lazy.compactMap { address in Symbols.function(at: address).map { (address, $0) } }
                .first
            step.isFirst = started.insert(item.owner).inserted
            step.actor = Self.actor(of: item)
            step.action = Self.words(item, named?.1, step)
            return named.map { UInt(bitPattern: $0.0) }
        }

        /// Records that a task has awaited this one since before its first step.
        private func noteWaiter(of task: Job, _ number: Int) {
            guard let waiter = live.first(where: { interleaving_task_waiter(task) == $0.task }),
                let last = steps.lastIndex(where: { $0.task == waiter.number })
            else {
                return
            }
            steps[last].waitsFor = number
        }

        /// Records what the last step has made ready, and how it ended.
        private func completeStep(_ engine: EnginePointer, next: interleaving_item?) {
            var owners = Set((0..<Int(engine.pointee.count)).compactMap { engine.pointee.items?[$0].owner })
            if let next { owners.insert(next.owner) }
            defer { ready = owners }
            guard let last = steps.indices.last else { return }
            let task = steps[last].task
            if next == nil || steps[last].time == .nanoseconds(engine.pointee.now) {
                woken[last] = owners.subtracting(ready).filter { numbers[$0] != task }.sorted()
            }
            let own = live.first { $0.number == task }
            steps[last].isLast = own == nil
            if let own {
                steps[last].waitsFor = live.first { interleaving_task_waiter($0.task) == own.task }?.number
            }
        }

        /// Ends the recording, and returns the steps with their source lines.
        func trace(_ engine: EnginePointer) -> Trace {
            completeStep(engine, next: nil)
            let lines = SourceLines.lines(of: Set(addresses.compactMap(\.self)))
            var trace = Trace()
            for (index, var step) in steps.enumerated() {
                step.line = addresses[index].flatMap { lines[$0] }
                step.resumes = woken[index].compactMap { numbers[$0] }.sorted()
                trace.steps.append(step)
            }
            return trace
        }

        private static func words(_ item: interleaving_item, _ function: String?, _ step: Trace.Step) -> String {
            if step.isFirst {
                let what = item.kind == INTERLEAVING_BLOCK ? "begins block" : "begins"
                return what + (function.map { " \($0)" } ?? "")
            }
            let what = function ?? "goes on"
            guard let actor = step.actor, !what.hasPrefix(actor + ".") else { return what }
            return "\(what) on \(actor)"
        }

        /// The type of the actor or executor on which an item runs, if known.
        private static func actor(of item: interleaving_item) -> String? {
            if item.kind == INTERLEAVING_MAIN { return "MainActor" }
            guard item.kind == INTERLEAVING_HOP, let object = UnsafeRawPointer(bitPattern: item.target.object) else {
                return nil
            }
            // The hop's target is an executor object, which is alive: its task is about to run on it.
            let executor = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
            return executor is ExploredMainExecutor ? "MainActor" : "\(type(of: executor))"
        }

        private static func stack(of task: Job) -> [UnsafeMutableRawPointer] {
            var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: 24)
            let count = Int(interleaving_task_stack(task, &addresses, 24))
            return addresses[..<count].compactMap(\.self)
        }

        func removeFinished() {
            live.removeAll { entry in
                guard interleaving_task_is_done(entry.task) else { return false }
                interleaving_release_task(entry.task)
                return true
            }
        }

        func releaseAll() {
            for entry in live { interleaving_release_task(entry.task) }
            live = []
        }

        /// The unfinished tasks, and where each is suspended.
        func stuckTasks() -> [StuckTask] {
            live.map { entry in
                let waitsFor = live.first { interleaving_task_waiter($0.task) == entry.task }
                var callStack: [String] = []
                for function in Self.stack(of: entry.task).compactMap({ Symbols.function(at: $0) })
                where callStack.last != function {
                    callStack.append(function)
                }
                return StuckTask(number: entry.number, waitsFor: waitsFor?.number, callStack: callStack)
            }
        }
    }
#endif

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

        func note(_ item: interleaving_item, _ number: Int, candidates: Int, now: Int64) {
            let isTask = interleaving_is_task(item.job)
            if isTask, !live.contains(where: { $0.task == item.job }) {
                interleaving_retain_task(item.job)
                live.append((item.job, number))
            }
            let addresses = item.resume.map { [$0] } ?? (isTask ? Self.stack(of: item.job) : [])
            let isFirst = started.insert(item.owner).inserted
            let named = addresses.lazy.compactMap { address in Symbols.function(at: address).map { (address, $0) } }.first
            let function = named?.1
            self.addresses.append(named.map { UInt(bitPattern: $0.0) })
            steps.append(
                Trace.Step(
                    task: number, action: Self.words(item, function, isFirst: isFirst), candidates: candidates,
                    time: .nanoseconds(now)))
        }

        /// The steps, with their source lines.
        var trace: Trace {
            let lines = SourceLines.lines(of: Set(addresses.compactMap(\.self)))
            var trace = Trace()
            trace.steps = zip(steps, addresses).map { step, address in
                var step = step
                step.line = address.flatMap { lines[$0] }
                return step
            }
            return trace
        }

        private static func words(_ item: interleaving_item, _ function: String?, isFirst: Bool) -> String {
            if isFirst { return "begins" + (function.map { " \($0)" } ?? "") }
            let what = function ?? "goes on"
            guard item.kind == INTERLEAVING_HOP, let object = UnsafeRawPointer(bitPattern: item.target.object) else {
                return item.kind == INTERLEAVING_MAIN ? "\(what) on MainActor" : what
            }
            // The hop's target is an executor object, which is alive: its task is about to run on it.
            let executor = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
            if executor is ExploredMainExecutor { return "\(what) on MainActor" }
            let name = "\(type(of: executor))"
            return what.hasPrefix(name + ".") ? what : "\(what) on \(name)"
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

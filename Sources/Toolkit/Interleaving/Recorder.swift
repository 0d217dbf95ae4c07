#if os(Linux) && compiler(>=6.3)
    import CInterleaving

    /// Records the steps of a schedule, and tracks its unfinished tasks.
    final class Recorder {
        /// The number of steps that a crash reports.
        private static let maximumLastSteps = 12

        /// Whether the trace has source lines.
        private let findsLines: Bool
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
        /// For each step, the task that its task awaits after it.
        private var awaited: [UInt64?] = []
        /// The tasks that were cancelled, and for each step those that it cancelled.
        private var cancelled: Set<UInt64> = []
        private var newlyCancelled: [[UInt64]] = []

        init(findsLines: Bool) {
            self.findsLines = findsLines
        }

        /// Records that a step begins.
        ///
        /// Before, completes the last step with what it has brought about.
        func note(_ item: interleaving_item, _ number: Int, _ candidates: Candidates, _ engine: EnginePointer) {
            completeStep(engine, next: item)
            numbers[item.owner] = number
            let last = steps.last?.task
            var step = Trace.Step(
                task: number, action: "", candidates: candidates.count, time: .nanoseconds(engine.pointee.now))
            step.isCancelled = cancelled.contains(item.owner)
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
            let lines = steps.suffix(Self.maximumLastSteps).map { "  task \($0.task): \($0.action)\n" }
            interleaving_set_last_steps(engine, lines.joined())
            woken.append([])
            awaited.append(nil)
            newlyCancelled.append([])
        }

        private func describe(_ item: interleaving_item, _ step: inout Trace.Step) -> UInt? {
            let isTask = item.kind != INTERLEAVING_BLOCK && interleaving_is_task(item.job)
            if isTask, !live.contains(where: { $0.task == item.job }) {
                interleaving_retain_task(item.job)
                live.append((item.job, step.task))
            }
            let addresses = (item.resume.map { [$0] } ?? []) + (isTask ? Self.stack(of: item.job) : [])
            let named = addresses.lazy.compactMap { address in Symbols.function(at: address).map { (address, $0) } }
                .first
            step.isFirst = started.insert(item.owner).inserted
            step.actor = Self.actor(of: item)
            step.action = Self.words(item, named?.1, step)
            return named.map { UInt(bitPattern: $0.0) }
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
            noteCancellations(engine, next: next, inStep: last)
            awaited[last] = own.flatMap { Self.awaited(by: $0.task) }
        }

        /// Records which tasks a step has cancelled.
        private func noteCancellations(_ engine: EnginePointer, next: interleaving_item?, inStep step: Int) {
            // A child task that hasn't run yet is only among the ready items.
            let items =
                (0..<Int(engine.pointee.count)).compactMap { engine.pointee.items?[$0] } + [next].compactMap(\.self)
            let ready = items.filter { item in
                item.kind != INTERLEAVING_BLOCK && item.kind != INTERLEAVING_PARKED && interleaving_is_task(item.job)
            }
            let made = (0..<Int(engine.pointee.task_count)).compactMap { engine.pointee.tasks?[$0] }
            let unfinished = (live.map(\.task) + made + ready.compactMap(\.job)).filter {
                !interleaving_task_is_done($0)
            }
            for task in unfinished where interleaving_task_is_cancelled(task) {
                let id = interleaving_task_id(task)
                guard cancelled.insert(id).inserted else { continue }
                // A child of a cancelled task is cancelled from the start.
                let isNew = !self.ready.contains(id) && numbers[id] == nil
                if isNew, interleaving_is_child(task), steps[step].isCancelled { continue }
                newlyCancelled[step].append(id)
            }
        }

        /// Ends the recording, and returns the steps with their source lines.
        func trace(_ engine: EnginePointer) -> Trace {
            completeStep(engine, next: nil)
            let lines = lines(engine)
            var trace = Trace()
            trace.origins = origins(engine)
            for (index, var step) in steps.enumerated() {
                step.line = addresses[index].flatMap { lines[$0] }
                step.resumes = woken[index].compactMap { numbers[$0] }.sorted()
                step.cancels = newlyCancelled[index].compactMap { numbers[$0] }.sorted()
                step.waitsFor = awaited[index].flatMap { numbers[$0] }
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

        /// The name of each task, and where it was created.
        func origins(_ engine: EnginePointer) -> [Int: Trace.Origin] {
            let lines = lines(engine)
            return creations(engine).mapValues { name, address in
                Trace.Origin(name: name, line: address.flatMap { lines[$0] })
            }
        }

        private func creations(_ engine: EnginePointer) -> [Int: (name: String?, address: UInt?)] {
            var creations: [Int: (name: String?, address: UInt?)] = [:]
            for index in 0..<Int(engine.pointee.birth_count) {
                guard let birth = engine.pointee.births?[index], let number = numbers[birth.id] else { continue }
                creations[number] = (birth.name.map { String(cString: $0) }, Symbols.creation(birth))
            }
            return creations
        }

        /// The functions in which each unfinished task is suspended, with their addresses.
        private func stacks() -> [[(name: String, address: UInt)]] {
            live.map { entry in
                Self.stack(of: entry.task).compactMap { address in
                    Symbols.function(at: address).map { (name: $0, address: UInt(bitPattern: address)) }
                }
            }
        }

        /// The source lines of everything in the report, looked up at once.
        private func lines(_ engine: EnginePointer) -> [UInt: Trace.SourceLine] {
            guard findsLines else { return [:] }
            let places =
                addresses + creations(engine).values.map(\.address) + stacks().map { $0.first?.address }
            return SourceLines.lines(of: Set(places.compactMap(\.self)))
        }

        /// The unfinished tasks, and where each is suspended.
        func stuckTasks(_ engine: EnginePointer) -> [StuckTask] {
            let stacks = stacks()
            let lines = lines(engine)
            return zip(live, stacks).map { entry, stack in
                var callStack: [String] = []
                for (function, _) in stack where callStack.last != function {
                    // Of a caller, the expression that the compiler has wrapped says nothing.
                    if callStack.isEmpty || !function.hasPrefix("implicit closure") { callStack.append(function) }
                }
                var task = StuckTask(number: entry.number, wait: wait(of: entry.task), callStack: callStack)
                task.isCancelled = interleaving_task_is_cancelled(entry.task)
                task.line = stack.first.flatMap { lines[$0.address] }
                return task
            }
        }

        /// The task that a suspended task awaits.
        private static func awaited(by task: Job) -> UInt64? {
            var object: UnsafeMutableRawPointer?
            guard interleaving_task_dependency(task, &object) == INTERLEAVING_TASK else { return nil }
            return object.map { interleaving_task_id($0) }
        }

        /// What a suspended task waits for.
        private func wait(of task: Job) -> StuckTask.Wait {
            var object: UnsafeMutableRawPointer?
            switch interleaving_task_dependency(task, &object) {
            case INTERLEAVING_TASK:
                let number = object.flatMap { numbers[interleaving_task_id($0)] }
                return number.map { .task($0) } ?? .unknown
            case INTERLEAVING_GROUP:
                let children = live.filter { interleaving_task_group($0.task) == object }.map(\.number)
                return children.isEmpty ? .unknown : .group(children.sorted())
            case INTERLEAVING_CONTINUATION:
                return Symbols.runtimeWait(Self.stack(of: task)) ?? .continuation
            case INTERLEAVING_EXECUTOR: return .executor
            default: return .unknown
            }
        }
    }
#endif

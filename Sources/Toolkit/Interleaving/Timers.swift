#if os(Linux) && compiler(>=6.3)
    /// Jobs that wait for a time to come.
    ///
    /// All that are due at one instant become ready together: in which order they run is a choice.
    struct Timers {
        private var jobs: [(time: Int64, job: Job)] = []

        /// Keeps a job until its time comes, in nanoseconds since the beginning of the schedule.
        mutating func add(_ job: Job, at time: Int64) {
            jobs.append((time, job))
        }

        /// Takes out what is due next; `nil` if there is nothing.
        mutating func next() -> (time: Int64, jobs: [Job])? {
            guard let time = jobs.map(\.time).min() else { return nil }
            let due = jobs.filter { $0.time == time }.map(\.job)
            jobs.removeAll { $0.time == time }
            return (time, due)
        }

        mutating func removeAll() {
            jobs.removeAll(keepingCapacity: true)
        }
    }
#endif

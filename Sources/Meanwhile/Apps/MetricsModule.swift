import CoreMetrics
import Foundation
import Jobs
import Persistence
import PrometheusMetrics
import Site

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The server module that measures what isn't measured where it happens: delays, the queue of jobs, and the process.
struct MetricsModule: SiteModule {
    private let delays: DelayMetrics

    /// - Parameters:
    ///   - services: The server's services, whose metrics get all measurements.
    ///   - boards: Returns how often the cache of boards has had a board, and how often not.
    init(_ services: ServerServices, boards: @escaping @Sendable () -> (hits: Int, misses: Int)) {
        let metrics = services.metrics
        delays = DelayMetrics(metrics)
        metrics.addSource { [queue = services.jobs.queue] in await Self.samples(of: queue) }
        metrics.addSource { Self.samplesOfProcess }
        metrics.addSource {
            let counts = boards()
            return [("hit", counts.hits), ("miss", counts.misses)].map { outcome, count in
                PrometheusSample(
                    "meanwhile_cache_lookups_total", "Lookups in caches.", kind: .counter,
                    labels: [("cache", "boards"), ("outcome", outcome)], Double(count))
            }
        }
    }

    func run() async { await delays.run() }

    private static func samples(of queue: SQLiteJobQueue) async -> [PrometheusSample] {
        let loads = await ServerServices.answer { () async throws(StoreError) in try await queue.loads() }
        return (loads ?? []).flatMap { load in
            [("waiting", load.waiting), ("running", load.running), ("dead", load.dead)].map { state, count in
                PrometheusSample(
                    "meanwhile_jobs", "Jobs, by their lane.", labels: [("lane", load.lane), ("state", state)],
                    Double(count))
            } + [
                PrometheusSample(
                    "meanwhile_oldest_waiting_job_seconds", "The age of the oldest job that waits for a worker.",
                    labels: [("lane", load.lane)], load.waitingSince.map { max(0, Date.now.timeIntervalSince($0)) } ?? 0
                )
            ]
        }
    }

    /// The measurements of the process, with the names that Prometheus' own libraries give them.
    private static var samplesOfProcess: [PrometheusSample] {
        let version = PrometheusSample(
            "meanwhile_build_info", "The version of Meanwhile.", labels: [("version", CommandWords.version)], 1)
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        let processor = PrometheusSample(
            "process_cpu_seconds_total", "The processor time of this process.", kind: .counter, seconds.reduce(0, +))
        // Resident pages; see proc_pid_statm(5).
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return [
            version, processor,
            pages?.dropFirst().first.flatMap { Double($0) }.map {
                PrometheusSample(
                    "process_resident_memory_bytes", "The resident memory of this process.",
                    $0 * Double(sysconf(Int32(_SC_PAGESIZE))))
            },
            files.map { PrometheusSample("process_open_fds", "Open files and sockets.", Double($0.count)) },
        ].compactMap(\.self)
    }
}

extension PrometheusMetrics {
    /// Measures the reads and writes of a database.
    func measure(_ storage: Storage) {
        describe("meanwhile_database_seconds", "The time that a read or write had a connection.")
        describe("meanwhile_database_wait_seconds", "The time that a read or write waited for a connection.")
        let timers = Dictionary(
            uniqueKeysWithValues: DatabaseAccess.Kind.allCases.map { kind in
                let labels = [("operation", kind.rawValue)]
                return (
                    kind,
                    (
                        Timer(label: "meanwhile.database", dimensions: labels, factory: self),
                        Timer(label: "meanwhile.database.wait", dimensions: labels, factory: self)
                    )
                )
            })
        storage.observe { access in
            guard let (ran, waited) = timers[access.kind] else { return }
            ran.record(access.ran)
            waited.record(access.waited)
        }
    }
}

extension CoreMetrics.Timer {
    /// Records a duration.
    func record(_ duration: Duration) {
        recordNanoseconds(Int64(max(0, duration / .nanoseconds(1))))
    }
}

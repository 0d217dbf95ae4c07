package import Foundation
import Futures

/// A job and its state: the state machine of jobs.
///
/// Each queue reads a record, calls one transition, and writes the record, in one transaction.
///
/// ```
/// waiting ─lease→ running ─finish→ succeeded, failed
///    ↑               │
///    └─lost, expire──┴─(no attempts left)→ dead ─retry→ waiting
/// ```
/// A job that waits or runs fails when it is cancelled and at its deadline. A request's job that has no attempts left fails, too: who
/// enqueued it is told, and asks again.
package struct JobRecord: Hashable, Sendable {
    /// The state of a job.
    package enum Phase: Hashable, Sendable {
        /// It waits for a worker; after a lost attempt not before a time.
        case waiting(from: Date)
        /// A worker has a lease until a time, unless it renews it.
        case running(worker: String, until: Date)
        /// It is done.
        case succeeded(Data)
        /// It can't be done, or was cancelled, or was late.
        case failed(JobError)
        /// All its attempts were lost: a dead letter, which stays until it is retried or removed.
        case dead(JobError)
    }

    /// The job.
    package let job: Job
    /// The job's number in its queue: later jobs have larger ones.
    package let sequence: Int64
    /// When the job was enqueued.
    package let enqueuedAt: Date
    /// The state.
    package internal(set) var phase: Phase
    /// How many attempts have begun since it was enqueued or retried.
    package internal(set) var attempts = 0
    /// The fencing token of the last lease; 0 before the first.
    package internal(set) var token: Int64 = 0
    /// The last progress report of the attempt that runs.
    package internal(set) var progress: Data?
    /// When the state last changed.
    package internal(set) var changedAt: Date
    /// The number of the last change in its queue: later changes, of any job, have larger ones.
    package var revision: Int64 = 0

    package init(_ job: Job, sequence: Int64, at now: Date) {
        self.job = job
        self.sequence = sequence
        enqueuedAt = now
        changedAt = now
        phase = .waiting(from: now)
    }
}

extension JobRecord {
    /// Whether nothing more happens by itself.
    package var hasEnded: Bool {
        switch phase {
        case .waiting, .running: false
        case .succeeded, .failed, .dead: true
        }
    }

    /// The name of the last attempt's output folder.
    package var outputName: String { "\(sequence)-\(token)" }

    /// When ``expire(at:_:)`` has an effect unless something else happens before.
    package var expiresAt: Date? {
        switch phase {
        case .waiting: job.deadline
        case .running(_, let until): min(until, job.deadline ?? .distantFuture)
        case .succeeded, .failed, .dead: nil
        }
    }

    /// Whether a lease is the one under which the job runs.
    package func isHeld(by lease: JobLease) -> Bool {
        guard case .running = phase else { return false }
        return token == lease.token
    }

    /// Whether this result of a lease was accepted before.
    package func hasAccepted(_ attempt: JobAttempt, of lease: JobLease) -> Bool {
        guard token == lease.token else { return false }
        return switch attempt {
        case .succeeded(let result): phase == .succeeded(result)
        case .failed(let error): phase == .failed(error)
        case .lost, .postponed: false
        }
    }
}

// MARK: - Transitions

// Each returns whether it had an effect.
extension JobRecord {
    /// Gives the job to a worker.
    package mutating func lease(to worker: String, token: Int64, at now: Date, for duration: TimeInterval) -> JobLease?
    {
        switch phase {
        case .waiting(let from):
            guard from <= now else { return nil }
        case .running, .succeeded, .failed, .dead:
            return nil
        }
        phase = .running(worker: worker, until: now + duration)
        attempts += 1
        self.token = token
        progress = nil
        changedAt = now
        return JobLease(sequence: sequence, token: token, attempt: attempts, job: job)
    }

    /// Extends a lease, and notes progress.
    package mutating func renew(_ lease: JobLease, at now: Date, for duration: TimeInterval, progress: Data?) -> Bool {
        guard case .running(let worker, _) = phase, isHeld(by: lease) else { return false }
        phase = .running(worker: worker, until: now + duration)
        if let progress { self.progress = progress }
        changedAt = now
        return true
    }

    /// Ends an attempt.
    package mutating func end(_ lease: JobLease, _ attempt: JobAttempt, at now: Date, _ policy: JobPolicy) -> Bool {
        guard isHeld(by: lease) else { return false }
        switch attempt {
        case .succeeded(let result): end(.succeeded(result), at: now)
        case .failed(let error): end(.failed(error), at: now)
        case .lost(let error): lose(error, at: now, policy)
        case .postponed: return release(lease, at: now, for: policy.postponement)
        }
        return true
    }

    /// Gives a lease back without a result; the attempt isn't counted, and the next begins after a pause.
    package mutating func release(_ lease: JobLease, at now: Date, for pause: TimeInterval = 0) -> Bool {
        guard isHeld(by: lease) else { return false }
        attempts -= 1
        end(.waiting(from: now + pause), at: now)
        return true
    }

    /// Ends the lease of a worker that is known to have ended.
    package mutating func loseWorker(_ name: String, at now: Date, _ policy: JobPolicy) -> Bool {
        guard case .running(name, _) = phase else { return false }
        lose(.leaseExpired, at: now, policy)
        return true
    }

    /// Fails a job that waits or runs.
    package mutating func fail(_ error: JobError, at now: Date) -> Bool {
        guard !hasEnded else { return false }
        end(.failed(error), at: now)
        return true
    }

    /// Ends a lease that wasn't renewed, and fails a job whose deadline has passed.
    package mutating func expire(at now: Date, _ policy: JobPolicy) -> Bool {
        guard let time = expiresAt, time <= now else { return false }
        if let deadline = job.deadline, deadline <= now { return fail(.deadlinePassed, at: now) }
        lose(.leaseExpired, at: now, policy)
        return true
    }

    /// Tries a dead letter again, with all attempts.
    package mutating func retry(at now: Date) -> Bool {
        switch phase {
        case .dead: break
        case .waiting, .running, .succeeded, .failed: return false
        }
        attempts = 0
        end(.waiting(from: now), at: now)
        return true
    }

    private mutating func lose(_ error: JobError, at now: Date, _ policy: JobPolicy) {
        if attempts < policy.attempts {
            end(.waiting(from: now + policy.backoff.pause(after: attempts) / .seconds(1)), at: now)
        } else {
            end(job.lifetime == .durable ? .dead(error) : .failed(error), at: now)
        }
    }

    private mutating func end(_ phase: Phase, at now: Date) {
        self.phase = phase
        progress = nil
        changedAt = now
    }
}

package import Foundation
import Futures

/// A job and its state, with the state machine of jobs.
///
/// Each queue reads a record, applies one transition, and writes the record, in one transaction.
///
/// ```
/// waiting ─lease→ running ─finish→ succeeded, failed
///    ↑               │
///    └─lost, expire──┴─(no attempts left)→ dead ─retry→ waiting
/// ```
/// A job that is waiting or running fails when it is cancelled and at its deadline. A job of lifetime
/// ``Job/Lifetime/request`` also fails when it has no attempts left: the client that enqueued it receives the error
/// and can enqueue another.
package struct JobRecord: Hashable, Sendable {
    /// The state of a job.
    package enum Phase: Hashable, Sendable {
        /// Waiting for a worker, but not before the given time, which is set after a lost attempt.
        case waiting(from: Date)
        /// Leased to a worker until the given time, unless the worker renews the lease.
        case running(worker: String, until: Date)
        /// The work is done; the associated value is its result.
        case succeeded(Data)
        /// The work can't be done, was cancelled, or missed its deadline.
        case failed(JobError)
        /// A dead letter: all attempts were lost. It stays until it is retried or removed.
        case dead(JobError)
    }

    package let job: Job
    /// The job's sequence number in its queue, larger for later jobs.
    package let sequence: Int64
    /// When the job was enqueued.
    package let enqueuedAt: Date
    /// The current state.
    package internal(set) var phase: Phase
    /// The number of attempts since the job was enqueued or retried.
    package internal(set) var attempts = 0
    /// The fencing token of the latest lease; 0 before the first.
    package internal(set) var token: Int64 = 0
    /// The latest progress report of the running attempt.
    package internal(set) var progress: Data?
    /// When the state last changed.
    package internal(set) var changedAt: Date
    /// The revision of the record's latest change; later changes of any job in the queue have larger revisions.
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
    /// Whether the job has ended; only retrying a dead letter can change it afterwards.
    package var hasEnded: Bool {
        switch phase {
        case .waiting, .running: false
        case .succeeded, .failed, .dead: true
        }
    }

    /// The name of the latest attempt's output folder.
    package var outputName: String { "\(sequence)-\(token)" }

    /// The time at which ``expire(at:_:)`` next has an effect.
    ///
    /// It is `nil` for a job that has ended, and for a waiting job without a deadline.
    package var expiresAt: Date? {
        switch phase {
        case .waiting: job.deadline
        case .running(_, let until): min(until, job.deadline ?? .distantFuture)
        case .succeeded, .failed, .dead: nil
        }
    }

    /// Whether the job is running under this lease.
    package func isHeld(by lease: JobLease) -> Bool {
        guard case .running = phase else { return false }
        return token == lease.token
    }

    /// Whether this outcome of this lease has already been accepted.
    func hasAccepted(_ attempt: JobAttempt, of lease: JobLease) -> Bool {
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
    /// Leases the job to a worker, or returns `nil` if it may not run now.
    mutating func lease(to worker: String, token: Int64, at now: Date, for duration: TimeInterval) -> JobLease? {
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

    /// Extends a lease and stores the progress.
    package mutating func renew(_ lease: JobLease, at now: Date, for duration: TimeInterval, progress: Data?) -> Bool {
        guard case .running(let worker, _) = phase, isHeld(by: lease) else { return false }
        phase = .running(worker: worker, until: now + duration)
        if let progress { self.progress = progress }
        changedAt = now
        return true
    }

    /// Ends an attempt.
    mutating func end(_ lease: JobLease, _ attempt: JobAttempt, at now: Date, _ policy: JobPolicy) -> Bool {
        guard isHeld(by: lease) else { return false }
        switch attempt {
        case .succeeded(let result): end(.succeeded(result), at: now)
        case .failed(let error): end(.failed(error), at: now)
        case .lost(let error): lose(error, at: now, policy)
        case .postponed: return release(lease, at: now, for: policy.postponement)
        }
        return true
    }

    /// Releases a lease without a result; the attempt doesn't count, and the next one may begin after the pause.
    package mutating func release(_ lease: JobLease, at now: Date, for pause: TimeInterval = 0) -> Bool {
        guard isHeld(by: lease) else { return false }
        attempts -= 1
        end(.waiting(from: now + pause), at: now)
        return true
    }

    /// Ends the lease of a worker that has terminated.
    package mutating func loseWorker(_ name: String, at now: Date, _ policy: JobPolicy) -> Bool {
        guard case .running(name, _) = phase else { return false }
        lose(.leaseExpired, at: now, policy)
        return true
    }

    /// Fails a job that is waiting or running.
    package mutating func fail(_ error: JobError, at now: Date) -> Bool {
        guard !hasEnded else { return false }
        end(.failed(error), at: now)
        return true
    }

    /// Ends an expired lease, or fails a job whose deadline has passed.
    mutating func expire(at now: Date, _ policy: JobPolicy) -> Bool {
        guard let time = expiresAt, time <= now else { return false }
        if let deadline = job.deadline, deadline <= now { return fail(.deadlinePassed, at: now) }
        lose(.leaseExpired, at: now, policy)
        return true
    }

    /// Retries a dead letter, with a full number of attempts.
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

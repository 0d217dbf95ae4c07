package import Foundation
package import Futures
package import Persistence

/// A unit of work that a worker does for an owner.
package struct Job: Identifiable, Hashable, Sendable {
    /// The unique name of a job: a queue holds at most one job of each name.
    package struct ID: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// Any text, such as `capture/<page>/<attempt>`.
        package let description: String

        package init(_ text: String) {
            description = text
        }

        package init(stringLiteral text: String) {
            description = text
        }
    }

    /// How long a job stays in its queue.
    package enum Lifetime: String, Hashable, Sendable {
        /// Until the job is removed, across restarts of the server.
        case durable
        /// While the request that enqueued the job is waiting; the next start of the server removes it.
        case request
    }

    /// The unique name.
    package var id: ID
    /// The owner; workers are shared fairly between owners.
    package var owner: OwnerID
    /// The kind of work, which tells the worker what to run.
    package var kind: String
    /// The kind of worker slot that the job occupies, such as `browser`.
    package var lane: String
    /// A readable description of the work, such as a page's address.
    package var subject: String
    /// The priority; jobs of a larger priority run first.
    package var priority: Int
    /// The encoded parameters of the work.
    package var payload: Data
    /// The path of an input file, if the job has one.
    package var input: String?
    /// The time limit of one attempt.
    package var attemptLimit: Duration
    /// The time at which the job fails unless it has ended; `nil` for no deadline.
    package var deadline: Date?
    /// How long the job stays in the queue.
    package var lifetime: Lifetime
    /// The ID of the request that enqueued the job, for logs; see ``RequestID``.
    package var request: String?

    package init(
        id: ID, owner: OwnerID, kind: String, lane: String = "default", subject: String = "", priority: Int = 0,
        payload: Data = Data(), input: String? = nil, attemptLimit: Duration = .seconds(60), deadline: Date? = nil,
        lifetime: Lifetime = .durable, request: String? = RequestID.current
    ) {
        self.id = id
        self.owner = owner
        self.kind = kind
        self.lane = lane
        self.subject = subject
        self.priority = priority
        self.payload = payload
        self.input = input
        self.attemptLimit = attemptLimit
        self.deadline = deadline
        self.lifetime = lifetime
        self.request = request
    }
}

package struct JobError: Error, Codable, Hashable, Sendable {
    /// A machine-readable error code.
    package var code: String
    /// A readable message: the cause and what to do about it.
    package var message: String
    /// Whether another attempt may succeed.
    package var canRetry: Bool
    /// The app's own error as JSON, if there is one.
    package var details: Data?

    package init(code: String, message: String, canRetry: Bool, details: Data? = nil) {
        self.code = code
        self.message = message
        self.canRetry = canRetry
        self.details = details
    }
}

extension JobError {
    package static let cancelled = JobError(code: "cancelled", message: "It was cancelled.", canRetry: true)
    /// The server or the worker is shutting down.
    package static let closed = JobError(code: "closed", message: "Meanwhile is shutting down.", canRetry: true)

    /// The code of a job whose process or worker ended without a result.
    package static let lostCode = "lost"
    /// The code of a job that exceeded a time limit.
    package static let lateCode = "tookTooLong"

    /// The worker stopped renewing its lease.
    static let leaseExpired = JobError(
        code: lostCode, message: "The worker stopped before the job was done.", canRetry: true)
    /// The queue can't read the job's row.
    static let damaged = JobError(
        code: "damaged", message: "Its entry in the queue was damaged. Try again.", canRetry: true)
    /// The job's deadline has passed.
    static let deadlinePassed = JobError(
        code: lateCode, message: "It was not done in time. The server may be busy; try again later.", canRetry: true)
}

/// The outcome of an attempt.
package enum JobAttempt: Hashable, Sendable {
    /// The work is done; the associated value is its result.
    case succeeded(Data)
    /// The work can't be done: the job fails and isn't retried automatically.
    case failed(JobError)
    /// The attempt ended without a result, for example because a process died. The job is retried while it has
    /// attempts left.
    case lost(JobError)
    /// The worker couldn't start the attempt because processes, files or memory had run out. The job is retried after
    /// a pause, and the attempt doesn't count.
    case postponed
}

/// A worker's time-limited right to run a job.
package struct JobLease: Hashable, Sendable {
    /// The job's sequence number in its queue.
    package let sequence: Int64
    /// The fencing token, larger than that of every earlier lease of the queue.
    ///
    /// The queue rejects reports with an outdated token.
    package let token: Int64
    /// The number of the attempt, starting at 1.
    package let attempt: Int
    package let job: Job

    /// The name of the attempt's output folder.
    package var outputName: String { "\(sequence)-\(token)" }
}

/// The retry and retention limits of a queue.
package struct JobPolicy: Sendable {
    /// The maximum number of attempts for a job.
    package var attempts = 3
    /// The pauses between attempts.
    package var backoff = Backoff(firstPause: .milliseconds(500), factor: 4, longestPause: .seconds(60), jitter: 0)
    /// The pause after an attempt that a worker couldn't start, in seconds.
    package var postponement: TimeInterval = 5
    /// The maximum number of dead letters; the oldest are removed first.
    package var deadLetters = 200
    /// How long a dead letter is retained, in seconds.
    package var deadLetterAge: TimeInterval = 30 * 86_400

    /// Creates the default policy.
    package init() {}
}

package import Foundation
package import Futures
package import Persistence

/// A unit of work that a worker does for an owner.
package struct Job: Identifiable, Hashable, Sendable {
    /// The name of a job: the same name is never enqueued twice.
    package struct ID: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// Any text, such as `capture/<page>/<attempt>`.
        package let description: String

        /// Creates a name from a text.
        package init(_ text: String) {
            description = text
        }

        /// Creates a name from a literal.
        package init(stringLiteral text: String) {
            description = text
        }
    }

    /// How long a job is of use.
    package enum Lifetime: String, Hashable, Sendable {
        /// Until the job is removed, also after a restart of the server.
        case durable
        /// While the request that enqueued it waits: the next start of the server removes it.
        case request
    }

    /// The name.
    package var id: ID
    /// The owner, for fairness between owners.
    package var owner: OwnerID
    /// The kind of work, for the worker.
    package var kind: String
    /// The kind of slot of a worker that the job occupies, such as `browser`.
    package var lane: String
    /// What the work is about, for people: a page's address, for example.
    package var subject: String
    /// Of two jobs, the one with the larger priority runs first.
    package var priority: Int
    /// The parameters.
    package var payload: Data
    /// The path of an input file.
    package var input: String?
    /// The time limit of one attempt.
    package var attemptLimit: Duration
    /// The time when the job fails unless it has ended; `nil` for none.
    package var deadline: Date?
    /// How long the job is of use.
    package var lifetime: Lifetime

    /// Creates a job.
    package init(
        id: ID, owner: OwnerID, kind: String, lane: String = "default", subject: String = "", priority: Int = 0,
        payload: Data = Data(), input: String? = nil, attemptLimit: Duration = .seconds(60), deadline: Date? = nil,
        lifetime: Lifetime = .durable
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
    }
}

/// The error of a job.
package struct JobError: Error, Codable, Hashable, Sendable {
    /// A word for programs.
    package var code: String
    /// The cause and what to do about it, for people.
    package var message: String
    /// Whether another try may succeed.
    package var canRetry: Bool
    /// JSON of the app's own error, where there is one.
    package var details: Data?

    /// Creates an error.
    package init(code: String, message: String, canRetry: Bool, details: Data? = nil) {
        self.code = code
        self.message = message
        self.canRetry = canRetry
        self.details = details
    }
}

extension JobError {
    /// The job was cancelled.
    package static let cancelled = JobError(code: "cancelled", message: "It was cancelled.", canRetry: true)
    /// The server or the worker is shutting down.
    package static let closed = JobError(code: "closed", message: "Meanwhile is ending.", canRetry: true)

    /// The code of a job whose process or worker ended without a result.
    package static let lostCode = "lost"
    /// The code of a job that exceeded a time limit.
    package static let lateCode = "tookTooLong"

    /// The worker stopped renewing its lease.
    static let leaseExpired = JobError(
        code: lostCode, message: "The worker that did this ended or stopped before it was done.", canRetry: true)
    /// The queue can't read the job's row.
    static let damaged = JobError(
        code: "damaged", message: "Its entry in the queue was damaged. Try again.", canRetry: true)
    /// The job's deadline has passed.
    static let deadlinePassed = JobError(
        code: lateCode, message: "It was not done in time. The server may be busy; try again later.", canRetry: true)
}

/// How an attempt ended.
package enum JobAttempt: Hashable, Sendable {
    /// The work is done; the result describes it.
    case succeeded(Data)
    /// The work can't be done. The job has failed, and isn't tried again by itself.
    case failed(JobError)
    /// The attempt ended without a result, because a process died for example. The job is tried again, unless it has had its
    /// attempts.
    case lost(JobError)
    /// The worker couldn't start the attempt: processes, files or memory had run out. The job waits, and the attempt isn't
    /// counted.
    case postponed
}

/// A worker's right to do a job, until a time.
package struct JobLease: Hashable, Sendable {
    /// The number of the job in its queue.
    package let sequence: Int64
    /// The fencing token: each lease of a queue has a larger one than those before it.
    ///
    /// Reports with an older one are refused.
    package let token: Int64
    /// The number of the attempt, from 1 on.
    package let attempt: Int
    /// The job.
    package let job: Job

    /// The name of the attempt's output folder.
    package var outputName: String { "\(sequence)-\(token)" }
}

/// The limits of a queue.
package struct JobPolicy: Sendable {
    /// How many attempts a job has.
    package var attempts = 3
    /// The pauses between attempts.
    package var backoff = Backoff(firstPause: .milliseconds(500), factor: 4, longestPause: .seconds(60), jitter: 0)
    /// The pause after an attempt that a worker couldn't start, in seconds.
    package var postponement: TimeInterval = 5
    /// How many dead letters are kept; the oldest are removed first.
    package var deadLetters = 200
    /// How long a dead letter is kept.
    package var deadLetterAge: TimeInterval = 30 * 86_400

    /// Creates the default policy.
    package init() {}
}

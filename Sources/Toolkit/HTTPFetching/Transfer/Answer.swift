import Foundation
import HTTPTypes
import ImageInfo
import Loading

/// One answer to one question, of whatever status.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var content: FetchedResource.Content
    /// Whether the content is all that there was.
    var isWhole: Bool
    var sniffedType: SniffedType
    var requested: Date
    var received: Date
    var origin = FetchedResource.Origin.network
}

extension Answer {
    /// What is kept, as it is served.
    init(
        _ record: CacheRecord, _ data: Data, origin: FetchedResource.Origin, now: Date, policy: CachePolicy
    ) {
        self.init(
            status: record.status, headers: record.headers, content: .data(data), isWhole: true,
            sniffedType: SniffedType(sniffing: data), requested: record.requested, received: record.received,
            origin: origin)
        let age = policy.age(of: record, at: now)
        headers[.age] = String(age < Double(DeltaSeconds.most) ? Int(age) : DeltaSeconds.most)
    }
}

/// What holds for one fetch, wherever servers lead.
struct Transfer: Sendable {
    var request: FetchRequest
    var limits: FetchLimits
    var watch: Watchdog.Watch
    var report: @Sendable (FetchProgress) -> Void
}

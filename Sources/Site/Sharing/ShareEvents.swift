import Accounts
import Digests
package import Persistence

/// The versions of the lists of what a person has shared and received, as events: the current one, then each new one.
struct ShareEvents: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    let sharing: SiteSharing
    let owner: OwnerID

    func makeAsyncIterator() -> AsyncIterator {
        // Listens before the first version is read, so that no change is missed.
        AsyncIterator(sharing: sharing, owner: owner, changes: sharing.store.changes().makeAsyncIterator())
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let sharing: SiteSharing
        fileprivate let owner: OwnerID
        fileprivate var changes: AsyncStream<Void>.AsyncIterator
        private var hasBegun = false
        private var last: String?

        fileprivate init(sharing: SiteSharing, owner: OwnerID, changes: AsyncStream<Void>.AsyncIterator) {
            (self.sharing, self.owner, self.changes) = (sharing, owner, changes)
        }

        mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            while true {
                if hasBegun, await changes.next(isolation: actor) == nil { return nil }
                hasBegun = true
                // After an error, the next change or moment of the interval reads again.
                guard let version = try? await sharing.version(for: owner), version != last else { continue }
                last = version
                return ServerSentEvent(data: version, name: "version")
            }
        }
    }
}

extension SiteSharing {
    /// The path of the events about what a person has shared and received.
    package static let eventsPath = "/sharing/events"

    /// The version of the lists of what a person has shared and received.
    ///
    /// - Parameter owner: The person.
    /// - Returns: A text that changes with the lists.
    /// - Throws: ``Accounts/ShareError``.
    package func version(for owner: OwnerID) async throws -> String {
        let time = now()
        let (given, received) = (
            try await store.shares(of: owner, at: time), try await store.shares(with: owner, at: time)
        )
        var hash = XXH64()
        for list in [given, received] {
            hash.add(list.count)
            for named in list {
                // Without the time of the last use, which changes whenever a page is opened.
                hash.add(named.share.id)
                hash.add(named.share.allowsEditing ? "edit" : "view")
                hash.add(named.ownerName ?? "")
                hash.add(named.personName ?? "")
            }
        }
        return String(hash.value, radix: 16)
    }
}

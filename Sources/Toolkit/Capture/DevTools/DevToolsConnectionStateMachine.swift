import Foundation
import Futures

/// What a DevTools connection knows: the commands that wait for a reply, and who follows which session's events.
///
/// Pure: every event is a mutating function that says what is to be done.
struct DevToolsConnectionStateMachine: Sendable {
    typealias Reply = Promise<Data, DevToolsError>
    typealias Events = DevToolsEventQueue

    private struct Pending {
        var method: String
        var sessionID: String?
        var reply: Reply
    }

    private struct Subscription {
        /// The sessions followed: a page's own, and those of its frames of other sites.
        var sessions: Set<String>
        /// The sessions of removed frames: forgotten with the subscription, because a page can create any number of frames.
        var past: Set<String> = []
        var events: Events
    }

    private var nextID = 1
    private var pending: [Int: Pending] = [:]
    private var subscriptions: [Int: Subscription] = [:]
    private var ended: [String: DevToolsError] = [:]
    private var closed: DevToolsError?

    enum SendAction {
        /// Write the command with this number.
        case write(id: Int)
        /// Its session or the connection is gone: reject the reply with this.
        case reject(DevToolsError)
    }

    mutating func send(method: String, sessionID: String?, reply: Reply) -> SendAction {
        if let closed { return .reject(closed) }
        if let sessionID, let reason = ended[sessionID] { return .reject(reason) }
        defer { nextID += 1 }
        pending[nextID] = Pending(method: method, sessionID: sessionID, reply: reply)
        return .write(id: nextID)
    }

    /// The wait for a reply has ended without one, by its deadline or by cancellation.
    ///
    /// - Returns: The reply to reject, or `nil` if it came in the meantime.
    mutating func giveUp(id: Int) -> Reply? {
        pending.removeValue(forKey: id)?.reply
    }

    enum ReceiveAction {
        case resolve(Reply, Data)
        case reject(Reply, DevToolsError)
        case publish(DevToolsEvent, to: [Events])
        /// A session ended: tell its followers, reject what waits for it, and finish the streams that were only its.
        case endSession(
            event: DevToolsEvent, to: [Events], rejecting: [Reply], reason: DevToolsError, finishing: [Events])
        /// A reply whose command has ended already.
        case ignore
    }

    mutating func receive(_ message: DevToolsMessage) -> ReceiveAction {
        switch message.kind {
        case .reply(let id):
            guard let command = pending.removeValue(forKey: id) else { return .ignore }
            return .resolve(command.reply, message.payload)
        case .failure(let id):
            guard let command = pending.removeValue(forKey: id) else { return .ignore }
            let refusal = try? JSONDecoder().decode(Refusal.self, from: message.payload)
            let said = refusal.map { $0.data.map { [message = $0.message] in "\(message) (\($0))" } ?? $0.message }
            return .reject(
                command.reply, DevToolsError(.refused, "\(command.method) was refused: \(said ?? "no reason given").")
            )
        case .event(let method):
            let event = DevToolsEvent(method: method, sessionID: message.sessionID, parameters: message.payload)
            return receive(event)
        }
    }

    private struct Refusal: Decodable {
        var message: String
        var data: String?
    }

    private struct SessionReference: Decodable {
        var sessionId: String
    }

    private mutating func receive(_ event: DevToolsEvent) -> ReceiveAction {
        switch event.method {
        case "Target.attachedToTarget":
            // A frame of another site: a follower of the parent gets the child's events from the first on.
            if let parent = event.sessionID, let child = event.decode(SessionReference.self)?.sessionId {
                for (key, subscription) in subscriptions where subscription.sessions.contains(parent) {
                    subscriptions[key]?.sessions.insert(child)
                }
            }
            return .publish(event, to: followers(of: event.sessionID))
        case "Target.detachedFromTarget":
            guard let session = event.decode(SessionReference.self)?.sessionId else { return .ignore }
            return end(session, event: event, reason: DevToolsError(.detached, "The page or frame is gone."))
        case "Inspector.targetCrashed":
            guard let session = event.sessionID else { return .ignore }
            return end(session, event: event, reason: DevToolsError(.crashed, "The page's process crashed."))
        default:
            return .publish(event, to: followers(of: event.sessionID))
        }
    }

    private func followers(of sessionID: String?) -> [Events] {
        guard let sessionID else { return [] }
        return subscriptions.values.filter { $0.sessions.contains(sessionID) }.map(\.events)
    }

    private mutating func end(_ session: String, event: DevToolsEvent, reason: DevToolsError) -> ReceiveAction {
        let followers = followers(of: session)
        ended[session] = reason
        var rejected: [Reply] = []
        for (id, command) in pending where command.sessionID == session {
            rejected.append(command.reply)
            pending[id] = nil
        }
        var finished: [Events] = []
        for (key, subscription) in subscriptions where subscription.sessions.contains(session) {
            subscriptions[key]?.sessions.remove(session)
            if subscription.sessions.count == 1 {
                finished.append(subscription.events)
                unfollow(key)
            } else {
                subscriptions[key]?.past.insert(session)
            }
        }
        return .endSession(event: event, to: followers, rejecting: rejected, reason: reason, finishing: finished)
    }

    enum FollowAction {
        /// Events go to this stream until it is left; the number is for leaving it.
        case followed(Int)
        /// There will be no more events: finish the stream.
        case finish
    }

    mutating func follow(_ session: String, events: Events) -> FollowAction {
        if closed != nil || ended[session] != nil { return .finish }
        defer { nextID += 1 }
        subscriptions[nextID] = Subscription(sessions: [session], events: events)
        return .followed(nextID)
    }

    /// Ends the sessions of a reader whose unread events exceed the limit.
    ///
    /// - Returns: The replies to reject; none if the reader has left already.
    mutating func overflow(_ events: Events, _ reason: DevToolsError) -> [Reply] {
        guard let (key, subscription) = subscriptions.first(where: { $0.value.events === events }) else { return [] }
        unfollow(key)
        for session in subscription.sessions { ended[session] = reason }
        let waiting = pending.filter { _, command in command.sessionID.map(subscription.sessions.contains) == true }
        for id in waiting.keys { pending[id] = nil }
        return waiting.sorted { $0.key < $1.key }.map(\.value.reply)
    }

    /// Why a session has ended; `nil` while it has not.
    func endReason(of session: String) -> DevToolsError? { closed ?? ended[session] }

    mutating func unfollow(_ subscription: Int) {
        for session in subscriptions.removeValue(forKey: subscription)?.past ?? [] { ended[session] = nil }
    }

    /// A session's page is closed for good: its number is not needed any more to refuse late commands.
    mutating func forget(_ session: String) {
        ended[session] = nil
    }

    struct CloseAction {
        var rejecting: [Reply] = []
        var finishing: [Events] = []
    }

    /// The connection is gone: everything that waits, waits no more.
    mutating func close(_ reason: DevToolsError) -> CloseAction {
        guard closed == nil else { return CloseAction() }
        closed = reason
        defer {
            pending = [:]
            subscriptions = [:]
        }
        return CloseAction(
            rejecting: pending.sorted { $0.key < $1.key }.map(\.value.reply),
            finishing: subscriptions.values.map(\.events))
    }

    /// Why the connection is gone; `nil` while it is there.
    var closedReason: DevToolsError? { closed }
}

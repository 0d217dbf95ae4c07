import Foundation
import Futures

/// Tracks the pending commands and the event subscriptions of a DevTools connection.
///
/// Pure: each event is a mutating function that returns the action to perform.
struct DevToolsConnectionStateMachine: Sendable {
    typealias Reply = Promise<Data, DevToolsError>
    typealias Events = DevToolsEventQueue

    private struct Pending {
        var method: String
        var sessionID: String?
        var reply: Reply
    }

    private struct Subscription {
        /// The subscribed sessions: a page's own, and those of its cross-site frames.
        var sessions: Set<String>
        /// The ended sessions of removed frames.
        ///
        /// They are forgotten when the subscription ends, because a page can create any number of frames.
        var past: Set<String> = []
        var events: Events
    }

    private var nextID = 1
    private var pending: [Int: Pending] = [:]
    private var subscriptions: [Int: Subscription] = [:]
    private var ended: [String: DevToolsError] = [:]
    private var closed: DevToolsError?

    enum SendAction {
        /// Write the command with this ID.
        case write(id: Int)
        /// Reject the reply with this error, because the session or the connection has ended.
        case reject(DevToolsError)
    }

    mutating func send(method: String, sessionID: String?, reply: Reply) -> SendAction {
        if let closed { return .reject(closed) }
        if let sessionID, let reason = ended[sessionID] { return .reject(reason) }
        defer { nextID += 1 }
        pending[nextID] = Pending(method: method, sessionID: sessionID, reply: reply)
        return .write(id: nextID)
    }

    /// Stops waiting for a reply, after its deadline or a cancellation.
    ///
    /// - Returns: The reply to reject; `nil` if it has arrived in the meantime.
    mutating func giveUp(id: Int) -> Reply? {
        pending.removeValue(forKey: id)?.reply
    }

    enum ReceiveAction {
        case resolve(Reply, Data)
        case reject(Reply, DevToolsError)
        case publish(DevToolsEvent, to: [Events])
        /// A session ended: publish the event, reject pending replies, and finish the streams that have no other
        /// session.
        case endSession(
            event: DevToolsEvent, to: [Events], rejecting: [Reply], reason: DevToolsError, finishing: [Events])
        /// A reply to a command that is no longer pending.
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
            let reason = refusal.map { $0.data.map { [message = $0.message] in "\(message) (\($0))" } ?? $0.message }
            return .reject(
                command.reply, DevToolsError(.refused, "\(command.method) was refused: \(reason ?? "no reason given").")
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
            // A cross-site frame: subscribers to its parent receive all of the frame's events.
            if let parent = event.sessionID, let child = event.decode(SessionReference.self)?.sessionId {
                for (key, subscription) in subscriptions where subscription.sessions.contains(parent) {
                    subscriptions[key]?.sessions.insert(child)
                }
            }
            return .publish(event, to: followers(of: event.sessionID))
        case "Target.detachedFromTarget":
            guard let session = event.decode(SessionReference.self)?.sessionId else { return .ignore }
            return end(session, event: event, reason: DevToolsError(.detached, "The page or frame no longer exists."))
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
        /// Publish events to this stream until `unfollow(_:)` is called with this ID.
        case followed(Int)
        /// Finish the stream, because there will be no more events.
        case finish
    }

    mutating func follow(_ session: String, events: Events) -> FollowAction {
        if closed != nil || ended[session] != nil { return .finish }
        defer { nextID += 1 }
        subscriptions[nextID] = Subscription(sessions: [session], events: events)
        return .followed(nextID)
    }

    /// Ends the sessions of a subscriber whose unread events exceed the limit.
    ///
    /// - Returns: The replies to reject; empty if the subscriber has already unsubscribed.
    mutating func overflow(_ events: Events, _ reason: DevToolsError) -> [Reply] {
        guard let (key, subscription) = subscriptions.first(where: { $0.value.events === events }) else { return [] }
        unfollow(key)
        for session in subscription.sessions { ended[session] = reason }
        let waiting = pending.filter { _, command in command.sessionID.map(subscription.sessions.contains) == true }
        for id in waiting.keys { pending[id] = nil }
        return waiting.sorted { $0.key < $1.key }.map(\.value.reply)
    }

    /// The reason why a session ended; `nil` if it hasn't.
    func endReason(of session: String) -> DevToolsError? { closed ?? ended[session] }

    mutating func unfollow(_ subscription: Int) {
        for session in subscriptions.removeValue(forKey: subscription)?.past ?? [] { ended[session] = nil }
    }

    /// Forgets the session of a closed page, to which no more commands are sent.
    mutating func forget(_ session: String) {
        ended[session] = nil
    }

    struct CloseAction {
        var rejecting: [Reply] = []
        var finishing: [Events] = []
    }

    /// Closes the connection; returns the replies to reject and the streams to finish.
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

    /// The reason why the connection was closed; `nil` while it's open.
    var closedReason: DevToolsError? { closed }
}

import Foundation
package import Futures
import Logging
package import SystemPackage

/// A connection that speaks the Chrome DevTools protocol: JSON messages, each terminated by NUL.
///
/// Can be used from any thread. Each command has a deadline and fails early when its task is cancelled. When the page
/// crashes, the session ends or the browser exits, pending commands fail and event streams finish.
package final class DevToolsConnection: Sendable {
    private let machine = Lock(DevToolsConnectionStateMachine())
    private let clock: any Clock<Duration>
    private let logger = Logger(label: "meanwhile.devtools")
    private let writer: DevToolsWriter
    /// Resolved when reading and writing have ended.
    private let finished = Promise<Void, Never>()

    /// Starts to read from one end of a stream socket pair, which the connection closes.
    ///
    /// Only the beginning of a message that exceeds the limit, in bytes, is stored.
    package init(
        socket: FileDescriptor, clock: any Clock<Duration> = ContinuousClock(),
        messageLimit: Int = DevToolsConnection.messageLimit
    ) {
        let writer = DevToolsWriter(socket: socket)
        self.writer = writer
        self.clock = clock
        let reader = Thread { [weak self] in
            Self.readMessages(from: socket, limit: messageLimit) { message, isComplete in
                if isComplete { self?.receive(message) } else { self?.refuse(message, limit: messageLimit) }
            }
            self?.close(DevToolsError(.disconnected, "Chromium exited or was killed."))
            writer.close()
        }
        reader.name = "devtools"
        reader.start()
    }

    deinit {
        writer.shutDown()
        finished.resolve(())
    }
}

// MARK: - Commands

extension DevToolsConnection {
    /// Sends a command to a page or frame, or to the browser, and waits for the reply until the deadline.
    package func send<Command: DevToolsCommand>(
        _ command: Command, session: String? = nil, deadline: Duration = .seconds(30)
    ) async throws(DevToolsError) -> Command.Reply {
        let payload = try await sendRaw(command, session: session, deadline: deadline)
        do {
            return try JSONDecoder().decode(Command.Reply.self, from: payload)
        } catch {
            throw DevToolsError(.unreadable, "Chromium's reply to \(Command.method) is invalid: \(error)")
        }
    }

    /// Sends a command without waiting for its reply.
    package func post<Command: DevToolsCommand>(_ command: Command, session: String? = nil) {
        let reply = Promise<Data, DevToolsError>(onAbandon: {
            DevToolsError(.disconnected, "The connection to Chromium was dropped.")
        })
        _ = begin(command, session: session, reply: reply)
        reply.future.onError { [logger] error in
            logger.debug("posted command failed", metadata: ["error": "\(error)"])
        }
    }

    private func sendRaw<Command: DevToolsCommand>(
        _ command: Command, session: String?, deadline: Duration
    ) async throws(DevToolsError) -> Data {
        let reply = Promise<Data, DevToolsError>(onAbandon: {
            DevToolsError(.disconnected, "The connection to Chromium was dropped.")
        })
        guard let id = begin(command, session: session, reply: reply) else { return try await reply.future.value }
        let late = DevToolsError(
            .deadlineExceeded, "Chromium didn't respond to \(Command.method) within \(deadline).")
        do throws(DevToolsError) {
            return try await reply.future.timeout(at: deadline, of: Stopwatch(clock), error: late)
                .value(onCancel: DevToolsError(.cancelled, "\(Command.method) was cancelled."))
        } catch {
            giveUp(id, error)
            throw error
        }
    }

    private func giveUp(_ id: Int, _ reason: DevToolsError) {
        machine.withLock { $0.giveUp(id: id) }?.reject(reason)
    }

    private struct Envelope<Parameters: Encodable>: Encodable {
        var id: Int
        var method: String
        var params: Parameters
        var sessionId: String?
    }

    /// - Returns: The command's ID; `nil` if the reply is already settled.
    private func begin<Command: DevToolsCommand>(
        _ command: Command, session: String?, reply: Promise<Data, DevToolsError>
    ) -> Int? {
        let method = Command.method
        switch machine.withLock({ $0.send(method: method, sessionID: session, reply: reply) }) {
        case .reject(let reason):
            reply.reject(reason)
            return nil
        case .write(let id):
            logger.trace("send", metadata: ["id": "\(id)", "method": "\(method)"])
            do {
                let envelope = Envelope(id: id, method: method, params: command, sessionId: session)
                var message = try JSONEncoder().encode(envelope)
                message.append(0)
                writer.write(message) { [weak self] in
                    self?.close(DevToolsError(.disconnected, "Chromium exited: it accepts no more commands."))
                }
                return id
            } catch {
                giveUp(id, DevToolsError(.unreadable, "\(method) couldn't be written as JSON: \(error)"))
                return nil
            }
        }
    }
}

// MARK: - Events

extension DevToolsConnection {
    /// Subscribes to the events of a session and of its frames' sessions.
    ///
    /// The sequence ends when the session ends, the page crashes or the browser exits; ``endReason(of:)`` says why.
    /// Events that are unread then are still delivered. If the unread events exceed ``unreadEventLimit`` because the
    /// page produces them too fast, the session ends with the code `overflow`, and the unread events are dropped.
    package func events(of session: String) -> DevToolsEvents {
        let events = DevToolsEvents(limit: Self.unreadEventLimit)
        switch machine.withLock({ $0.follow(session, events: events.queue) }) {
        case .followed(let subscription):
            events.queue.onEnd { [weak self] in
                self?.machine.withLock { $0.unfollow(subscription) }
            }
        case .finish:
            events.queue.finish()
        }
        return events
    }

    /// The maximum size of a subscription's unread events, in bytes.
    static let unreadEventLimit = 64 << 20

    /// The maximum size of a stored message, in bytes.
    ///
    /// It exceeds the size of the largest picture or body that a capture requests.
    package static let messageLimit = 512 << 20

    /// The reason why a session ended; `nil` if it hasn't, or was forgotten.
    package func endReason(of session: String) -> DevToolsError? {
        machine.withLock { $0.endReason(of: session) }
    }

    /// Forgets a session that has ended, after the last command to it.
    package func forget(_ session: String) {
        machine.withLock { $0.forget(session) }
    }

    /// The reason why the connection was closed; `nil` while it's open.
    package var closedReason: DevToolsError? {
        machine.withLock { $0.closedReason }
    }

    /// Resolves when the connection is closed.
    package var closed: Future<Void, Never> { finished.future }
}

// MARK: - Reading and closing

extension DevToolsConnection {
    /// Closes the connection, and fails pending commands with the reason.
    package func close(_ reason: DevToolsError) {
        let action = machine.withLock { $0.close(reason) }
        for reply in action.rejecting { reply.reject(reason) }
        for events in action.finishing { events.finish() }
        writer.shutDown()
        finished.resolve(())
    }

    /// Handles a message from the browser.
    func receive(_ bytes: Data) {
        guard let message = DevToolsMessage(bytes) else {
            logger.error("unreadable message", metadata: ["bytes": "\(bytes.count)"])
            return
        }
        switch machine.withLock({ $0.receive(message) }) {
        case .resolve(let reply, let payload):
            reply.resolve(payload)
        case .reject(let reply, let error):
            reply.reject(error)
        case .publish(let event, to: let followers):
            logger.trace("event", metadata: ["method": "\(event.method)"])
            for follower in followers { publish(event, to: follower) }
        case .endSession(let event, to: let followers, let rejecting, let reason, let finishing):
            logger.debug("session ended", metadata: ["reason": "\(reason)"])
            for follower in followers { publish(event, to: follower) }
            for reply in rejecting { reply.reject(reason) }
            for events in finishing { events.finish() }
        case .ignore:
            break
        }
    }

    /// Fails the command whose reply is too long to be stored; an event that is too long is dropped.
    ///
    /// Chromium writes the command's ID at the beginning of its reply.
    private func refuse(_ beginning: Data, limit: Int) {
        logger.notice("message too long", metadata: ["limit": "\(limit)"])
        guard let id = DevToolsMessage.replyID(atStartOf: beginning) else { return }
        giveUp(id, DevToolsError(.overflow, "Chromium's reply is longer than \(limit) bytes."))
    }

    /// Delivers an event to a subscriber, and ends its sessions if too many events are unread.
    private func publish(_ event: DevToolsEvent, to events: DevToolsEventQueue) {
        if events.add(event) { return }
        let reason = DevToolsError(
            .overflow,
            "The page produces events faster than they can be read: more than "
                + "\(Self.unreadEventLimit >> 20) MiB are unread.")
        logger.notice("too many events", metadata: ["method": "\(event.method)"])
        for reply in machine.withLock({ $0.overflow(events, reason) }) { reply.reject(reason) }
        events.finish()
    }

    /// Reads until the other end is closed, and passes on each message and whether it's complete.
    ///
    /// Only the beginning of a message that exceeds the limit is stored.
    private static func readMessages(
        from socket: FileDescriptor, limit: Int, _ receive: (_ message: Data, _ isComplete: Bool) -> Void
    ) {
        let beginningLength = 64
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var message = Data()
        var isComplete = true
        func add(_ bytes: UnsafeRawBufferPointer.SubSequence) {
            guard isComplete else { return }
            if bytes.count <= limit - message.count {
                message.append(contentsOf: bytes)
            } else {
                message.append(contentsOf: bytes.prefix(beginningLength))
                message = Data(message.prefix(beginningLength))
                isComplete = false
            }
        }
        while let count = try? socket.read(into: buffer), count > 0 {
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while let base = rest.baseAddress, let end = memchr(base, 0, rest.count) {
                let length = UnsafeRawPointer(end) - base
                add(rest[..<length])
                receive(message, isComplete)
                message = Data()
                isComplete = true
                rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
            }
            add(rest[...])
        }
    }
}

import HuntSupport
import Interleaving
import Logging
import ServiceLifecycle
import Testing

/// ServiceGroup: runs services, and shuts them down in reverse order.
///
/// Signals aren't part of these hunts.
@Suite struct ServiceGroupHunts {
    @Test func gracefulShutdownIsInReverseOrder() {
        hunt("ServiceGroup", "a graceful shutdown ends the services in reverse order") {
            let ended = Log<Int>()
            let group = group(
                (1...3).map { number in
                    .init(service: Part { try await waitForShutdown { ended.append(number) } })
                })
            async let running: Void = group.run()
            async let triggered: Void = group.triggerGracefulShutdown()
            async let again: Void = group.triggerGracefulShutdown()
            _ = try await (running, triggered, again)
            check(ended.elements == [3, 2, 1], "ended in order \(ended.elements)")
        }
    }

    @Test func cancellationEndsEveryService() {
        hunt("ServiceGroup", "cancellation ends every service, also during a graceful shutdown") {
            let ended = Log<Int>()
            let group = group(
                (1...3).map { number in
                    .init(service: Part { await endOfCancellation { ended.append(number) } })
                })
            let running = Task { try await group.run() }
            async let triggered: Void = group.triggerGracefulShutdown()
            async let cancelled: Void = { running.cancel() }()
            _ = await (running.result, triggered, cancelled)
            check(ended.count == 3, "ended \(ended.elements)")
        }
    }

    @Test func failureOfOneServiceEndsTheOthers() {
        hunt("ServiceGroup", "an error of one service ends the others, and run() throws it") {
            let ended = Log<Int>()
            let group = group([
                .init(service: Part { await endOfCancellation { ended.append(1) } }),
                .init(
                    service: Part {
                        await Task.yield()
                        throw Failure()
                    }),
                .init(service: Part { await endOfCancellation { ended.append(3) } }),
            ])
            let error = await failure { try await group.run() }
            check(error is Failure, "threw \(String(describing: error))")
            check(ended.elements.sorted() == [1, 3], "ended \(ended.elements)")
        }
    }

    @Test func failureShutsTheOthersDownGracefully() {
        hunt("ServiceGroup", "with gracefullyShutdownGroup, an error shuts the others down in reverse order") {
            let ended = Log<Int>()
            let group = group([
                .init(service: Part { try await waitForShutdown { ended.append(1) } }),
                .init(service: Part { try await waitForShutdown { ended.append(2) } }),
                .init(
                    service: Part {
                        await Task.yield()
                        throw Failure()
                    }, failureTerminationBehavior: .gracefullyShutdownGroup),
            ])
            async let error = failure { try await group.run() }
            async let triggered: Void = group.triggerGracefulShutdown()
            let thrown = await error
            await triggered
            check(thrown is Failure, "threw \(String(describing: thrown))")
            check(ended.elements == [2, 1], "ended in order \(ended.elements)")
        }
    }

    @Test func serviceThatMayFinishCanFinishDuringTheShutdown() {
        hunt(
            "ServiceGroup", "a service that may finish can finish at any time",
            expecting: .bug("threw", report: "service-group-ignores-success-behavior-in-shutdown")
        ) {
            let group = group([
                .init(service: Part { await Task.yield() }, successTerminationBehavior: .ignore),
                .init(
                    service: Part {
                        try await gracefulShutdown()
                        // Ends a little later, as a server that closes its connections.
                        await Task.yield()
                    }),
            ])
            async let running: Void = group.run()
            async let triggered: Void = group.triggerGracefulShutdown()
            _ = try await (running, triggered)
        }
    }

    @Test func twoServicesThatEndTheGroup() {
        hunt(
            "ServiceGroup", "two services that end the group gracefully when they finish can both finish",
            expecting: .bug("threw", report: "service-group-ignores-success-behavior-in-shutdown")
        ) {
            let group = group([
                .init(service: Part { await Task.yield() }, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: Part { await Task.yield() }, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: Part { try await waitForShutdown {} }),
            ])
            try await group.run()
        }
    }

    @Test func addedServiceStartsOnceOrNever() {
        hunt("ServiceGroup", "an added service starts at most once and ends, and adding it never hangs") {
            let events = Log<String>()
            let group = group([.init(service: Part { try await waitForShutdown {} })])
            async let running: Void = group.run()
            async let added: Void = group.addServiceUnlessShutdown(
                Part {
                    events.append("starts")
                    try await waitForShutdown { events.append("ends") }
                })
            async let another: Void = group.addServiceUnlessShutdown(Part { try await waitForShutdown {} })
            async let triggered: Void = group.triggerGracefulShutdown()
            _ = try await (running, added, another, triggered)
            check([[], ["starts", "ends"]].contains(events.elements), "\(events.elements)")
        }
    }

    @Test func serviceAddedWhileTheLastOneEndsStarts() {
        hunt(
            "ServiceGroup", "a service that is added while the group runs starts",
            expecting: .documented(
                "never started", explanation: "adding a service is best effort while the last service ends")
        ) {
            let started = Log<Int>()
            let group = group([.init(service: Part { await Task.yield() }, successTerminationBehavior: .ignore)])
            let isOver = Log<Int>()
            async let running: Void = {
                try await group.run()
                isOver.append(1)
            }()
            await Task.yield()
            await group.addServiceUnlessShutdown(
                .init(service: Part { started.append(1) }, successTerminationBehavior: .ignore))
            let wasRunning = isOver.count == 0
            _ = try await running
            check(!wasRunning || started.count == 1, "added while the group ran, but never started")
        }
    }

    @Test func handlerCanAskForTheShutdown() {
        // Only with interruptions at locks: otherwise the lock blocks the exploring thread.
        hunt(
            "ServiceGroup", "a shutdown handler can ask whether the task is shutting down",
            expecting: .bug("hung", report: "graceful-shutdown-handler-runs-under-the-lock"),
            hangTimeout: .milliseconds(200), preemptsAtLocks: true
        ) {
            let group = group([
                .init(
                    service: Part {
                        await withGracefulShutdownHandler {
                            await Task.yield()
                        } onGracefulShutdown: {
                            _ = Task.isShuttingDownGracefully
                        }
                        try await gracefulShutdown()
                    })
            ])
            async let running: Void = group.run()
            async let triggered: Void = group.triggerGracefulShutdown()
            _ = try await (running, triggered)
        }
    }

    @Test func shutdownTimeoutCancels() {
        hunt("ServiceGroup", "a service that ignores the graceful shutdown is cancelled after the timeout") {
            let ended = Log<Int>()
            var configuration = configuration([.init(service: Part { await endOfCancellation { ended.append(1) } })])
            configuration.maximumGracefulShutdownDuration = .seconds(10)
            let group = ServiceGroup(configuration: configuration)
            async let running: Void = group.run()
            async let triggered: Void = group.triggerGracefulShutdown()
            _ = try await (running, triggered)
            check(ended.count == 1, "ended \(ended.count) times")
        }
    }

    @Test func nestedGroupsShutDown() {
        hunt("ServiceGroup", "a graceful shutdown reaches the services of a group within a group", schedules: 5_000) {
            let ended = Log<Int>()
            let inner = group([.init(service: Part { try await waitForShutdown { ended.append(1) } })])
            let outer = group([.init(service: inner)])
            async let running: Void = outer.run()
            async let triggered: Void = outer.triggerGracefulShutdown()
            _ = try await (running, triggered)
            check(ended.count == 1, "ended \(ended.count) times")
        }
    }
}

// MARK: - Parts

private struct Failure: Error {}

private struct Part: Service {
    let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) {
        self.body = body
    }

    func run() async throws { try await body() }
}

private let silent = Logger(label: "hunt", factory: { _ in SwiftLogNoOpLogHandler() })

private func configuration(_ services: [ServiceGroupConfiguration.ServiceConfiguration]) -> ServiceGroupConfiguration {
    ServiceGroupConfiguration(services: services, logger: silent)
}

private func group(_ services: [ServiceGroupConfiguration.ServiceConfiguration]) -> ServiceGroup {
    ServiceGroup(configuration: configuration(services))
}

/// Waits for the graceful shutdown, and then calls the closure.
private func waitForShutdown(_ end: @Sendable () -> Void) async throws {
    try await gracefulShutdown()
    await Task.yield()
    end()
}

/// Waits until the task is cancelled, and then calls the closure.
private func endOfCancellation(_ end: @Sendable () -> Void) async {
    let (stream, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    end()
}

private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do { try await body() } catch { return error }
    return nil
}

import NIOCore
import Testing

@testable import Site

/// The limits of time, without time.
@Suite struct ConnectionProgressTests {
    private static let limits: ConnectionLimits = {
        var limits = ConnectionLimits()
        limits.slowestBody = 100
        limits.bodyInterval = .seconds(10)
        limits.readTimeout = .seconds(30)
        limits.shutdownTimeout = .seconds(4)
        return limits
    }()

    private static func time(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1) + .seconds(seconds)
    }

    private var progress = ConnectionProgress(Self.limits)

    @Test mutating func aConnectionWithoutARequestNeedsNoCheck() {
        #expect(!progress.isActive)
        #expect(progress.check(at: Self.time(1_000), isReading: true) == nil)
    }

    @Test mutating func aBodyThatTricklesIsSlow() {
        progress.headArrived(at: Self.time(0))
        progress.bodyArrived(999)
        #expect(progress.check(at: Self.time(9), isReading: true) == nil)
        #expect(progress.check(at: Self.time(10), isReading: true) == .slowBody)
    }

    @Test mutating func aBodyAtTheSlowestSpeedGoesOn() {
        progress.headArrived(at: Self.time(0))
        for interval in 1...100 {
            progress.bodyArrived(1_000)
            #expect(progress.check(at: Self.time(Int64(interval) * 10), isReading: true) == nil)
        }
        // What arrived before doesn't count for the next interval.
        #expect(progress.check(at: Self.time(1_010), isReading: true) == .slowBody)
    }

    @Test mutating func aServerThatDoesNotReadIsNotTheClientsFault() {
        progress.headArrived(at: Self.time(0))
        #expect(progress.check(at: Self.time(100), isReading: false) == nil)
        #expect(progress.check(at: Self.time(109), isReading: true) == nil)
        #expect(progress.check(at: Self.time(110), isReading: true) == .slowBody)
    }

    @Test mutating func aRequestThatIsWholeMayWaitForItsAnswer() {
        progress.headArrived(at: Self.time(0))
        progress.requestEnded()
        #expect(!progress.isActive)
        #expect(progress.check(at: Self.time(10_000), isReading: true) == nil)
    }

    @Test mutating func aReaderThatTakesNothingIsSlow() {
        progress.writeBegan(at: Self.time(5))
        progress.writeBegan(at: Self.time(20))
        #expect(progress.check(at: Self.time(34), isReading: true) == nil)
        #expect(progress.check(at: Self.time(35), isReading: true) == .slowReader)
    }

    @Test mutating func aReaderThatTakesALittleGoesOn() {
        for _ in 0..<10 { progress.writeBegan(at: Self.time(0)) }
        for part in 1...9 {
            progress.writeEnded(at: Self.time(Int64(part) * 29))
            #expect(progress.check(at: Self.time(Int64(part) * 29 + 28), isReading: true) == nil)
        }
        progress.writeEnded(at: Self.time(270))
        #expect(!progress.isActive)
        #expect(progress.check(at: Self.time(10_000), isReading: true) == nil)
    }

    @Test mutating func aPauseBetweenTwoPartsDoesNotCount() {
        progress.writeBegan(at: Self.time(0))
        progress.writeEnded(at: Self.time(1))
        progress.writeBegan(at: Self.time(1_000))
        #expect(progress.check(at: Self.time(1_029), isReading: true) == nil)
        #expect(progress.check(at: Self.time(1_030), isReading: true) == .slowReader)
    }

    @Test mutating func shutdownHasAnEnd() {
        progress.shutdown(at: Self.time(0))
        progress.shutdown(at: Self.time(3))
        #expect(progress.isActive)
        #expect(progress.check(at: Self.time(3), isReading: true) == nil)
        #expect(progress.check(at: Self.time(4), isReading: true) == .shutdown)
    }
}

/// The limits of numbers.
@Suite struct ConnectionTableTests {
    private static func table(isBehindProxy: Bool = false) -> ConnectionTable {
        var limits = ConnectionLimits()
        limits.connections = 5
        limits.connectionsPerAddress = 3
        limits.eventStreams = 2
        limits.eventStreamsPerAddress = 1
        limits.waitingBytes = 100
        return ConnectionTable(limits: limits, isBehindProxy: isBehindProxy)
    }

    @Test func oneAddressLeavesRoomForOthers() {
        let table = Self.table()
        #expect((0..<5).map { _ in table.add(.connection, from: "a") } == [true, true, true, false, false])
        #expect((0..<3).map { _ in table.add(.connection, from: "b") } == [true, true, false])
        #expect(table.count(.connection) == 5)
        table.remove(.connection, from: "a")
        #expect(table.add(.connection, from: "a"))
        #expect(!table.add(.connection, from: "a"))
    }

    @Test func aProxyHasAllConnections() {
        let table = Self.table(isBehindProxy: true)
        #expect((0..<6).map { _ in table.add(.connection, from: "proxy") } == [true, true, true, true, true, false])
    }

    @Test func eventStreamsAreCountedApart() {
        let table = Self.table()
        #expect(table.add(.eventStream, from: "a") && !table.add(.eventStream, from: "a"))
        #expect(table.add(.eventStream, from: "b") && !table.add(.eventStream, from: "c"))
        #expect(table.count(.connection) == 0)
    }

    @Test func waitingBytesHaveALimitAndOneResponseFits() {
        let table = Self.table()
        #expect(table.addWaiting(1_000))
        #expect(!table.addWaiting(1))
        table.removeWaiting(1_000)
        #expect(table.addWaiting(60) && !table.addWaiting(41) && table.addWaiting(40))
    }
}

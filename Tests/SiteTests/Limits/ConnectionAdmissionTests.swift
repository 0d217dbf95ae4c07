import Testing

@testable import Site

@Suite struct ConnectionAdmissionTests {
    private static func admission(
        connections: Int = 8, perAddress: Int = 4, isPerAddress: Bool = true, bytes: Int = 100
    ) -> ConnectionAdmission<Int> {
        var limits = SiteLimits()
        limits.maximumConnections = connections
        limits.maximumConnectionsPerAddress = perAddress
        limits.maximumBufferedBytes = bytes
        limits.maximumEventStreams = 3
        limits.maximumEventStreamsPerAddress = 2
        return ConnectionAdmission(limits: limits, isPerAddress: isPerAddress)
    }

    @Test func greedyAddressLosesItsOldestIdleConnection() {
        var admission = Self.admission()
        #expect(admission.admit(100, from: "b") == .admit)
        for key in 0..<4 { #expect(admission.admit(key, from: "a") == .admit) }
        admission.setIdle(0, false)
        #expect(admission.admit(4, from: "a") == .replace(1))
        // The first connection has now been idle for less time than the others.
        admission.setIdle(0, true)
        #expect(admission.admit(5, from: "a") == .replace(2))
        #expect(admission.admit(101, from: "b") == .admit)
    }

    @Test func connectionIsRefusedIfItsAddressHasNoIdleOne() {
        var admission = Self.admission()
        for key in 0..<4 {
            #expect(admission.admit(key, from: "a") == .admit)
            admission.setIdle(key, false)
        }
        #expect(admission.admit(4, from: "a") == .refuse)
        #expect(admission.admit(5, from: "b") == .admit)
        admission.remove(0)
        #expect(admission.admit(6, from: "a") == .admit)
    }

    @Test func totalLimitReplacesAConnectionOfTheGreediestAddress() {
        var admission = Self.admission(connections: 5)
        #expect(admission.admit(0, from: "b") == .admit)
        for key in 1..<5 { #expect(admission.admit(key, from: "a") == .admit) }
        #expect(admission.admit(5, from: "c") == .replace(1))
        for key in [0, 2, 3, 4, 5] { admission.setIdle(key, false) }
        #expect(admission.admit(6, from: "d") == .refuse)
    }

    @Test func perAddressLimitsAreIgnoredBehindAProxy() {
        var admission = Self.admission(isPerAddress: false)
        for key in 0..<8 { #expect(admission.admit(key, from: "proxy") == .admit) }
        #expect(admission.admit(8, from: "proxy") == .replace(0))
        for _ in 0..<3 { #expect(admission.openStream(from: "proxy") == .admit) }
        #expect(admission.openStream(from: "proxy") == .tooMany)
    }

    @Test func connectionsThatAreBeingClosedAreBounded() {
        var admission = Self.admission()
        let outcomes = (0..<1_000).map { admission.admit($0, from: "a") }
        #expect(outcomes.filter { $0 != .refuse }.count == 8 + 64)
        for key in 0..<1_000 { admission.remove(key) }
        for key in 0..<4 { #expect(admission.admit(key, from: "a") == .admit) }
    }

    @Test func slowestReaderIsClosedIfResponsesTakeTooMuchMemory() {
        var admission = Self.admission()
        for key in 0..<3 { _ = admission.admit(key, from: "a") }
        #expect(admission.buffered(40, on: 0) == nil)
        #expect(admission.buffered(40, on: 1) == nil)
        // The first client has read something since.
        admission.wrote(10, on: 0)
        #expect(admission.buffered(40, on: 2) == 1)
        admission.wrote(40, on: 1)
        admission.remove(1)
        #expect(admission.buffered(30, on: 2) == nil)
        #expect(admission.buffered(1, on: 2) == 0)
    }

    @Test func eventStreamsAreLimitedForAnAddressAndInTotal() {
        var admission = Self.admission()
        for _ in 0..<2 { #expect(admission.openStream(from: "a") == .admit) }
        #expect(admission.openStream(from: "a") == .tooManyOfAddress)
        #expect(admission.openStream(from: "b") == .admit)
        #expect(admission.openStream(from: "b") == .tooMany)
        admission.closeStream(from: "a")
        #expect(admission.openStream(from: "b") == .admit)
    }

    @Test(arguments: [0, 256, 300, 1_024, 4_096, 8_192, 1_000_000])
    func limitsFitTheDescriptors(count: Int) {
        let limits = SiteLimits().fitting(descriptors: count)
        #expect(limits.maximumConnections >= 8)
        #expect(limits.neededDescriptors <= max(count, 272))
        #expect(limits.maximumConnectionsPerAddress * 4 <= limits.maximumConnections)
        #expect(limits.maximumEventStreamsPerAddress < limits.maximumConnectionsPerAddress)
        if count > 8_000 { #expect(limits == SiteLimits()) }
    }
}

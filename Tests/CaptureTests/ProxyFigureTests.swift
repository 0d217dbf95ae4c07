import Egress
import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Measures the overhead of the proxy: `script/bench egress`.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["EGRESS_FIGURES"] == "1"), .serialized, .timeLimit(.minutes(15)))
struct ProxyFigureTests {
    private static let rounds = 15

    /// The milliseconds from navigation to the load event, in an open page.
    private func time(_ url: URL, in process: ChromiumProcess, by proxy: PinningProxy?) async throws -> Double {
        let session = proxy?.session(policy: PageCapturer.Configuration.forFixtures.addressPolicy)
        let blank = try await BlankPage.open(window: .init(width: 1280, height: 800), in: process.connection)
        let request = PageTab.Request(url: url, options: CaptureOptions(), archives: [.webArchive], egress: session)
        let tab = try await PageTab.open(request, on: blank, in: process.connection, clock: ContinuousClock())
        let start = ContinuousClock.now
        try await tab.navigate()
        try await tab.waitUntilLoaded()
        let duration = ContinuousClock.now - start
        _ = await tab.close()
        await session?.end()
        return Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) * 1e-15
    }

    private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    @Test func proxyAddsAtMostAFifthToLoadTimes() async throws {
        let proxy = try await PinningProxy.start()
        let direct = try await ChromiumProcess.launch()
        var configuration = ChromiumProcess.Configuration()
        configuration.proxyPort = proxy.port
        let proxied = try await ChromiumProcess.launch(configuration)
        try await FixtureSite.run { site in
            print("| page | directly, ms | through the proxy, ms | ratio |\n|---|---:|---:|---:|")
            for path in ["/", "/plain", "/many?n=300", "/large?megabytes=30"] {
                var times: (direct: [Double], proxied: [Double]) = ([], [])
                for round in 0...Self.rounds {
                    let one = try await time(site.url(path), in: direct, by: nil)
                    let other = try await time(site.url(path), in: proxied, by: proxy)
                    // The first round is a warm-up.
                    guard round > 0 else { continue }
                    times.direct.append(one)
                    times.proxied.append(other)
                }
                let (one, other) = (median(times.direct), median(times.proxied))
                print("| \(path) | \(one.formatted()) | \(other.formatted()) | \((other / one).formatted()) |")
                #expect(other <= one * 1.2, "\(path)")
            }
        }
        await direct.terminate()
        await proxied.terminate()
        await proxy.close()
    }
}

import Egress
import FixtureSite
import Foundation
import Futures
import Testing
import VirtualTime

@testable import Capture

/// Tests of the network addresses that pages can reach, in real Chromium.
@Suite(.timeLimit(.minutes(10))) struct PageEgressTests {
    /// A capturer whose resolver maps every name to this machine, with rules that allow some addresses.
    private func capturer(allowing rules: String...) throws -> PageCapturer {
        var configuration = PageCapturer.Configuration()
        configuration.addressPolicy = AddressPolicy(allowing: try rules.map { try AllowRule($0) })
        configuration.resolver = ThisMachine()
        configuration.clock = ExtendingClock()
        return PageCapturer(configuration: configuration)
    }

    private func failure(_ address: String, with capturer: PageCapturer) async throws -> CaptureError? {
        await #expect(throws: CaptureError.self) {
            try await capturer.capture(try #require(URL(string: address)), formats: [.png])
        }
    }

    @Test func refusalOfALocalPageNamesTheOptionThatAllowsIt() async throws {
        try await FixtureSite.run { site in
            let capturer = try capturer()
            for host in ["127.0.0.1", "localhost", "a.localhost", "inside.example"] {
                for scheme in ["http", "https"] {
                    let error = try await failure("\(scheme)://\(host):\(site.port)/plain", with: capturer)
                    #expect(error?.code == .addressRefused, "\(error?.message ?? "")")
                    #expect(error?.message.hasSuffix("--allow \(host):\(site.port)") == true)
                    #expect(error?.refusal?.rule.range == "127.0.0.0/8")
                }
            }
            for address in [
                "http://0x7f.1:\(site.port)/", "http://2130706433:\(site.port)/",
                "http://[::ffff:7f00:1]:\(site.port)/",
            ] {
                let error = try await failure(address, with: capturer)
                #expect(error?.message.hasSuffix("--allow 127.0.0.1:\(site.port)") == true, "\(error?.message ?? "")")
            }
            #expect(site.requests.isEmpty)
            await capturer.close()
        }
    }

    @Test func redirectToARefusedAddressFails() async throws {
        try await FixtureSite.run { site in
            let capturer = try capturer(allowing: "page.example:\(site.port)")
            for scheme in ["http", "https"] {
                let error = try await failure(
                    "http://page.example:\(site.port)/redirect-to?url=\(scheme)://inside.example:\(site.port)/plain",
                    with: capturer)
                #expect(error?.code == .addressRefused)
                #expect(error?.message.hasSuffix("--allow inside.example:\(site.port)") == true)
            }
            // A slow browser may still ask the allowed host for its icon.
            let requests = site.requests.filter { $0 != "/favicon.ico" }
            #expect(requests.allSatisfy { $0.hasPrefix("/redirect-to") }, "\(requests)")
            await capturer.close()
        }
    }

    @Test func noResourceReachesARefusedAddress() async throws {
        let folder = try Self.folder { name in
            """
            <!doctype html><title>Attempts</title>
            <link rel=stylesheet href='\(name("style"))'><link rel=preload as=image href='\(name("preload"))'>
            <link rel=prefetch href='\(name("prefetch"))'><link rel=preconnect href='\(name("preconnect"))'>
            <link rel=dns-prefetch href='\(name("dns"))'>
            <style>@import '\(name("import"))'; p { background: url('\(name("background"))') }</style>
            <p>Attempts</p><img src='\(name("image"))'><iframe src='\(name("frame"))'></iframe>
            <video src='\(name("video"))'></video><object data='\(name("object"))'></object>
            <iframe srcdoc="<img src='\(name("srcdoc"))'>"></iframe>
            <script>
            const attempt = work => new Promise(done => { try { work(done) } catch (error) { done() } });
            const socket = address => done => { new WebSocket(address).onerror = done };
            const worker = code => done => {
                const worker = new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
                worker.onmessage = worker.onerror = done;
            };
            const all = Promise.all([
                attempt(done => fetch('\(name("fetch"))').catch(done)),
                attempt(done => fetch('\(name("no-cors"))', {mode: 'no-cors', method: 'POST', body: 'x'}).then(done, done)),
                attempt(socket('\(name("socket"))'.replace('http', 'ws'))),
                attempt(socket('\(name("safe-socket"))'.replace('http', 'wss'))),
                attempt(worker("fetch('\(name("worker"))').catch(() => 0).then(() => postMessage(1))")),
                attempt(worker("try { importScripts('\(name("import-scripts"))') } catch (error) {} postMessage(1)")),
                attempt(done => { const source = new EventSource('\(name("events"))'); source.onerror = () => { source.close(); done() } }),
                attempt(done => { navigator.sendBeacon('\(name("beacon"))', 'x'); done() }),
                attempt(done => { const image = new Image(); image.onerror = done; image.src = '/redirect-to?url=' + encodeURIComponent('\(name("redirect"))') }),
            ]);
            // After 40 seconds, each attempt has been made, even if its result isn't known.
            Promise.race([all, new Promise(done => setTimeout(done, 40000))]).then(() => fetch('/data.json?attempted'));
            </script>
            <img src='/stall/picture.png'>
            """
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        try await FixtureSite.run(serving: folder) { site in
            let capturer = try capturer(allowing: "page.example:\(site.port)")
            let address = "http://page.example:\(site.port)/files/page.html?port=\(site.port)"
            try Self.setPort(site.port, in: folder)
            let url = try #require(URL(string: address))
            let task = Task { try await capturer.capture(url, formats: [.png, .webArchive]) }
            // The page's load event waits until every attempt has been made.
            await site.waitForRequest("/data.json?attempted")
            site.release("/stall/picture.png")
            let capture = try await task.value
            #expect(site.requests.filter { $0.contains("attempt=") && !$0.hasPrefix("/redirect-to") } == [])
            let refused = Set(capture.refusals.map { $0.host.prefix { $0 != "." } })
            // Attempts that Chromium doesn't even make (prefetches, beacons of a closed page) may be missing.
            for part in [
                "style", "import", "background", "image", "frame", "video", "srcdoc", "fetch", "no-cors", "socket",
                "safe-socket", "worker", "import-scripts", "events", "redirect",
            ] {
                #expect(refused.contains(part[...]), "\(part)")
            }
            let image = capture.resources.first { $0.url.contains("//image.") }
            #expect(image?.missing?.contains("--allow image.inside.example:\(site.port)") == true)
            #expect(image?.status == nil)
            #expect(capture.warnings.contains { $0.kind == .refusedAddresses && $0.message.contains("--allow ") })
            // The proxy's error text doesn't become part of the page.
            let archive = try WebArchive(propertyList: try #require(capture.data[.webArchive]))
            #expect(
                !archive.allResources.contains {
                    String(decoding: $0.data, as: UTF8.self).contains("only public addresses")
                })
            await capturer.close()
        }
    }

    @Test func noDatagramBypassesTheProxy() async throws {
        let datagrams = try DatagramSocket()
        let folder = try Self.folder { _ in
            """
            <!doctype html><title>UDP</title><p>UDP</p><script>
            const at = '127.0.0.1:\(datagrams.port)';
            const gathered = new Promise(done => {
                const one = new RTCPeerConnection({iceServers: [
                    {urls: 'stun:' + at}, {urls: 'turn:' + at, username: 'a', credential: 'b'}]});
                one.onicegatheringstatechange = () => { if (one.iceGatheringState === 'complete') done() };
                const other = new RTCPeerConnection();
                one.createDataChannel('x');
                (async () => {
                    await one.setLocalDescription(await one.createOffer());
                    await other.setRemoteDescription(one.localDescription);
                    await other.setLocalDescription(await other.createAnswer());
                    await one.setRemoteDescription(other.localDescription);
                    await one.addIceCandidate({candidate: 'candidate:1 1 udp 2113937151 127.0.0.1 \(datagrams.port) typ host',
                        sdpMLineIndex: 0});
                    await fetch('/data.json?candidate');
                })();
            });
            const transport = (async () => {
                try { await new WebTransport('https://' + at + '/').ready } catch (error) {}
                await fetch('/data.json?transport');
            })();
            gathered.then(() => fetch('/data.json?gathered'));
            </script><img src='/stall/picture.png'>
            """
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        try await FixtureSite.run(serving: folder) { site in
            let capturer = try capturer(allowing: "127.0.0.0/8")
            let capture = Task { try await capturer.capture(site.url("/files/page.html"), formats: [.png]) }
            await site.waitForRequest("/data.json?gathered")
            await site.waitForRequest("/data.json?candidate")
            await site.waitForRequest("/data.json?transport")
            // Until then, the page was still loading.
            site.release("/stall/picture.png")
            _ = try await capture.value
            #expect(datagrams.receivedCount() == 0)
            await capturer.close()
        }
    }

    @Test func contextWithoutASessionReachesNoServer() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            _ = try await capturer.capture(site.url("/plain"), formats: [.png])
            // A slow browser may ask for the icon of the page later.
            func requests() -> [String] { site.requests.filter { $0 != "/favicon.ico" } }
            let seen = requests()
            let connection = try #require(await capturer.pool.sharedBrowser).connection
            let page = try await BlankPage.open(window: .init(width: 800, height: 600), in: connection)
            for address in [site.url("/plain?stranger"), try #require(URL(string: "https://127.0.0.1:\(site.port)/"))] {
                let reply = try await connection.send(
                    DevTools.Page.Navigate(url: address.absoluteString), session: page.session)
                #expect(reply.errorText?.isEmpty == false, "\(address)")
            }
            #expect(requests() == seen)
            page.close(in: connection)
            await capturer.close()
        }
    }

    @Test func nameIsResolvedOncePerCapture() async throws {
        try await FixtureSite.run { site in
            var configuration = PageCapturer.Configuration()
            configuration.addressPolicy = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
            // A second lookup would return an address in the private network.
            let resolver = RebindingResolver()
            configuration.resolver = resolver
            configuration.clock = ExtendingClock()
            let capturer = PageCapturer(configuration: configuration)
            let url = try #require(URL(string: "http://rebinding.example:\(site.port)/many?n=60"))
            let capture = try await capturer.capture(url, formats: [.webArchive])
            #expect(capture.refusals.isEmpty && !capture.resources.contains { $0.missing != nil })
            #expect(resolver.lookups >= 1)
            let error = try await failure("http://rebinding.example:\(site.port)/plain", with: capturer)
            #expect(error?.refusal?.address == IPAddress("10.0.0.1"))
            await capturer.close()
        }
    }

    @Test func sessionsEndWithTheirCaptures() async throws {
        try await FixtureSite.run { site in
            let capturer = PageCapturer(configuration: .forFixtures)
            let task = Task { try await capturer.capture(site.url("/stall-image"), formats: [.png]) }
            await site.waitForRequest("/stall/picture.png")
            task.cancel()
            _ = await task.result
            #expect(await capturer.pool.proxy?.openSessions == 0)
            await capturer.close()
        }
    }

    // MARK: Pages

    /// Creates a folder with one page.
    ///
    /// - Parameter page: Returns the page's HTML; receives a function that returns the address for the name of an
    ///   attempt.
    /// - Returns: The folder, which the caller removes.
    /// - Throws: If the folder or the page can't be written.
    private static func folder(_ page: ((String) -> String) -> String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "egress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let html = page { "http://\($0).inside.example:PORT/image/1.png?attempt=\($0)" }
        try Data(html.utf8).write(to: folder.appending(path: "page.html"))
        return folder
    }

    private static func setPort(_ port: Int, in folder: URL) throws {
        let file = folder.appending(path: "page.html")
        let html = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(html.replacing(":PORT/", with: ":\(port)/").utf8).write(to: file)
    }
}

/// Resolves every name to this machine.
private struct ThisMachine: NameResolver {
    func addresses(of host: String) async throws -> [IPAddress] { [IPAddress("127.0.0.1")].compactMap(\.self) }
}

/// Resolves a name to this machine at the first lookup, and to a private address afterwards.
private final class RebindingResolver: NameResolver {
    private let count = Lock(0)

    var lookups: Int { count.withLock { $0 } }

    func addresses(of host: String) async throws -> [IPAddress] {
        let turn = count.withLock {
            $0 += 1
            return $0
        }
        return [IPAddress(turn == 1 ? "127.0.0.1" : "10.0.0.1")].compactMap(\.self)
    }
}

import Foundation
import Futures
import Logging
import Subprocess
import SystemPackage

/// A running Chromium: headless, in its own process group and profile, sandboxed, driven over a private socket.
///
/// No port is opened. It ends with ``terminate()``, when its socket closes, or with this process, however that ends.
package final class ChromiumProcess: Sendable {
    /// How Chromium is started.
    package struct Configuration: Sendable {
        /// The program; `nil` to look in the usual places.
        package var executable: String?
        /// More arguments for it.
        package var arguments: [String] = []
        /// The port of the proxy on 127.0.0.1 by which alone it reaches the network; `nil` to let it connect by itself.
        package var proxyPort: Int?
        /// How much memory its processes may take while pages are captured, in bytes; `nil` for any amount.
        package var memoryLimit: Int?
        /// Whether the kernel enforces the limit, by a cgroup, where one may be made.
        var usesCgroup = true
        /// How long it may take to answer for the first time.
        package var startLimit: Duration = .seconds(30)
        /// What deadlines are measured by.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the usual configuration.
        package init() {}
    }

    /// The way to talk to it.
    package let connection: DevToolsConnection
    /// The browser's process, which leads the group of all its processes.
    package let processID: Int32
    /// What it is, such as `Chrome/140.0.7339.80`.
    package let product: String
    /// What ends it if it takes too much memory.
    let memoryWatch: MemoryWatch

    private static let logger = Logger(label: "meanwhile.chromium")

    private let endRequested: Promise<Void, Never>
    private let ended: Future<Void, Never>

    private init(
        connection: DevToolsConnection, processID: Int32, product: String, memoryLimit: Int?,
        cgroup: BrowserCgroup?, endRequested: Promise<Void, Never>, ended: Future<Void, Never>
    ) {
        self.connection = connection
        self.processID = processID
        self.product = product
        self.memoryWatch = MemoryWatch(group: processID, limit: memoryLimit, cgroup: cgroup) {
            connection.close(DevToolsError(.disconnected, "Chromium took too much memory."))
            endRequested.resolve(())
        }
        self.endRequested = endRequested
        self.ended = ended
    }

    deinit {
        endRequested.resolve(())
    }

    /// Whether it can be used.
    package var isRunning: Bool { connection.closedReason == nil }

    /// Ends Chromium with all its processes; returns when they are gone and the profile is removed.
    ///
    /// Not cut short by cancellation: what is begun here is finished.
    package func terminate() async {
        requestEnd()
        await ended.value
    }

    /// Ends Chromium without waiting for it.
    package func requestEnd() {
        connection.close(DevToolsError(.disconnected, "Chromium is being closed."))
        endRequested.resolve(())
    }
}

// MARK: - Starting

extension ChromiumProcess {
    /// Starts Chromium and waits for its first answer.
    ///
    /// - Throws: ``CaptureError`` with the codes `browserNotFound`, `browserFailedToStart` or `cancelled`; nothing is left
    ///   running then.
    package static func launch(
        _ configuration: Configuration = Configuration()
    ) async throws(CaptureError) -> ChromiumProcess {
        let executable = try ChromiumExecutable.find(chosen: configuration.executable)
        let account = UserAccount.forBrowser()
        let profile = try ChromiumProfile(for: account)
        let cgroup = configuration.usesCgroup ? configuration.memoryLimit.flatMap(BrowserCgroup.make) : nil
        ProcessTree.adoptOrphans()
        let (ours, theirs, log): (FileDescriptor, FileDescriptor, FileDescriptor)
        do {
            (ours, theirs) = try SocketPair.make()
            log = try profile.makeLog()
        } catch {
            profile.remove()
            throw CaptureError(.browserFailedToStart, "Chromium cannot be started: \(error).", cause: error)
        }
        let connection = DevToolsConnection(socket: ours, clock: configuration.clock)
        let started = Promise<Int32, CaptureError>(
            onAbandon: { CaptureError(.browserFailedToStart, "Chromium exited before it had started.") })
        let endRequested = Promise<Void, Never>()
        let ended = Promise<Void, Never>()
        let lastWords = Promise<String, Never>(valueOnAbandon: { "" })
        let command = command(
            executable: executable, arguments: proxySwitches(port: configuration.proxyPort) + configuration.arguments,
            profile: profile, account: account, cgroup: cgroup)
        // The connection's end is noticed as an exit; a request to end comes from `terminate()` or from `deinit`.
        connection.closed.onSuccess { endRequested.resolve(()) }
        // Owned by the promise `endRequested`: it ends soon after that is resolved, and must not be cut short before it has
        // reaped the processes and removed the profile.
        Task {
            await supervise(
                command, socket: theirs, log: log, profile: profile, cgroup: cgroup, started: started,
                endRequested: endRequested.future, lastWords: lastWords)
            connection.close(DevToolsError(.disconnected, "Chromium exited."))
            ended.resolve(())
        }
        do {
            let processID = try await started.future.value
            let version = try await connection.send(DevTools.Browser.GetVersion(), deadline: configuration.startLimit)
            Self.logger.debug("started", metadata: ["product": "\(version.product)", "pid": "\(processID)"])
            let joined = cgroup.flatMap { $0.contains(processID) ? $0 : nil }
            if cgroup != nil, joined == nil {
                Self.logger.debug("no cgroup", metadata: ["reason": "it could not be joined"])
            }
            return ChromiumProcess(
                connection: connection, processID: processID, product: version.product,
                memoryLimit: configuration.memoryLimit, cgroup: joined, endRequested: endRequested, ended: ended.future)
        } catch {
            connection.close(DevToolsError(.disconnected, "Chromium did not start."))
            endRequested.resolve(())
            await ended.future.value
            throw startError(error, executable: executable, said: await lastWords.future.value)
        }
    }

    /// Runs Chromium until its end is requested, then ends, reaps and removes everything.
    private static func supervise(
        _ command: Subprocess.Configuration, socket: FileDescriptor, log: FileDescriptor, profile: ChromiumProfile,
        cgroup: BrowserCgroup?, started: Promise<Int32, CaptureError>, endRequested: Future<Void, Never>,
        lastWords: Promise<String, Never>
    ) async {
        var tree: ProcessTree?
        var strays: [Int32] = []
        do {
            _ = try await run(
                command, input: .fileDescriptor(socket, closeAfterSpawningProcess: true), output: .discarded,
                error: .fileDescriptor(log, closeAfterSpawningProcess: true)
            ) { execution in
                let leader = execution.processIdentifier.value
                let processes = ProcessTree(group: leader, mark: profile.folder.string)
                started.resolve(leader)
                await endRequested.value
                strays = processes.strays()
                processes.end(strays: strays)
                tree = processes
            }
        } catch {
            started.reject(
                CaptureError(.browserFailedToStart, "Chromium cannot be started: \(error).", cause: error))
        }
        if let tree {
            // Killed processes take a moment to go. There is nothing to be told by, so this looks again, and gives up
            // on what the kernel does not let go. The cgroup can be removed after the last of them.
            for _ in 0..<500 {
                if !tree.reap(strays: strays), cgroup?.remove() != false { break }
                try? await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10))
            }
        }
        // Its log goes with the profile.
        lastWords.resolve(profile.endOfLog.split(separator: "\n").suffix(4).joined(separator: "\n"))
        profile.remove()
    }

    private static func startError(_ error: any Error, executable: FilePath, said: String) -> CaptureError {
        if let error = error as? CaptureError { return error }
        if let error = error as? DevToolsError, error.code == .cancelled {
            return CaptureError(error, url: nil)
        }
        if said.contains("No usable sandbox") || said.contains("zygote_host_impl_linux") {
            return CaptureError(
                .browserFailedToStart,
                "Chromium cannot sandbox pages here, and is not run without. Allow unprivileged user namespaces "
                    + "(sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), "
                    + "or install the package chromium-sandbox.", cause: error)
        }
        let reason = said.isEmpty ? "\(error)" : said
        return CaptureError(
            .browserFailedToStart, "Chromium (\(executable)) did not start. It said: \(reason)", cause: error)
    }
}

// MARK: - The command line

extension ChromiumProcess {
    private static func command(
        executable: FilePath, arguments: [String], profile: ChromiumProfile, account: UserAccount?,
        cgroup: BrowserCgroup?
    ) -> Subprocess.Configuration {
        var platformOptions = PlatformOptions()
        platformOptions.processGroupID = 0
        // Chromium reads commands from descriptor 3 and writes to 4; the shell puts both ends of the socket there.
        // Limits of address space and processor time that this process has are not for it: it sets aside terabytes of
        // addresses.
        let script = """
            ulimit -S -v unlimited 2>/dev/null || :; ulimit -S -t unlimited 2>/dev/null || :; \
            exec "$@" 3<&0 4>&0 </dev/null
            """
        let shell = ["/bin/sh", "-c", script, "sh", executable.string] + switches(profile: profile) + arguments
        let commandLine = (cgroup?.commandPrefix ?? []) + (account?.prefix ?? []) + shell
        return Subprocess.Configuration(
            executable: .path(FilePath(commandLine[0])),
            arguments: Arguments(Array(commandLine.dropFirst())),
            environment: .custom(environment(home: profile.home)),
            workingDirectory: profile.home,
            platformOptions: platformOptions)
    }

    /// What Chromium gets to know of this process's environment: language, time zone and fonts.
    private static func environment(home: FilePath) -> [Subprocess.Environment.Key: String] {
        let passedOn = [
            "PATH", "LANG", "LANGUAGE", "LC_ALL", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH",
        ]
        let ours = ProcessInfo.processInfo.environment
        var environment: [Subprocess.Environment.Key: String] = [:]
        for name in passedOn {
            if let value = ours[name] { environment[.init(stringLiteral: name)] = value }
        }
        environment["HOME"] = home.string
        environment["TMPDIR"] = home.string
        // Without this it looks for a message bus that headless machines do not have, and complains.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "disabled:"
        return environment
    }

    /// The only name that the browser can resolve: its proxy's.
    ///
    /// No server has such a name (https://www.rfc-editor.org/rfc/rfc6761#section-6.4).
    private static let proxyName = "egress-proxy.invalid"

    /// Lets nothing reach the network but by the proxy.
    ///
    /// A page's connection that the proxy cannot carry (UDP: QUIC, WebRTC, WebTransport) is not made. Without the policy for
    /// WebRTC, Chromium 156 was seen to send a page's STUN requests past the proxy, to this machine's own ports too;
    /// `--force-webrtc-ip-handling-policy` no longer does anything.
    private static func proxySwitches(port: Int?) -> [String] {
        guard let port else { return [] }
        return [
            "--proxy-server=http://\(proxyName):\(port)",
            // This machine's own addresses too: they are what is most worth guarding.
            "--proxy-bypass-list=<-loopback>",
            "--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            // The proxy resolves names; everything else finds none. The rules hold for addresses too: with an exception for
            // 127.0.0.1, Chromium 156 probed a resolver over HTTPS at that address, six seconds after its start.
            "--dns-prefetch-disable", "--host-resolver-rules=MAP \(proxyName) 127.0.0.1 , MAP * ~NOTFOUND",
        ]
    }

    /// See https://peter.sh/experiments/chromium-command-line-switches/ for what each does.
    private static func switches(profile: ChromiumProfile) -> [String] {
        [
            "--headless", "--remote-debugging-pipe", "--user-data-dir=\(profile.home.appending("profile").string)",
            "--no-startup-window", "--no-first-run", "--no-default-browser-check", "--log-level=3",
            // Nothing of its own over the network.
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-pings",
            "--disable-domain-reliability", "--disable-default-apps", "--disable-extensions",
            "--metrics-recording-only",
            "--disable-client-side-phishing-detection", "--password-store=basic",
            // /dev/shm is 64 MB in many containers.
            "--disable-dev-shm-usage",
            // The graphics processor wraps pictures taller than 16,384 pixels; the software compositor does not.
            "--disable-gpu",
            // The same picture on every machine.
            "--font-render-hinting=none", "--force-color-profile=srgb", "--hide-scrollbars",
            // Pages in the background run as in the foreground.
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--disable-ipc-flooding-protection",
            "--mute-audio", "--block-new-web-contents", "--disable-prompt-on-repost", "--disable-print-preview",
            "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
                + "LocalNetworkAccessChecks,PaintHolding,AutofillServerCommunication",
        ]
    }
}

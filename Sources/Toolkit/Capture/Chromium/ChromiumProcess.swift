import Foundation
import Futures
import Logging
import Subprocess
import SystemPackage

/// A running Chromium: headless and sandboxed, in its own process group and profile, controlled over a private socket.
///
/// It opens no port. It ends with ``terminate()``, when its socket closes, or when this process ends in any way.
package final class ChromiumProcess: Sendable {
    /// The configuration of a Chromium process.
    package struct Configuration: Sendable {
        /// The path of the executable; `nil` to search the usual locations.
        package var executable: String?
        /// Additional arguments.
        package var arguments: [String] = []
        /// The port of the proxy on 127.0.0.1 that is its only access to the network; `nil` for direct connections.
        package var proxyPort: Int?
        /// The maximum memory of its processes during captures, in bytes; `nil` for no limit.
        package var memoryLimit: Int?
        /// Whether to enforce the limit with a cgroup, where one can be created.
        var usesCgroup = true
        /// The maximum time until its first response.
        package var startLimit: Duration = .seconds(60)
        /// The clock that deadlines are measured with.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// Creates the default configuration.
        package init() {}
    }

    /// The connection that controls the browser.
    package let connection: DevToolsConnection
    /// The browser's process ID, which is also the ID of its process group.
    package let processID: Int32
    /// The product and its version, such as `Chrome/140.0.7339.80`.
    package let product: String
    /// Ends the browser if it exceeds the memory limit.
    let memoryWatch: MemoryWatch

    private static let logger = Logger(label: "meanwhile.chromium")

    private let bytesStored = Lock(0)
    private let endRequested: Promise<Void, Never>
    private let ended: Future<Void, Never>

    /// The bytes of all bodies that closed pages have left in the browser's memory.
    ///
    /// With `enableDurableMessages`, Chromium 156 keeps bodies in its network process until its oldest session ends, or
    /// until they exceed `maxTotalBufferSize`: no command discards them.
    var storedBytes: Int { bytesStored.withLock { $0 } }

    private init(
        connection: DevToolsConnection, processID: Int32, product: String, memoryLimit: Int?,
        cgroup: BrowserCgroup?, endRequested: Promise<Void, Never>, ended: Future<Void, Never>
    ) {
        self.connection = connection
        self.processID = processID
        self.product = product
        self.memoryWatch = MemoryWatch(group: processID, limit: memoryLimit, cgroup: cgroup) {
            connection.close(DevToolsError(.disconnected, "Chromium used too much memory."))
            endRequested.resolve(())
        }
        self.endRequested = endRequested
        self.ended = ended
    }

    deinit {
        endRequested.resolve(())
    }

    /// Whether the browser can be used.
    package var isRunning: Bool { connection.closedReason == nil }

    /// Ends Chromium, and waits until all its processes have ended and its profile is removed.
    ///
    /// Ignores cancellation.
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
    /// Registers the bodies of a page that is closed.
    func stored(bytes: Int) {
        bytesStored.withLock { stored in
            // The browser reports the number, and two of the greatest exceed it.
            let (sum, overflows) = stored.addingReportingOverflow(bytes)
            stored = overflows ? .max : sum
        }
    }

    /// Starts Chromium and waits for its first response.
    ///
    /// - Throws: ``CaptureError`` with the code `browserNotFound`, `browserFailedToStart` or `cancelled`. No process is
    ///   left running then.
    package static func launch(
        _ configuration: Configuration = Configuration()
    ) async throws(CaptureError) -> ChromiumProcess {
        let executable = try ChromiumExecutable.find(chosen: configuration.executable)
        let account = UserAccount.forBrowser()
        let profile = try ChromiumProfile(for: account)
        let cgroup = configuration.usesCgroup ? configuration.memoryLimit.flatMap(BrowserCgroup.make) : nil
        ProcessTree.adoptOrphans()
        let (ours, theirs, log): (FileDescriptor, FileDescriptor, FileDescriptor)
        let spares: SpareDescriptors
        do {
            log = try profile.makeLog()
            do {
                (ours, theirs) = try SocketPair.make()
                do {
                    spares = try SpareDescriptors(copiedFrom: log)
                } catch {
                    for end in [ours, theirs] { try? end.close() }
                    throw error
                }
            } catch {
                try? log.close()
                throw error
            }
        } catch {
            profile.remove()
            throw CaptureError(.browserFailedToStart, "Chromium can't be started: \(error).", cause: error)
        }
        let connection = DevToolsConnection(socket: ours, clock: configuration.clock)
        let started = Promise<Int32, CaptureError>(
            onAbandon: { CaptureError(.browserFailedToStart, "Chromium exited while it was starting.") })
        let endRequested = Promise<Void, Never>()
        let ended = Promise<Void, Never>()
        let finalLog = Promise<String, Never>(valueOnAbandon: { "" })
        let command = command(
            executable: executable, arguments: proxySwitches(port: configuration.proxyPort) + configuration.arguments,
            profile: profile, account: account, cgroup: cgroup)
        // The connection ends when Chromium exits; `terminate()` and `deinit` request the end themselves.
        connection.closed.onSuccess { endRequested.resolve(()) }
        // The promise `endRequested` owns this task, which ends soon after the promise is resolved. Cancelling it
        // earlier would leave processes that aren't reaped and a profile that isn't removed.
        Task {
            await supervise(
                command, socket: theirs, log: log, spares: spares, profile: profile, cgroup: cgroup, started: started,
                endRequested: endRequested.future, finalLog: finalLog)
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
            connection.close(DevToolsError(.disconnected, "Chromium didn't start."))
            endRequested.resolve(())
            await ended.future.value
            throw startError(error, executable: executable, log: await finalLog.future.value)
        }
    }

    /// Runs Chromium until its end is requested, then kills and reaps its processes and removes its files.
    private static func supervise(
        _ command: Subprocess.Configuration, socket: FileDescriptor, log: FileDescriptor, spares: SpareDescriptors,
        profile: ChromiumProfile, cgroup: BrowserCgroup?, started: Promise<Int32, CaptureError>,
        endRequested: Future<Void, Never>, finalLog: Promise<String, Never>
    ) async {
        var tree: ProcessTree?
        var strays: [Int32] = []
        spares.close()
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
                CaptureError(.browserFailedToStart, "Chromium can't be started: \(error).", cause: error))
        }
        if let tree {
            // Killed processes take a moment to disappear. No event reports this, so the loop polls, and gives up after
            // a minute on processes that the kernel doesn't release. The cgroup can be removed once all have ended.
            for _ in 0..<6_000 {
                if !tree.reap(strays: strays), cgroup?.remove() != false { break }
                try? await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10))
            }
        }
        // The log is removed with the profile.
        finalLog.resolve(profile.logTail.split(separator: "\n").suffix(4).joined(separator: "\n"))
        profile.remove()
    }

    private static func startError(_ error: any Error, executable: FilePath, log: String) -> CaptureError {
        if let error = error as? CaptureError { return error }
        if let error = error as? DevToolsError, error.code == .cancelled {
            return CaptureError(error, url: nil)
        }
        if log.contains("No usable sandbox") || log.contains("zygote_host_impl_linux") {
            return sandboxError(SandboxObstacle.find(), error)
        }
        // The helper needs no user namespace.
        let helper = executable.removingLastComponent().appending("chrome-sandbox").string
        if log.isEmpty, !FileManager.default.fileExists(atPath: helper), let obstacle = SandboxObstacle.find() {
            return sandboxError(obstacle, error)
        }
        let reason = log.isEmpty ? "\(error)" : log
        return CaptureError(
            .browserFailedToStart, "Chromium (\(executable)) didn't start. Its output: \(reason)", cause: error)
    }

    private static func sandboxError(_ obstacle: SandboxObstacle?, _ error: any Error) -> CaptureError {
        let details =
            obstacle.map { "\($0.reason) \($0.remedy)" }
            ?? "Allow unprivileged user namespaces, or install the package chromium-sandbox."
        return CaptureError(
            .browserFailedToStart,
            "Chromium's sandbox doesn't work here, and Chromium isn't run without it. \(details)", cause: error)
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
        // Chromium reads commands from descriptor 3 and writes to 4; the shell puts both ends of the socket there. It
        // also lifts this process's limits on address space and processor time, because Chromium reserves terabytes of
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

    /// Chromium's environment: inherited variables for paths, language, time zone and fonts, and its own folders.
    private static func environment(home: FilePath) -> [Subprocess.Environment.Key: String] {
        let passedOn = [
            "PATH", "LANG", "LANGUAGE", "LC_ALL", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH",
        ]
        let inherited = ProcessInfo.processInfo.environment
        var environment: [Subprocess.Environment.Key: String] = [:]
        for name in passedOn {
            if let value = inherited[name] { environment[.init(stringLiteral: name)] = value }
        }
        environment["HOME"] = home.string
        environment["TMPDIR"] = home.string
        // Otherwise Chromium logs errors about a message bus that headless machines don't have.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "disabled:"
        return environment
    }

    /// The only name that the browser can resolve: the proxy's.
    ///
    /// No server can have such a name (https://www.rfc-editor.org/rfc/rfc6761#section-6.4).
    private static let proxyName = "egress-proxy.invalid"

    /// The switches that restrict network access to the proxy.
    ///
    /// Connections that the proxy can't carry (UDP: QUIC, WebRTC, WebTransport) fail. Without the policy for WebRTC,
    /// Chromium 156 sent a page's STUN requests past the proxy, even to ports of this machine;
    /// `--force-webrtc-ip-handling-policy` no longer has an effect.
    private static func proxySwitches(port: Int?) -> [String] {
        guard let port else { return [] }
        return [
            "--proxy-server=http://\(proxyName):\(port)",
            // Also use the proxy for this machine's own addresses, which need protection most.
            "--proxy-bypass-list=<-loopback>",
            "--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            // Only the proxy resolves names. The rules also apply to addresses: with an exception for 127.0.0.1,
            // Chromium 156 probed a resolver over HTTPS at that address, six seconds after its start.
            "--dns-prefetch-disable", "--host-resolver-rules=MAP \(proxyName) 127.0.0.1 , MAP * ~NOTFOUND",
        ]
    }

    /// See https://peter.sh/experiments/chromium-command-line-switches/ for a description of each.
    private static func switches(profile: ChromiumProfile) -> [String] {
        [
            "--headless", "--remote-debugging-pipe", "--user-data-dir=\(profile.home.appending("profile").string)",
            "--no-startup-window", "--no-first-run", "--no-default-browser-check", "--log-level=3",
            // No network traffic of the browser's own.
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-pings",
            "--disable-domain-reliability", "--disable-default-apps", "--disable-extensions",
            "--metrics-recording-only",
            "--disable-client-side-phishing-detection", "--password-store=basic",
            // /dev/shm is 64 MB in many containers.
            "--disable-dev-shm-usage",
            // With a GPU, pictures taller than 16,384 pixels wrap around; the software compositor renders them
            // correctly.
            "--disable-gpu",
            // The same rendering on every machine.
            "--font-render-hinting=none", "--force-color-profile=srgb", "--hide-scrollbars",
            // Background pages run like foreground pages.
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--disable-ipc-flooding-protection",
            "--mute-audio", "--block-new-web-contents", "--disable-prompt-on-repost", "--disable-print-preview",
            // The last three are pages of the address bar, which Chromium 156 loads for each new window: almost a second
            // of computing and a process of its own.
            "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
                + "LocalNetworkAccessChecks,PaintHolding,AutofillServerCommunication,WebUIOmniboxPopup,"
                + "WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
        ]
    }
}

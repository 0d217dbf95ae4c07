import Capture
package import Foundation

/// A tab of a real browser, which tests use as a user would: by looking, clicking and typing.
///
/// Each tab has its own browser context unless it is opened with ``openAnother()``.
package actor BrowserTab {
    let connection: DevToolsConnection
    let session: String
    private let target: String
    let context: String
    /// Whether closing the tab disposes of its context.
    private let ownsContext: Bool
    /// The page's errors: exceptions in its scripts, violations of its policy, and failed loads.
    package private(set) var complaints: [String] = []
    /// Complaints that contain this text are ignored until ``takeComplaints()``.
    var ignoredComplaint: String?
    /// Whether pages run their scripts; see ``setRunsScripts(_:)``.
    var runsScripts = true
    /// The files that every file chooser returns; see ``answerFileChoosers(with:)``.
    var chosenFiles: [String] = []
    /// The requests of the tab's pages; see ``recordRequests()``.
    var requests: [PageRequest] = []
    /// The task that records complaints and requests; ``close()`` cancels it.
    private var listening: Task<Void, Never>?

    private init(
        _ connection: DevToolsConnection, context: String, target: String, session: String, ownsContext: Bool
    ) {
        self.ownsContext = ownsContext
        self.connection = connection
        self.context = context
        self.target = target
        self.session = session
    }

    /// Runs `body` with a tab in a new context of a browser that the tests of the process share.
    package static func run<Value: Sendable>(
        of browser: SharedBrowser = .shell, width: Int = 1280, height: Int = 900, colours: Colours = .light,
        _ body: (BrowserTab) async throws -> Value
    ) async throws -> Value {
        let connection = try await browser.connection()
        let context = try await connection.ask(DevTools.Target.CreateBrowserContext()).browserContextId
        let tab = try await open(in: context, of: connection)
        try await tab.resize(width: width, height: height)
        try await tab.emulate(colours)
        let result = await Result { try await body(tab) }
        await tab.close()
        _ = try? await connection.ask(DevTools.Target.DisposeBrowserContext(browserContextId: context))
        return try result.get()
    }

    /// Opens another tab in the same browser context.
    package func openAnother() async throws -> BrowserTab {
        try await Self.open(in: context, of: connection)
    }

    /// Opens a tab in a new browser context, which shares no cookies or storage with this one.
    package func openInNewContext() async throws -> BrowserTab {
        let context = try await connection.ask(DevTools.Target.CreateBrowserContext()).browserContextId
        return try await Self.open(in: context, of: connection, ownsContext: true)
    }

    /// Runs a script in each page opened from now on, before the page's own scripts.
    package func runBeforePages(_ script: String) async throws {
        _ = try await connection.ask(Page.AddScriptToEvaluateOnNewDocument(source: script), session: session)
    }

    private static func open(
        in context: String, of connection: DevToolsConnection, ownsContext: Bool = false
    ) async throws -> BrowserTab {
        let target = try await connection.ask(
            DevTools.Target.CreateTarget(url: "about:blank", browserContextId: context)
        ).targetId
        let session = try await connection.ask(DevTools.Target.AttachToTarget(targetId: target)).sessionId
        let tab = BrowserTab(connection, context: context, target: target, session: session, ownsContext: ownsContext)
        try await tab.listen()
        if let delay { try await tab.runBeforePages(delaying(by: delay)) }
        return tab
    }

    /// The milliseconds by which frames and replies come late, as on a busy machine; `MEANWHILE_PAGE_DELAY`.
    private static let delay = ProcessInfo.processInfo.environment["MEANWHILE_PAGE_DELAY"].flatMap(Int.init)

    private static func delaying(by delay: Int) -> String {
        """
        const requestFrame = requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (callback) => setTimeout(() => requestFrame(callback), \(delay));
        const requestReply = fetch.bind(window);
        window.fetch = async (...request) => {
            const reply = await requestReply(...request);
            await new Promise((resume) => setTimeout(resume, \(delay)));
            return reply;
        };
        """
    }

    private func listen() async throws {
        let events = connection.events(of: session)
        listening = Task { for await event in events { note(event) } }
        connection.post(Page.Enable(), session: session)
        connection.post(Log.Enable(), session: session)
        // Tests run in tabs side by side. A page that loses and regains the focus would get its events at any time.
        connection.post(Emulation.SetFocusEmulationEnabled(), session: session)
        connection.post(Emulation.SetUserAgentOverride(acceptLanguage: "en-GB"), session: session)
        _ = try await connection.ask(Runtime.Enable(), session: session)
    }

    private func note(_ event: DevToolsEvent) {
        switch event.method {
        case "Runtime.exceptionThrown":
            complaints.append(event.decode(Runtime.ExceptionThrown.self)?.exceptionDetails.text ?? "an exception")
        case "Log.entryAdded":
            guard let entry = event.decode(Log.EntryAdded.self)?.entry, entry.level == "error" else { return }
            let complaint = "\(entry.text) \(entry.url ?? "")"
            if let ignored = ignoredComplaint, complaint.contains(ignored) { return }
            complaints.append(complaint)
        case "Page.fileChooserOpened": answer(event)
        default: noteRequest(event)
        }
    }

    /// Removes and returns the complaints, so that those of the next action can be told apart.
    package func takeComplaints() -> [String] {
        defer { (complaints, ignoredComplaint) = ([], nil) }
        return complaints
    }

    /// Closes the tab, as a user does.
    package func close() async {
        listening?.cancel()
        _ = try? await connection.ask(Target.Close(targetId: target))
        connection.forget(session)
        if ownsContext {
            _ = try? await connection.ask(DevTools.Target.DisposeBrowserContext(browserContextId: context))
        }
    }
}

// MARK: - Looking

extension BrowserTab {
    /// Opens an address, and returns when the page has loaded.
    package func open(_ url: URL) async throws {
        let reply = try await connection.ask(Page.Navigate(url: url.absoluteString), session: session)
        if let error = reply.errorText { throw DriverError("\(url) did not open: \(error)") }
        try await wait(until: "document.readyState === 'complete'")
    }

    /// Evaluates a script in the page.
    package func evaluate<Value: Decodable & Sendable>(_ script: String, as type: Value.Type) async throws -> Value {
        let reply = try await connection.ask(
            Runtime.Evaluate<Value>(expression: script), session: session)
        guard let value = reply.result.value else {
            throw DriverError("\(script) failed: \(reply.exceptionDetails?.text ?? "it returned nothing")")
        }
        return value
    }

    /// The visible text of the first element that matches a selector.
    package func text(_ selector: String) async throws -> String {
        try await evaluate("document.querySelector(\(quoted(selector)))?.innerText ?? ''", as: String.self)
    }

    /// Returns when a condition holds and is drawn: it is checked after each change of the document and 40 times a
    /// second, even across a navigation.
    ///
    /// It isn't checked in every animation frame: requesting frames makes the page draw them, and several such waits
    /// would keep a processor busy.
    package func wait(until condition: String) async throws {
        let script = """
            new Promise((done, fail) => {
                const deadline = performance.now() + 60000;
                const holds = () => { try { return Boolean(\(condition)); } catch { return false; } };
                if (holds()) return done(true);
                // In a page without scripts, and in a sandboxed document such as a single picture, no callback runs, so
                // the test evaluates this script again.
                if (\(!runsScripts) || window.origin === 'null') return done(null);
                const finish = (outcome) => {
                    observer.disconnect();
                    clearInterval(timer);
                    requestAnimationFrame(() => done(outcome));
                };
                const check = () => {
                    if (holds()) finish(true);
                    else if (performance.now() > deadline) finish(false);
                };
                const observer = new MutationObserver(check);
                observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
                const timer = setInterval(check, 25);
            })
            """
        // A navigation discards the promise, so the condition is evaluated again in the next page.
        let end = ContinuousClock.now + .seconds(240)
        while ContinuousClock.now < end, !Task.isCancelled {
            do throws(DevToolsError) {
                let reply = try await connection.send(
                    Runtime.Evaluate<Bool>(expression: script), session: session, deadline: .seconds(90))
                if reply.result.value == true { return }
            } catch {
                if error.code == .disconnected { break }
            }
            try await Self.pauseBetweenPolls()
        }
        let shown = "(document.querySelector('main') ?? document.body).innerText.slice(0, 2000)"
        let seen = try? await evaluate(shown, as: String.self)
        throw DriverError("Timed out waiting until \(condition). The page showed: \(seen ?? "nothing")")
    }

    package func resize(width: Int, height: Int) async throws {
        _ = try await connection.ask(
            Emulation.SetDeviceMetricsOverride(width: width, height: height, mobile: width < 600), session: session)
    }

    /// The preferred colour scheme.
    package enum Colours: String, Sendable, CaseIterable {
        case light, dark
    }

    /// Makes pages prefer reduced motion, as a user's system setting does.
    package func reduceMotion() async throws {
        _ = try await connection.ask(
            Emulation.SetEmulatedMedia(features: [.init(name: "prefers-reduced-motion", value: "reduce")]),
            session: session)
    }

    /// Sets the language and the time zone of pages opened from now on, as a user's system settings do.
    ///
    /// A new tab prefers British English, and has the time zone of this machine.
    package func prefer(language: String, zone: String) async throws {
        _ = try await connection.ask(Emulation.SetUserAgentOverride(acceptLanguage: language), session: session)
        _ = try await connection.ask(Emulation.SetLocaleOverride(locale: language), session: session)
        _ = try await connection.ask(Emulation.SetTimezoneOverride(timezoneId: zone), session: session)
    }

    package func emulate(_ colours: Colours) async throws {
        _ = try await connection.ask(
            Emulation.SetEmulatedMedia(features: [.init(name: "prefers-color-scheme", value: colours.rawValue)]),
            session: session)
    }
}

// MARK: - Clicking and typing

extension BrowserTab {
    /// Clicks in the middle of the first matching element with the mouse, once the element exists and has stopped
    /// moving.
    ///
    /// A browser drops clicks before the page's first frame. A live page may move the element between the lookup and
    /// the click: a click that would hit something else is cancelled and repeated at the element's new place. Disabled
    /// elements take no click. If a button is disabled while its form is sent, this waits until it is enabled, as a
    /// user would.
    ///
    /// - Throws: ``DriverError`` if the clicks keep hitting something else for four minutes.
    package func click(_ selector: String) async throws {
        let end = ContinuousClock.now + .seconds(240)
        while true {
            let place = try await place(of: selector)
            if runsScripts { try await watchNextClick(for: selector) }
            for type in ["mousePressed", "mouseReleased"] {
                _ = try await connection.ask(
                    Input.DispatchMouseEvent(type: type, x: place[0], y: place[1]), session: session)
            }
            guard runsScripts, let obstacle = try await obstacleOfLastClick(on: selector) else { return }
            guard ContinuousClock.now < end else {
                throw DriverError("A click in the middle of \(selector) hit \(obstacle).")
            }
            try await Self.pauseBetweenPolls()
        }
    }

    /// Moves the mouse to the middle of the first matching element, once it exists and has stopped moving.
    package func point(at selector: String) async throws {
        let place = try await place(of: selector)
        _ = try await connection.ask(
            Input.DispatchMouseEvent(type: "mouseMoved", x: place[0], y: place[1], button: "none", clickCount: 0),
            session: session)
    }

    /// The middle of an element, once it exists and has stopped moving.
    private func place(of selector: String) async throws -> [Double] {
        try await wait(until: "document.querySelector(\(quoted(selector)))")
        guard runsScripts else { return try await placeWithoutScripts(of: selector) }
        let script = """
            new Promise((done) => {
                const deadline = performance.now() + 10000;
                let last = [];
                const measure = () => {
                    const element = document.querySelector(\(quoted(selector)));
                    element?.scrollIntoView({block: 'center', behavior: 'instant'});
                    const box = element?.getBoundingClientRect();
                    const place = box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
                    const isWaiting = element?.matches('form[aria-busy=true] :disabled');
                    const isStill = place.length > 0 && place.every((value, index) => value === last[index]);
                    if (isStill && !isWaiting) return done(place);
                    if (performance.now() > deadline) return done([isWaiting ? 1 : 0]);
                    last = place;
                    requestAnimationFrame(measure);
                };
                requestAnimationFrame(measure);
            })
            """
        // A page that is being replaced draws no more frames, so its promise may never be settled.
        let end = ContinuousClock.now + .seconds(240)
        var problem = ""
        while ContinuousClock.now < end {
            do throws(DevToolsError) {
                let reply = try await connection.send(
                    Runtime.Evaluate<[Double]>(expression: script), session: session, deadline: .seconds(30))
                switch reply.result.value {
                case let place? where place.count == 2: return place
                case [1]: problem = "its form remained busy"
                case .some: problem = "it was gone or moved"
                case nil: problem = "the script failed"
                }
            } catch {
                if error.code == .disconnected || error.code == .cancelled { throw error }
                problem = "the page drew no frames"
            }
            try await Self.pauseBetweenPolls()
        }
        throw DriverError("\(selector) can't be clicked: for four minutes, \(problem).")
    }

    /// Types a text into the focused element.
    package func type(_ text: String) async throws {
        _ = try await connection.ask(Input.InsertText(text: text), session: session)
    }

    /// A key that tests press.
    package enum Key: String, Sendable {
        case tab = "Tab"
        case enter = "Enter"
        case space = " "
        case left = "ArrowLeft"

        fileprivate var code: Int {
            switch self {
            case .tab: 9
            case .enter: 13
            case .space: 32
            case .left: 37
            }
        }

        fileprivate var text: String? {
            switch self {
            case .tab, .left: nil
            case .enter: "\r"
            case .space: " "
            }
        }
    }

    /// Presses and releases a key on the focused element.
    package func press(_ key: Key) async throws {
        for type in ["keyDown", "keyUp"] {
            _ = try await connection.ask(
                Input.DispatchKeyEvent(
                    type: type, key: key.rawValue, windowsVirtualKeyCode: key.code,
                    text: type == "keyDown" ? key.text : nil), session: session)
        }
    }

    /// Presses the Tab key until the focused element matches a selector.
    package func tab(to selector: String) async throws {
        for _ in 0..<100 {
            if try await evaluate("document.activeElement.matches(\(quoted(selector)))", as: Bool.self) { return }
            try await press(.tab)
        }
        throw DriverError("The Tab key never reached \(selector).")
    }
}

/// Why a tab couldn't carry out a test's action.
package struct DriverError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A text as a JavaScript string literal.
func quoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'") + "'"
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

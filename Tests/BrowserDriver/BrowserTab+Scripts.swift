import Capture

// Clicks that work with JavaScript disabled, and file choosers.

extension BrowserTab {
    /// Sets whether pages opened from now on run their scripts.
    ///
    /// With scripts disabled, ``evaluate(_:as:)`` still works, but callbacks that it registers don't run: neither
    /// timers nor animation frames.
    package func setRunsScripts(_ runsScripts: Bool) async throws {
        _ = try await connection.ask(
            Emulation.SetScriptExecutionDisabled(value: !runsScripts), session: session)
        self.runsScripts = runsScripts
    }

    /// Ignores complaints that contain a text, until ``takeComplaints()``.
    func ignoreComplaints(containing text: String) {
        ignoredComplaint = text
    }

    /// The middle of an element, once the page is drawn and the element has stopped moving.
    func placeWithoutScripts(of selector: String) async throws -> [Double] {
        // A browser drops clicks before the page's first frame.
        try await wait(until: "performance.getEntriesByName('first-contentful-paint').length > 0")
        var last: [Double] = []
        while true {
            try Task.checkCancellation()
            let place = try await evaluate(
                """
                (() => {
                    const element = document.querySelector(\(quoted(selector)));
                    element?.scrollIntoView({ block: 'center', behavior: 'instant' });
                    const box = element?.getBoundingClientRect();
                    return box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
                })()
                """, as: [Double].self)
            if !place.isEmpty, place == last { return place }
            last = place
            try await Self.pauseBetweenPolls()
        }
    }

    /// Cancels the page's next click if it hits neither the selected element nor its label, and records what it hit.
    func watchNextClick(for selector: String) async throws {
        _ = try await evaluate(
            """
            (() => {
                const watch = { hitElement: 'nothing' };
                window.watchedClick?.end();
                window.watchedClick = watch;
                const handleClick = (event) => {
                    watch.end();
                    const wanted = document.querySelector(\(quoted(selector)));
                    const targets = [wanted, ...(wanted?.labels ?? [])];
                    watch.isHit = event.composedPath().some((element) => targets.includes(element));
                    watch.hitElement = event.target.outerHTML?.slice(0, 200) ?? 'the page';
                    if (watch.isHit) return;
                    event.preventDefault();
                    event.stopImmediatePropagation();
                };
                watch.end = () => window.removeEventListener('click', handleClick, true);
                window.addEventListener('click', handleClick, true);
                return true;
            })()
            """, as: Bool.self)
    }

    /// What the watched click hit instead of the element; `nil` if it hit the element, the element is disabled, or the
    /// click has navigated to another page.
    func obstacleOfLastClick(on selector: String) async throws -> String? {
        let script = """
            (() => {
                const watch = window.watchedClick;
                watch?.end();
                if (!watch || watch.isHit || document.querySelector(\(quoted(selector)))?.matches(':disabled')) return '';
                return watch.hitElement;
            })()
            """
        do throws(DevToolsError) {
            let reply = try await connection.ask(
                Runtime.Evaluate<String>(expression: script), session: session)
            return reply.result.value.flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            // After a navigation, the script fails.
            if error.code == .disconnected { throw error }
            return nil
        }
    }

    /// Pauses, so that polling leaves processor time for the browser.
    static func pauseBetweenPolls() async throws {
        try await ContinuousClock().sleep(for: .milliseconds(5))
    }
}

// MARK: - Files

extension BrowserTab {
    /// Makes every file chooser that a page opens from now on return these files.
    package func answerFileChoosers(with paths: [String]) async throws {
        chosenFiles = paths
        _ = try await connection.ask(Page.SetInterceptFileChooserDialog(enabled: true), session: session)
    }

    func answer(_ event: DevToolsEvent) {
        guard let opened = event.decode(Page.FileChooserOpened.self) else { return }
        connection.post(
            DOM.SetFileInputFiles(files: chosenFiles, backendNodeId: opened.backendNodeId), session: session)
    }
}

// MARK: - DevTools commands

extension Emulation {
    struct SetScriptExecutionDisabled: DevToolsCommand {
        static let method = "Emulation.setScriptExecutionDisabled"
        var value: Bool
    }
}

extension Page {
    struct SetInterceptFileChooserDialog: DevToolsCommand {
        static let method = "Page.setInterceptFileChooserDialog"
        var enabled: Bool
    }

    struct FileChooserOpened: Decodable {
        var backendNodeId: Int
    }
}

enum DOM {
    struct SetFileInputFiles: DevToolsCommand {
        static let method = "DOM.setFileInputFiles"
        var files: [String]
        var backendNodeId: Int
    }
}

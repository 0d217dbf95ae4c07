import Foundation

/// Uses every control of every page of an app, and reports those that don't work.
///
/// The scenes must be complete: a control that no row uses is a failure.
package struct EveryControl<Server: Sendable>: Sendable {
    private typealias Row = ControlRow<Server>

    private let scenes: [ControlScene<Server>]
    /// The origin of a server: its address without a path.
    private let origin: @Sendable (Server) -> String
    private let inspection: String
    private let templates: [ControlTemplates]

    /// Creates the test of an app.
    ///
    /// - Parameters:
    ///   - scenes: All pages, in all states.
    ///   - others: Scenes of another test whose rows count as covered too, since pages link to each other.
    ///   - templates: The templates whose forms and buttons must all appear in the scenes.
    ///   - origin: The origin of a server.
    package init(
        _ scenes: [ControlScene<Server>], besides others: [ControlScene<Server>] = [],
        templates: [ControlTemplates] = [], origin: @escaping @Sendable (Server) -> String
    ) {
        self.scenes = scenes
        self.origin = origin
        self.templates = templates
        inspection = ControlInspection.script(
            covered: (scenes + others).map { scene in
                (scene.page, scene.rows.flatMap(\.covered) + scene.testedElsewhere)
            })
    }

    /// Uses the control of each row once, with a server of its own.
    ///
    /// - Parameters:
    ///   - runsScripts: Whether the browser runs scripts.
    ///   - prepare: Prepares the browser's tab.
    ///   - serve: Runs a body with a server.
    /// - Returns: The failures, in words; one that several inspections find is listed once.
    /// - Throws: An error if the browser or a server can't be started.
    package func failures(
        runsScripts: Bool, prepare: (BrowserTab) async throws -> Void = { _ in },
        serve: (_ body: (Server) async throws -> Void) async throws -> Void
    ) async throws -> [String] {
        guard let blank = URL(string: "about:blank") else { throw DriverError("about:blank is an invalid address.") }
        return try await BrowserTab.run { tab in
            try await tab.setRunsScripts(runsScripts)
            try await prepare(tab)
            var failures: [String] = []
            var seen: Set<String> = []
            for scene in scenes {
                // A state without applicable rows is inspected, too.
                var rows: [Row?] = scene.rows.filter { $0.browsers.include(runsScripts: runsScripts) }
                if rows.isEmpty { rows = [nil] }
                for row in rows {
                    let name = row.map { "\(scene.title): \($0.title): " } ?? "\(scene.title): "
                    try await serve { server in
                        do {
                            try await use(row, in: scene, of: server, with: tab) { inspection in
                                seen.formUnion(inspection.seen)
                                for failure in inspection.failures where !failures.contains(failure) {
                                    failures.append(failure)
                                }
                            }
                        } catch {
                            failures.append("\(name)\(error)")
                        }
                        // Leaves the page before its server shuts down, so that none of its streams breaks off.
                        try await tab.open(blank)
                    }
                    failures += await tab.takeComplaints().map { "\(name)the page complains: \($0)" }
                }
            }
            return try failures + templates.flatMap { try $0.missing(from: seen) }
        }
    }

    /// Opens a scene's page and uses a control, inspecting each page on the way.
    private func use(
        _ row: Row?, in scene: ControlScene<Server>, of server: Server, with tab: BrowserTab,
        inspected: (ControlInspection) -> Void
    ) async throws {
        let path = try await scene.given(server)
        guard let url = URL(string: origin(server) + path) else { throw DriverError("\(path) is an invalid path.") }
        if let cookies = scene.cookies { try await tab.setCookies(cookies(server), of: url) }
        try await tab.open(url)
        if await tab.runsScripts { try await tab.wait(until: scene.ready) }
        inspected(try await inspect(tab))
        if let row {
            for step in row.steps { try await tab.perform(step, of: server) }
            if !row.steps.isEmpty { inspected(try await inspect(tab)) }
            try await use(row, of: server, with: tab)
            try await tab.wait(until: "document.readyState === 'complete'")
            inspected(try await inspect(tab))
        }
    }

    private func use(_ row: Row, of server: Server, with tab: BrowserTab) async throws {
        if try await tab.evaluate("Boolean(\(row.change))", as: Bool.self) {
            throw DriverError("This condition holds before the control is used: \(row.change)")
        }
        if let stored = row.stored, try await stored(server) {
            throw DriverError("The expected data is stored before the control is used.")
        }
        switch row.use {
        case .click: try await tab.perform(Row.Step.click(row.control), of: server)
        case .enter: try await tab.key("Enter")
        }
        try await tab.waitWithoutComplaints(until: row.change)
        if let stored = row.stored {
            try await eventually("the change is stored") { try await stored(server) }
        }
    }

    private func inspect(_ tab: BrowserTab) async throws -> ControlInspection {
        try await tab.evaluate(inspection, as: ControlInspection.self)
    }
}

extension BrowserTab {
    /// Performs a user's step as soon as it is possible.
    fileprivate func perform<Server>(_ step: ControlRow<Server>.Step, of server: Server) async throws {
        switch step {
        case .click(let selector):
            let control = "document.querySelector(\(quoted(selector)))"
            try await wait(until: "\(control).checkVisibility() && !\(control).disabled")
            try await click(selector)
        case .write(let text, let selector):
            try await click(selector)
            try await wait(until: "document.activeElement.matches(\(quoted(selector)))")
            _ = try await evaluate("document.activeElement.select(); true", as: Bool.self)
            try await type(text)
        case .choose(let value, let selector):
            let field = "document.querySelector(\(quoted(selector)))"
            try await wait(until: "\(field).checkVisibility()")
            _ = try await evaluate("\(field).value = \(quoted(value)); true", as: Bool.self)
        case .press(let name): try await key(name)
        case .wait(let condition): try await wait(until: condition)
        case .ignoreComplaints(let text): ignoreComplaints(containing: text)
        case .meanwhile(let change): try await change(server)
        }
    }

    /// Returns when a condition of the page holds; throws if the page reports an error first, or after four minutes.
    fileprivate func waitWithoutComplaints(until condition: String) async throws {
        let end = ContinuousClock.now + .seconds(240)
        while complaints.isEmpty, ContinuousClock.now < end {
            // During a navigation, evaluation fails.
            if (try? await evaluate("Boolean(\(condition))", as: Bool.self)) ?? false { return }
            try await Self.pauseBetweenPolls()
        }
        let seen = try? await evaluate("location.href + ' ' + document.body.innerText.slice(0, 1000)", as: String.self)
        let reason = complaints.isEmpty ? "Timed out waiting until" : "The page reported an error before"
        throw DriverError("\(reason) \(condition). The page showed: \(seen ?? "nothing")")
    }
}

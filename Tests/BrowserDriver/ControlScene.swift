/// A page in one state, and what a person can do there.
package struct ControlScene<Server: Sendable>: Sendable {
    /// The state in words, for failures.
    package let title: String
    /// The paths of the page, as a regular expression.
    package let page: String
    /// A condition of the page, as JavaScript: with scripts, it can be used once this holds.
    package let ready: String
    /// Brings about the state, and returns the address to open.
    package let given: @Sendable (Server) async throws -> String
    package let rows: [ControlRow<Server>]

    /// Creates a scene whose address the test finds out.
    package init(
        _ title: String, page: String, ready: String = "true",
        at given: @escaping @Sendable (Server) async throws -> String, rows: [ControlRow<Server>]
    ) {
        (self.title, self.page, self.ready, self.given, self.rows) = (title, page, ready, given, rows)
    }

    /// Creates a scene at a path that is known.
    package init(
        _ title: String, path: String, ready: String = "true",
        given: @escaping @Sendable (Server) async throws -> Void = { _ in }, rows: [ControlRow<Server>]
    ) {
        self.init(
            title, page: path, ready: ready,
            at: { server in
                try await given(server)
                return path
            }, rows: rows)
    }
}

/// One control of a page, and what changes when a person uses it.
package struct ControlRow<Server: Sendable>: Sendable {
    /// What a person does with a page.
    package enum Step: Sendable {
        /// Clicks the first element that a selector finds.
        case click(String)
        /// Clicks a field and types a text in place of what it holds.
        case write(String, in: String)
        /// Sets a field that is a picker: of days, times or choices.
        case choose(String, in: String)
        /// Presses a key where the focus is, by the key's name in the standard.
        case press(String)
        /// Returns when a condition of the page holds, as JavaScript.
        case wait(until: String)
        /// The page may complain from now on, in a text that holds this.
        case expectComplaints(holding: String)
        /// Something happens to the server meanwhile.
        case meanwhile(@Sendable (Server) async throws -> Void)
    }

    /// How a person uses the control.
    package enum Use: Sendable {
        case click
        /// The Enter key, in a field of a form.
        case enter
    }

    /// In which browsers the control does its work.
    package enum Browsers: Sendable {
        case all
        /// With scripts only, and why.
        case scriptsOnly(String)
        /// Without scripts only, and why.
        case withoutScripts(String)

        func include(runsScripts: Bool) -> Bool {
            switch self {
            case .all: true
            case .scriptsOnly: runsScripts
            case .withoutScripts: !runsScripts
            }
        }
    }

    package let title: String
    /// A selector: its first element is used.
    package let control: String
    /// A selector: of the controls that do the same as ``control`` for something else, one is used for all.
    package let alike: String
    package let use: Use
    package let steps: [Step]
    /// A condition of the page, as JavaScript: false before, and true afterwards.
    package let change: String
    /// A condition of what the server has stored: false before, and true afterwards.
    package let stored: (@Sendable (Server) async throws -> Bool)?
    package let browsers: Browsers

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - title: What the control does, for failures.
    ///   - control: A selector, whose first element is used.
    ///   - alike: Finds the controls that this one stands for; without it, only those that `control` finds.
    ///   - use: How it is used.
    ///   - steps: What a person does before: opens a menu, types.
    ///   - change: A condition of the page, as JavaScript: false before, and true afterwards.
    ///   - browsers: In which browsers it is used.
    ///   - stored: A condition of what the server has stored: false before, and true afterwards.
    package init(
        _ title: String, _ control: String, alike: String? = nil, use: Use = .click, after steps: [Step] = [],
        shows change: String, in browsers: Browsers = .all,
        stores stored: (@Sendable (Server) async throws -> Bool)? = nil
    ) {
        self.title = title
        self.control = control
        self.alike = alike ?? control
        self.use = use
        self.steps = steps
        self.change = change
        self.stored = stored
        self.browsers = browsers
    }

    /// The controls that this row uses, as selectors.
    ///
    /// What opens a menu is one of them: without it, the next step fails.
    var covered: [String] {
        steps.reduce(into: [control, alike]) { selectors, step in
            if case .click(let selector) = step { selectors.append(selector) }
        }
    }
}

/// A page in one state, with the actions that a user can take there.
package struct ControlScene<Server: Sendable>: Sendable {
    /// A description of the state, for failure messages.
    package let title: String
    /// The page's paths, as a regular expression.
    package let page: String
    /// A JavaScript condition that holds once the page can be used, if scripts run.
    package let ready: String
    /// Establishes the state, and returns the address to open.
    package let given: @Sendable (Server) async throws -> String
    package let rows: [ControlRow<Server>]
    /// Selectors of the page's controls that another test uses.
    package var testedElsewhere: [String] = []
    /// The browser's cookies when it opens the page; `nil` to leave them as they are.
    package var cookies: (@Sendable (Server) -> [String: String])?

    /// Creates a scene whose address is determined when it runs.
    package init(
        _ title: String, page: String, ready: String = "true",
        at given: @escaping @Sendable (Server) async throws -> String, rows: [ControlRow<Server>]
    ) {
        (self.title, self.page, self.ready, self.given, self.rows) = (title, page, ready, given, rows)
    }

    /// Creates a scene with a fixed path.
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

/// A control of a page, with the effect of using it.
package struct ControlRow<Server: Sendable>: Sendable {
    /// An action of a user on a page.
    package enum Step: Sendable {
        /// Clicks the first matching element.
        case click(String)
        /// Clicks a field and replaces its contents by typing a text.
        case write(String, in: String)
        /// Sets the value of a picker, for days, times or choices.
        case choose(String, in: String)
        /// Presses a key on the focused element, by its name in `KeyboardEvent.key`.
        case press(String)
        /// Waits until a JavaScript condition of the page holds.
        case wait(until: String)
        /// From now on, ignores the page's errors that contain this text.
        case ignoreComplaints(containing: String)
        /// Runs a closure on the server, such as a change by another user.
        case meanwhile(@Sendable (Server) async throws -> Void)
    }

    /// How a user activates the control.
    package enum Use: Sendable {
        case click
        /// With the Enter key, in a field of a form.
        case enter
    }

    /// The browsers in which the control works.
    package enum Browsers: Sendable {
        case all
        /// Only with scripts, and why.
        case scriptsOnly(String)
        /// Only without scripts, and why.
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
    /// A selector whose first match is used.
    package let control: String
    /// Matches all controls that this row covers, such as the same button of each item; only ``control`` is used.
    package let alike: String
    package let use: Use
    package let steps: [Step]
    /// A JavaScript condition of the page that is false before and true after the use.
    package let change: String
    /// A condition of the server's stored data that is false before and true after the use.
    package let stored: (@Sendable (Server) async throws -> Bool)?
    package let browsers: Browsers

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - title: The control's function, for failure messages.
    ///   - control: A selector whose first match is used.
    ///   - alike: Matches the controls that this one stands for; by default only those that `control` matches.
    ///   - use: How the control is activated.
    ///   - steps: The user's steps before using the control, such as opening a menu or typing.
    ///   - change: A JavaScript condition of the page that is false before and true after the use.
    ///   - browsers: The browsers in which the control is used.
    ///   - stored: A condition of the server's stored data that is false before and true after the use.
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

    /// The selectors of the controls that this row covers.
    ///
    /// They include the elements clicked in its steps, such as the opener of a menu: if one didn't work, the next step
    /// would fail.
    var covered: [String] {
        steps.reduce(into: [control, alike]) { selectors, step in
            if case .click(let selector) = step { selectors.append(selector) }
        }
    }
}

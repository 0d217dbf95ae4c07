import Capture
import Foundation

// Input beyond clicks: strokes with mouse, pen and fingers, the wheel, keys with modifiers, and drops from outside the
// page.

extension BrowserTab {
    /// A place in the viewport, in CSS pixels.
    package struct Place: Hashable, Sendable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) {
            (self.x, self.y) = (x, y)
        }

        package func moved(_ dx: Double, _ dy: Double) -> Place {
            Place(x + dx, y + dy)
        }
    }

    /// The modifier keys that are held down.
    package struct Modifiers: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        package static let alt = Modifiers(rawValue: 1)
        package static let control = Modifiers(rawValue: 2)
        package static let meta = Modifiers(rawValue: 4)
        package static let shift = Modifiers(rawValue: 8)
    }

    /// A mouse button.
    package enum Button: String, Sendable {
        case left, middle, right

        fileprivate var bit: Int {
            switch self {
            case .left: 1
            case .right: 2
            case .middle: 4
            }
        }
    }

    /// The kind of pointer.
    package enum PointerType: String, Sendable {
        case mouse, pen
    }
}

// MARK: - Mouse and pen

extension BrowserTab {
    /// Presses and releases at a place.
    package func tap(
        at place: Place, button: Button = .left, holding modifiers: Modifiers = [], with pointer: PointerType = .mouse
    ) async throws {
        try await drag(from: place, to: place, steps: 0, button: button, holding: modifiers, with: pointer)
    }

    /// Presses and releases twice, with timestamps a tenth of a second apart, so that a slow machine makes no
    /// difference.
    package func doubleTap(at place: Place) async throws {
        let start = Date().timeIntervalSince1970
        for tap in 0..<2 {
            for (type, buttons, seconds) in [("mousePressed", 1, 0.0), ("mouseReleased", 0, 0.02)] {
                try await send(
                    Input.DispatchPointerEvent(
                        type: type, x: place.x, y: place.y, button: "left", buttons: buttons, clickCount: 1,
                        modifiers: 0, timestamp: start + 0.1 * Double(tap) + seconds))
            }
        }
    }

    /// Presses at a place, moves to another one in steps, and releases there.
    package func drag(
        from start: Place, to end: Place, steps: Int = 6, button: Button = .left, holding modifiers: Modifiers = [],
        with pointer: PointerType = .mouse
    ) async throws {
        try await beginDrag(
            from: start, to: end, steps: steps, button: button, holding: modifiers, with: pointer)
        try await release(at: end, button: button, holding: modifiers, with: pointer)
    }

    /// Starts a drag and leaves the button down.
    package func beginDrag(
        from start: Place, to end: Place, steps: Int = 6, button: Button = .left, holding modifiers: Modifiers = [],
        with pointer: PointerType = .mouse
    ) async throws {
        var event = Input.DispatchPointerEvent(
            type: "mouseMoved", x: start.x, y: start.y, button: "none", modifiers: modifiers.rawValue,
            pointerType: pointer.rawValue)
        try await send(event)
        (event.type, event.button, event.buttons, event.clickCount) = ("mousePressed", button.rawValue, button.bit, 1)
        try await send(event)
        event.type = "mouseMoved"
        for step in 0..<steps {
            let part = Double(step + 1) / Double(steps)
            (event.x, event.y) = (start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
            try await send(event)
        }
    }

    /// Continues a drag to another place.
    package func moveDragged(to place: Place, button: Button = .left) async throws {
        try await send(
            Input.DispatchPointerEvent(
                type: "mouseMoved", x: place.x, y: place.y, button: button.rawValue, buttons: button.bit, modifiers: 0))
    }

    /// Releases the button.
    package func release(
        at place: Place, button: Button = .left, holding modifiers: Modifiers = [], with pointer: PointerType = .mouse
    ) async throws {
        try await send(
            Input.DispatchPointerEvent(
                type: "mouseReleased", x: place.x, y: place.y, button: button.rawValue, clickCount: 1,
                modifiers: modifiers.rawValue, pointerType: pointer.rawValue))
    }

    /// Turns the wheel.
    package func wheel(
        at place: Place, by deltaX: Double, _ deltaY: Double, holding modifiers: Modifiers = []
    ) async throws {
        try await send(
            Input.DispatchPointerEvent(
                type: "mouseWheel", x: place.x, y: place.y, button: "none", modifiers: modifiers.rawValue,
                deltaX: deltaX, deltaY: deltaY))
    }

    private func send(_ command: some DevToolsCommand) async throws {
        _ = try await connection.ask(command, session: session)
    }
}

// MARK: - Fingers

extension BrowserTab {
    /// The kinds of touch event.
    package enum Touch: String, Sendable {
        case begin = "touchStart"
        case move = "touchMove"
        /// Lifts the fingers whose places aren't passed.
        case end = "touchEnd"
        case cancel = "touchCancel"
    }

    /// Emulates a touch screen; call it before opening a page.
    package func emulateTouchScreen() async throws {
        try await send(Emulation.SetTouchEmulationEnabled())
    }

    /// Sends a touch event with a finger at each place.
    package func touch(_ touch: Touch, _ places: Place...) async throws {
        let points = places.enumerated().map { Input.DispatchTouchEvent.Point(x: $1.x, y: $1.y, id: $0) }
        try await send(Input.DispatchTouchEvent(type: touch.rawValue, touchPoints: points))
    }

    /// Puts a finger down and lifts it.
    package func touchTap(at place: Place) async throws {
        try await touch(.begin, place)
        try await touch(.end)
    }

    /// Moves one finger from a place to another.
    package func swipe(from start: Place, to end: Place, steps: Int = 6) async throws {
        try await touch(.begin, start)
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            try await touch(.move, Place(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part))
        }
        try await touch(.end)
    }

    /// Moves two fingers, side by side around a place, from one distance to another.
    package func pinch(at middle: Place, from start: Double, to end: Double, steps: Int = 6) async throws {
        func fingers(_ distance: Double) -> (Place, Place) {
            (middle.moved(-distance / 2, 0), middle.moved(distance / 2, 0))
        }
        let (left, right) = fingers(start)
        try await touch(.begin, left)
        try await touch(.begin, left, right)
        for step in 1...steps {
            let (left, right) = fingers(start + (end - start) * Double(step) / Double(steps))
            try await touch(.move, left, right)
        }
        try await touch(.end, fingers(end).0)
        try await touch(.end)
    }
}

// MARK: - Keys

extension BrowserTab {
    /// Presses a key by its name in `KeyboardEvent.key` (`Escape`, `ArrowLeft`, `z`), with modifiers.
    ///
    /// - Parameters:
    ///   - key: The key's value.
    ///   - modifiers: The modifiers held down.
    ///   - command: The browser's own reaction besides notifying the page: `copy`, `cut` or `paste`.
    ///   - isReleased: Whether the key is released at once.
    /// - Throws: The browser's error.
    package func key(
        _ key: String, holding modifiers: Modifiers = [], command: String? = nil, isReleased: Bool = true
    ) async throws {
        let text = Self.text(typedBy: key, modifiers)
        try await send(
            Input.DispatchKey(
                type: text == nil ? "rawKeyDown" : "keyDown", key: key, modifiers: modifiers.rawValue,
                windowsVirtualKeyCode: Self.code(of: key), text: text, commands: command.map { [$0] }))
        if isReleased { try await releaseKey(key, holding: modifiers) }
    }

    /// Releases a key.
    package func releaseKey(_ key: String, holding modifiers: Modifiers = []) async throws {
        try await send(
            Input.DispatchKey(
                type: "keyUp", key: key, modifiers: modifiers.rawValue, windowsVirtualKeyCode: Self.code(of: key)))
    }

    /// The text that a key types; `nil` if it types none.
    private static func text(typedBy key: String, _ modifiers: Modifiers) -> String? {
        if key == "Enter" { return "\r" }
        return key.count == 1 && modifiers.isDisjoint(with: [.control, .meta]) ? key : nil
    }

    private static func code(of key: String) -> Int {
        let codes = [
            "Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37,
            "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46, "F2": 113,
        ]
        if let code = codes[key] { return code }
        guard let character = key.uppercased().first, key.count == 1, character.isLetter || character.isNumber
        else { return 0 }
        return Int(character.asciiValue ?? 0)
    }
}

// MARK: - Drops and the clipboard

extension BrowserTab {
    /// Drags something from outside the page and drops it at a place.
    ///
    /// - Parameters:
    ///   - items: The data by media type, such as `text/plain`.
    ///   - files: The paths of files.
    ///   - place: The place.
    /// - Throws: The browser's error.
    package func drop(_ items: [String: String] = [:], files: [String]? = nil, at place: Place) async throws {
        let data = Input.DispatchDragEvent.Content(
            items: items.map { .init(mimeType: $0.key, data: $0.value) }, files: files)
        for type in ["dragEnter", "dragOver", "drop"] {
            try await send(Input.DispatchDragEvent(type: type, x: place.x, y: place.y, data: data))
        }
    }

    /// Grants the tab's context access to the clipboard.
    package func allowClipboard() async throws {
        _ = try await connection.ask(
            GrantPermissions(permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"], browserContextId: context))
    }
}

// MARK: - DevTools commands

private struct GrantPermissions: DevToolsCommand {
    static let method = "Browser.grantPermissions"
    var permissions: [String]
    var browserContextId: String
}

extension Emulation {
    struct SetTouchEmulationEnabled: DevToolsCommand {
        static let method = "Emulation.setTouchEmulationEnabled"
        var enabled = true
        var maxTouchPoints = 5
    }
}

extension Input {
    struct DispatchPointerEvent: DevToolsCommand {
        static let method = "Input.dispatchMouseEvent"
        var type: String
        var x: Double
        var y: Double
        var button: String
        var buttons = 0
        var clickCount = 0
        var modifiers: Int
        var pointerType = "mouse"
        /// The event's time, in seconds since 1970; by default, the time of arrival.
        var timestamp: Double?
        var deltaX: Double?
        var deltaY: Double?
    }

    struct DispatchTouchEvent: DevToolsCommand {
        static let method = "Input.dispatchTouchEvent"
        struct Point: Encodable, Sendable {
            var x: Double
            var y: Double
            var id: Int
        }
        var type: String
        var touchPoints: [Point]
    }

    struct DispatchKey: DevToolsCommand {
        static let method = "Input.dispatchKeyEvent"
        var type: String
        var key: String
        var modifiers: Int
        var windowsVirtualKeyCode: Int
        var text: String?
        var commands: [String]?
    }

    struct DispatchDragEvent: DevToolsCommand {
        static let method = "Input.dispatchDragEvent"
        struct Item: Encodable, Sendable {
            var mimeType: String
            var data: String
        }
        struct Content: Encodable, Sendable {
            var items: [Item]
            var files: [String]?
            /// Allows copying.
            var dragOperationsMask = 1
        }
        var type: String
        var x: Double
        var y: Double
        var data: Content
    }
}

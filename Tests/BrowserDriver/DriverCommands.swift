import Capture

// The DevTools commands for user actions, with the protocol's names.

enum Target {
    struct Close: DevToolsCommand {
        static let method = "Target.closeTarget"
        var targetId: String
    }
}

enum Page {
    struct Enable: DevToolsCommand {
        static let method = "Page.enable"
    }

    struct AddScriptToEvaluateOnNewDocument: DevToolsCommand {
        static let method = "Page.addScriptToEvaluateOnNewDocument"
        var source: String
    }

    struct Navigate: DevToolsCommand {
        static let method = "Page.navigate"
        struct Reply: Decodable, Sendable {
            var errorText: String?
        }
        var url: String
    }
}

enum Log {
    struct Enable: DevToolsCommand {
        static let method = "Log.enable"
    }

    struct EntryAdded: Decodable {
        struct Entry: Decodable {
            var level: String
            var text: String
            var url: String?
        }
        var entry: Entry
    }
}

enum Runtime {
    struct Enable: DevToolsCommand {
        static let method = "Runtime.enable"
    }

    struct ExceptionDetails: Decodable, Sendable {
        var text: String
    }

    struct ExceptionThrown: Decodable {
        var exceptionDetails: ExceptionDetails
    }

    struct Evaluate<Value: Decodable & Sendable>: DevToolsCommand {
        static var method: String { "Runtime.evaluate" }
        struct Reply: Decodable, Sendable {
            struct Object: Decodable, Sendable {
                var value: Value?
            }
            var result: Object
            var exceptionDetails: ExceptionDetails?
        }
        var expression: String
        var awaitPromise = true
        var returnByValue = true
        var userGesture = true
    }
}

enum Emulation {
    struct SetDeviceMetricsOverride: DevToolsCommand {
        static let method = "Emulation.setDeviceMetricsOverride"
        var width: Int
        var height: Int
        var deviceScaleFactor = 1
        var mobile: Bool
    }

    /// Gives the page the focus, whatever other tabs do.
    struct SetFocusEmulationEnabled: DevToolsCommand {
        static let method = "Emulation.setFocusEmulationEnabled"
        var enabled = true
    }

    struct SetUserAgentOverride: DevToolsCommand {
        static let method = "Emulation.setUserAgentOverride"
        /// Empty for the browser's own.
        var userAgent = ""
        /// Also sets the header `Accept-Language`.
        var acceptLanguage: String
    }

    struct SetLocaleOverride: DevToolsCommand {
        static let method = "Emulation.setLocaleOverride"
        var locale: String
    }

    struct SetTimezoneOverride: DevToolsCommand {
        static let method = "Emulation.setTimezoneOverride"
        var timezoneId: String
    }

    struct SetEmulatedMedia: DevToolsCommand {
        static let method = "Emulation.setEmulatedMedia"
        struct Feature: Encodable, Sendable {
            var name: String
            var value: String
        }
        var features: [Feature]
    }
}

enum Input {
    struct DispatchMouseEvent: DevToolsCommand {
        static let method = "Input.dispatchMouseEvent"
        var type: String
        var x: Double
        var y: Double
        var button = "left"
        var clickCount = 1
    }

    struct InsertText: DevToolsCommand {
        static let method = "Input.insertText"
        var text: String
    }

    struct DispatchKeyEvent: DevToolsCommand {
        static let method = "Input.dispatchKeyEvent"
        var type: String
        var key: String
        var windowsVirtualKeyCode: Int
        var text: String?
    }
}

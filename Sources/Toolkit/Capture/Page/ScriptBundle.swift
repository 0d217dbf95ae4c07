/// JavaScript modules, joined into one script that can call any of their functions.
struct ScriptBundle: Sendable {
    private let source: String

    /// Joins UTF-8 modules; each must come after those that it imports.
    ///
    /// Each import must be on one line, and all declared names must be unique.
    init(_ modules: [UInt8]...) {
        // What remains of a module is valid inside a function.
        self.source = modules.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
            .filter { !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
            .joined(separator: "\n")
    }

    /// An expression that calls an exported function; the arguments are JavaScript expressions, such as JSON.
    func call(_ function: String, _ arguments: String...) -> String {
        "(() => {\n\(source)\nreturn \(function)(\(arguments.joined(separator: ", ")));\n})()"
    }

    /// The declaration of a function that passes `this` and its arguments to an exported function.
    func method(_ function: String) -> String {
        "function(...others) {\n\(source)\nreturn \(function)(this, ...others);\n}"
    }
}

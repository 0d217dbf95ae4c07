/// JavaScript modules, joined so that a browser can evaluate a call of one of their functions.
struct ScriptBundle: Sendable {
    private let source: String

    /// Joins modules in UTF-8, each behind those that it imports.
    ///
    /// An import stands on one line, and no two modules declare the same name.
    init(_ modules: [UInt8]...) {
        // The rest of a module may stand within a function as it is.
        self.source = modules.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
            .filter { !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
            .joined(separator: "\n")
    }

    /// An expression that calls an exported function; each argument is an expression too, such as JSON.
    func call(_ function: String, _ arguments: String...) -> String {
        "(() => {\n\(source)\nreturn \(function)(\(arguments.joined(separator: ", ")));\n})()"
    }

    /// The declaration of a function that calls an exported one with the object it is called on and its other arguments.
    func method(_ function: String) -> String {
        "function(...others) {\n\(source)\nreturn \(function)(this, ...others);\n}"
    }
}

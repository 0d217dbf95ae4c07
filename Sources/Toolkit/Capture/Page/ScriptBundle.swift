/// JavaScript modules, joined so that a browser can evaluate a call of one of their functions.
struct ScriptBundle: Sendable {
    private let source: String

    /// Joins modules.
    ///
    /// - Parameter modules: Their sources in UTF-8, each behind those that it imports. An import stands on one line, and no two modules
    ///   declare the same name.
    init(_ modules: [UInt8]...) {
        // The rest of a module may stand within a function as it is.
        self.source = modules.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
            .filter { !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
            .joined(separator: "\n")
    }

    /// An expression that calls a function.
    ///
    /// - Parameters:
    ///   - function: What a module exports.
    ///   - arguments: Each an expression, such as a number or JSON.
    /// - Returns: The expression.
    func call(_ function: String, _ arguments: String...) -> String {
        "(() => {\n\(source)\nreturn \(function)(\(arguments.joined(separator: ", ")));\n})()"
    }

    /// A function that is called on an object, and calls an exported one with the object and the other arguments.
    ///
    /// - Parameter function: What a module exports.
    /// - Returns: The function's declaration.
    func method(_ function: String) -> String {
        "function(...others) {\n\(source)\nreturn \(function)(this, ...others);\n}"
    }
}

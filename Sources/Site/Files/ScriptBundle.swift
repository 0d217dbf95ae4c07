/// Combines a script with the modules that it imports into one module, so that a browser loads one file, not fifty.
///
/// Each module becomes a function of its own, which runs once, after those that it imports, and returns its exports:
/// top-level names of different modules don't conflict. The code stays as it was written, line by line, below the
/// file's name. The result exports only what the script itself exports.
///
/// Scripts of one page that import the same module each get an instance of it, so a shared module must have no state.
struct ScriptBundle {
    private let files: [String: [UInt8]]
    /// The combined modules so far, dependencies first.
    private var output: [UInt8] = []
    private var combined: [String: ScriptModule] = [:]
    /// The modules whose imports are being combined, from the outside in.
    private var path: [String] = []

    /// The name of the object with the exports of each module; the scripts don't use it.
    private static let modules = "__modules"

    private init(_ files: [String: [UInt8]]) {
        self.files = files
        write("const \(Self.modules) = {};\n")
    }

    /// Combines a script with the modules that it imports, directly and indirectly.
    ///
    /// - Parameters:
    ///   - name: The script's folder and name, such as `art/board.js`.
    ///   - files: The contents of all files by folder and name.
    /// - Returns: The source of one module; a script without imports is returned as it is.
    /// - Throws: ``ScriptProblem`` if a module is missing, exports less than is imported, or imports itself indirectly.
    static func source(of name: String, in files: [String: [UInt8]]) throws(ScriptProblem) -> [UInt8] {
        guard let own = files[name] else { throw ScriptProblem("there is no script \(name)") }
        if try ScriptModule(own).imports.isEmpty { return own }
        var bundle = ScriptBundle(files)
        let exports = try bundle.add(name).exports
        if !exports.isEmpty {
            bundle.write("export const { \(exports.joined(separator: ", ")) } = \(reference(to: name));\n")
        }
        return bundle.output
    }

    /// Adds a module after those that it imports, unless it has been added already.
    @discardableResult
    private mutating func add(_ name: String) throws(ScriptProblem) -> ScriptModule {
        if let module = combined[name] { return module }
        guard let source = files[name] else {
            throw ScriptProblem("\(path.last ?? name) imports \(name), which is missing")
        }
        guard !path.contains(name) else {
            throw ScriptProblem((path + [name]).joined(separator: " imports "))
        }
        let module: ScriptModule
        do throws(ScriptProblem) {
            module = try ScriptModule(source)
        } catch {
            throw ScriptProblem("\(name): \(error)")
        }
        path.append(name)
        for statement in module.imports {
            let other = try Self.resolve(statement.path, from: name)
            let exports = try add(other).exports
            for imported in statement.names where !exports.contains(imported.exported) {
                throw ScriptProblem("\(name) imports \(imported.exported), which \(other) doesn't export")
            }
        }
        path.removeLast()
        combined[name] = module
        try write(module, named: name)
        return module
    }

    private mutating func write(_ module: ScriptModule, named name: String) throws(ScriptProblem) {
        write("\n// --- \(name)\n\(Self.reference(to: name)) = (() => {\n")
        for part in module.parts {
            switch part {
            case .code(let code): output += code
            case .imports(let statement):
                let names = statement.names.map { name in
                    name.exported == name.local ? name.local : "\(name.exported): \(name.local)"
                }
                let other = Self.reference(to: try Self.resolve(statement.path, from: name))
                // As many lines as the statement had, so that the distance between two lines stays the same.
                let lineEnds = String(repeating: "\n", count: statement.lineEnds + 1)
                write("const { \(names.joined(separator: ", ")) } = \(other);\(lineEnds)")
            }
        }
        write("return { \(module.exports.joined(separator: ", ")) };\n})();\n")
    }

    private mutating func write(_ text: String) { output += Array(text.utf8) }

    private static func reference(to name: String) -> String { "\(modules)[\"\(name)\"]" }

    /// The name of an imported file.
    private static func resolve(_ path: String, from name: String) throws(ScriptProblem) -> String {
        guard path.hasPrefix("./") || path.hasPrefix("../") else {
            throw ScriptProblem("\(name) imports \(path), which isn't a relative path")
        }
        var folders = name.split(separator: "/").dropLast()
        for component in path.split(separator: "/") {
            switch component {
            case ".": continue
            case "..":
                guard folders.popLast() != nil else {
                    throw ScriptProblem("\(name) imports \(path), which is outside the site's files")
                }
            default: folders.append(component)
            }
        }
        return folders.joined(separator: "/")
    }
}

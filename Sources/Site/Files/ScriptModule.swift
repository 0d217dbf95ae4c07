/// An ES module of the site's own scripts: its imports, its exports, and its source without either.
///
/// Only the forms that the scripts use are accepted, each at the beginning of a line: `import { a, b as c } from
/// "./file.js";`, and `export` before `const`, `function`, `async function` or `class`.
struct ScriptModule {
    /// One import statement.
    struct Import: Equatable {
        /// The imported names, each with its name in the importing module.
        var names: [Name]
        /// The other script's path, relative to this one.
        var path: String
        /// The number of line ends inside the statement.
        var lineEnds: Int
    }

    struct Name: Equatable {
        var exported: String
        var local: String
    }

    /// A part of the source.
    enum Part: Equatable {
        case code([UInt8])
        case imports(Import)
    }

    /// The source in order; each line of code ends with a line end.
    private(set) var parts: [Part] = []
    /// The names that the module exports.
    private(set) var exports: [String] = []

    /// Reads a module.
    ///
    /// - Parameter source: The text in UTF-8.
    /// - Throws: ``ScriptProblem`` for another form of import or export.
    init(_ source: [UInt8]) throws(ScriptProblem) {
        var code: [UInt8] = []
        var statement: [UInt8] = []
        var lineEnds = 0
        for line in source.split(separator: Self.lineEnd, omittingEmptySubsequences: false) {
            if !statement.isEmpty || line.starts(with: Self.importWord) {
                statement += line
                guard statement.last == Self.semicolon else {
                    statement.append(Self.space)
                    lineEnds += 1
                    continue
                }
                if !code.isEmpty { parts.append(.code(code)) }
                parts.append(.imports(try Self.imports(of: statement, lineEnds: lineEnds)))
                (code, statement, lineEnds) = ([], [], 0)
            } else if line.starts(with: Self.exportWord) {
                exports.append(try Self.exported(by: line))
                code += line.dropFirst(Self.exportWord.count)
                code.append(Self.lineEnd)
            } else {
                code += line
                code.append(Self.lineEnd)
            }
        }
        guard statement.isEmpty else {
            throw ScriptProblem("“\(String(decoding: statement.prefix(80), as: UTF8.self))” doesn't end")
        }
        if !code.isEmpty { parts.append(.code(code)) }
    }

    private static let importWord = Array("import ".utf8)
    private static let exportWord = Array("export ".utf8)
    private static let lineEnd = UInt8(ascii: "\n")
    private static let semicolon = UInt8(ascii: ";")
    private static let space = UInt8(ascii: " ")
}

extension ScriptModule {
    /// The import statements.
    var imports: [Import] {
        parts.compactMap { part -> Import? in
            switch part {
            case .imports(let statement): statement
            case .code: nil
            }
        }
    }

    private static func imports(of statement: [UInt8], lineEnds: Int) throws(ScriptProblem) -> Import {
        let text = String(decoding: statement, as: UTF8.self)
        guard let match = text.wholeMatch(of: /import \{([A-Za-z0-9_$, ]*)\} from "([^"]+)";/) else {
            throw ScriptProblem("“\(text.prefix(80))” isn't of the form import { a, b as c } from \"./file.js\";")
        }
        var names: [Name] = []
        for item in match.output.1.split(separator: ",") {
            let words = item.split(separator: " ").map(String.init)
            switch words.count {
            // A comma may follow the last name.
            case 0: continue
            case 1: names.append(Name(exported: words[0], local: words[0]))
            case 3 where words[1] == "as": names.append(Name(exported: words[0], local: words[2]))
            default: throw ScriptProblem("“\(item)” isn't a name to import")
            }
        }
        return Import(names: names, path: String(match.output.2), lineEnds: lineEnds)
    }

    private static func exported(by line: ArraySlice<UInt8>) throws(ScriptProblem) -> String {
        let text = String(decoding: line, as: UTF8.self)
        let form = /export (?:const|class|(?:async )?function\*?) ([A-Za-z_$][A-Za-z0-9_$]*)/
        guard let match = text.prefixMatch(of: form) else {
            throw ScriptProblem("“\(text.prefix(80))” doesn't export one constant, function or class")
        }
        return String(match.output.1)
    }
}

/// Why scripts can't be combined.
struct ScriptProblem: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

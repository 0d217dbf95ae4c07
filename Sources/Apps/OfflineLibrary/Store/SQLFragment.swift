import Persistence

/// A part of a statement, with the arguments of its placeholders, which are all written as `?`.
struct SQLFragment {
    var sql: String
    var arguments: SQLArguments

    init(_ sql: String, _ arguments: SQLArguments = []) {
        (self.sql, self.arguments) = (sql, arguments)
    }
}

extension [SQLFragment] {
    /// Joins the parts.
    func joined(separator: String) -> SQLFragment {
        SQLFragment(map(\.sql).joined(separator: separator), reduce(into: []) { $0 += $1.arguments })
    }
}

extension SQLDialect {
    /// A query of the texts in a JSON list, which is the argument of a placeholder.
    func selectingTexts(_ placeholder: String) -> String {
        switch self {
        case .sqlite: "SELECT value FROM json_each(\(placeholder))"
        case .postgreSQL: "SELECT jsonb_array_elements_text(CAST(\(placeholder) AS JSONB))"
        }
    }
}

extension SQLDialect {
    /// The part of a long text that is in an index in PostgreSQL.
    static func indexedPart(of text: String) -> String { "left(\(text), 500)" }

    /// The condition that a column has a value, for a column of which PostgreSQL has only a part in an index.
    func isEqual(_ column: String, _ value: String) -> String {
        switch self {
        case .sqlite: "\(column) = \(value)"
        case .postgreSQL:
            "(\(column) = \(value) AND \(Self.indexedPart(of: column)) = \(Self.indexedPart(of: value)))"
        }
    }
}

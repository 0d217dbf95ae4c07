package import Foundation

/// A value of a row, or an argument of a statement.
///
/// Texts may contain any Unicode scalar.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

/// A type that is stored as an ``SQLValue``.
package protocol SQLConvertible {
    var sqlValue: SQLValue { get }

    /// - Returns: `nil` if the value has another type, or is out of range.
    init?(sqlValue: SQLValue)
}

/// The arguments of a statement, in the order of their numbers.
package struct SQLArguments: ExpressibleByArrayLiteral, Sendable {
    package var values: [SQLValue]

    package init(arrayLiteral elements: (any SQLConvertible)?...) {
        values = elements.map { $0?.sqlValue ?? .null }
    }

    /// Creates arguments from a list whose length is unknown when compiling.
    package init(_ elements: [any SQLConvertible]) {
        values = elements.map(\.sqlValue)
    }

    package static func + (first: SQLArguments, second: SQLArguments) -> SQLArguments {
        var all = first
        all.values += second.values
        return all
    }

    package static func += (arguments: inout SQLArguments, more: SQLArguments) {
        arguments.values += more.values
    }
}

/// A row of a statement's result.
package struct SQLRow: Sendable {
    /// The names of the columns, shared by the rows of a result.
    package final class Columns: Sendable {
        package let names: [String]

        package init(_ names: [String]) {
            self.names = names
        }
    }

    private let columns: Columns
    package let values: [SQLValue]

    package init(_ values: [SQLValue], of columns: Columns) {
        self.columns = columns
        self.values = values
    }
}

/// A column has a value that its type doesn't allow: no version of this program writes such a row.
package struct SQLDecodingError: Error, CustomStringConvertible {
    package var column: String
    package var type: String

    package var description: String { "the column \(column) is not a valid \(type)" }
}

extension SQLRow {
    /// Decodes a column.
    ///
    /// - Throws: ``SQLDecodingError`` if the column's value isn't of this type.
    package func decode<Value: SQLConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        guard let value = Value(sqlValue: values[index]) else {
            throw SQLDecodingError(column: columns.names[index], type: "\(Value.self)")
        }
        return value
    }

    /// Decodes the first column with a name.
    ///
    /// - Throws: ``SQLDecodingError`` if the column's value isn't of this type, or if there is no such column.
    package func decode<Value: SQLConvertible>(
        _ type: Value.Type = Value.self, forColumn name: String
    ) throws -> Value {
        guard let index = columns.names.firstIndex(of: name) else {
            throw SQLDecodingError(column: name, type: "\(Value.self)")
        }
        return try decode(atIndex: index)
    }
}

// MARK: - Types

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }

    package init?(sqlValue: SQLValue) {
        if case .null = sqlValue {
            self = Wrapped?.none
            return
        }
        guard let wrapped = Wrapped(sqlValue: sqlValue) else { return nil }
        self = wrapped
    }
}

extension Int64: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let number) = sqlValue else { return nil }
        self = number
    }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let number) = sqlValue else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: SQLConvertible {
    /// 1 or 0: SQLite has no type for it.
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let number) = sqlValue else { return nil }
        self = number != 0
    }
}

extension Double: SQLConvertible {
    package var sqlValue: SQLValue { .real(self) }

    package init?(sqlValue: SQLValue) {
        switch sqlValue {
        case .real(let number): self = number
        case .integer(let number): self.init(number)
        default: return nil
        }
    }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self = text
    }
}

extension Data: SQLConvertible {
    package var sqlValue: SQLValue { .blob(self) }

    package init?(sqlValue: SQLValue) {
        guard case .blob(let data) = sqlValue else { return nil }
        self = data
    }
}

extension UUID: SQLConvertible {
    /// The 16 bytes.
    package var sqlValue: SQLValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }) }

    package init?(sqlValue: SQLValue) {
        guard case .blob(let data) = sqlValue, data.count == 16 else { return nil }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: data) }
        self.init(uuid: bytes)
    }
}

extension OwnerID: SQLConvertible {
    package var sqlValue: SQLValue { .text(rawValue) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(rawValue: text)
    }
}

/// A change of the tables in PostgreSQL: creates a part of them, or converts their previous form.
///
/// A released migration never changes.
package struct SQLMigration: Sendable {
    /// The name of the target and a number, such as `jobs.1`; it contains only lower-case letters, digits and dots.
    package var identifier: String
    /// The statements, which run in one transaction with those of the other migrations.
    package var sql: String

    package init(_ identifier: String, _ sql: String) {
        self.identifier = identifier
        self.sql = sql
    }
}

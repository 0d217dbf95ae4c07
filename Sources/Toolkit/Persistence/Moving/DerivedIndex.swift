/// An index that a store makes from the rows of a table, in a different form in each database.
///
/// A ``DatabaseMove`` doesn't copy it, but makes it again in the target.
package struct DerivedIndex: Sendable {
    /// The table from whose rows it is made; its key is one number.
    package var table: String
    /// The virtual tables that contain the index in SQLite.
    package var virtualTables: Set<String>
    /// The columns of the table that contain the index in PostgreSQL.
    package var columns: Set<String>
    /// Adds rows that were inserted while the triggers were off, by their keys.
    package var add: @Sendable (_ keys: [Int64], _ transaction: any SQLConnection) throws -> Void
    /// Removes all rows from the index, before the table's rows are deleted.
    package var clear: @Sendable (_ transaction: any SQLConnection) throws -> Void

    package init(
        of table: String, virtualTables: Set<String>, columns: Set<String>,
        add: @escaping @Sendable (_ keys: [Int64], _ transaction: any SQLConnection) throws -> Void,
        clear: @escaping @Sendable (_ transaction: any SQLConnection) throws -> Void
    ) {
        self.table = table
        self.virtualTables = virtualTables
        self.columns = columns
        self.add = add
        self.clear = clear
    }
}

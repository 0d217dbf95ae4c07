// Counts come from a database, which may hold any number.

extension Int {
    /// The number after this one; the greatest has none, and stays.
    package var counted: Int { self == .max ? self : self + 1 }
}

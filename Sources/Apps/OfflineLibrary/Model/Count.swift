// Counts come from a database, which may hold any number.

extension Int {
    /// The next number; the greatest number stays unchanged instead of overflowing.
    package var counted: Int { self == .max ? self : self + 1 }
}

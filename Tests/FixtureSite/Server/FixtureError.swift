/// Why a fixture could not be set up.
package struct FixtureError: Error, CustomStringConvertible {
    /// What happened, and to what.
    package let description: String

    /// Makes an error that says what happened.
    init(_ description: String) {
        self.description = description
    }
}

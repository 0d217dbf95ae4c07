/// The error of a fixture that can't be set up.
package struct FixtureError: Error, CustomStringConvertible {
    /// A message that says what failed.
    package let description: String

    /// Creates an error with a message.
    init(_ description: String) {
        self.description = description
    }
}

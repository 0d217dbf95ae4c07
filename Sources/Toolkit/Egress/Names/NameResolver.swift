/// Resolves the names of hosts to addresses.
public protocol NameResolver: Sendable {
    /// Resolves a name.
    ///
    /// - Parameter host: The name, in lower case; never an address.
    /// - Returns: The addresses without duplicates, in the order in which to try them; at least one.
    /// - Throws: ``EgressError`` with the code `nameNotFound`, or another error. Returns early when the task is
    ///   cancelled.
    func addresses(of host: String) async throws -> [IPAddress]
}

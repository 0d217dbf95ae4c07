/// What knows the addresses of a host's name.
public protocol NameResolver: Sendable {
    /// Looks a name up.
    ///
    /// - Parameter host: The name, in lower case; never an address.
    /// - Returns: Its addresses in the order in which they are to be tried, each once; never none.
    /// - Throws: ``EgressError`` with the code `nameNotFound`, or what else went wrong. Ends early when the task is
    ///   cancelled.
    func addresses(of host: String) async throws -> [IPAddress]
}

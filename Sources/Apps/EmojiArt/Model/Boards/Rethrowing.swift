/// Runs an operation, and converts the errors that it throws.
///
/// - Returns: What the body returns.
/// - Throws: The converted error.
package func rethrowing<Value, Failure: Error, Other: Error>(
    _ other: (Failure) -> Other, _ body: () async throws(Failure) -> Value
) async throws(Other) -> Value {
    do throws(Failure) { return try await body() } catch { throw other(error) }
}

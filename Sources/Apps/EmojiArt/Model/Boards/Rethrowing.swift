/// Does something, and throws another error in place of its own.
///
/// - Returns: What the body returns.
/// - Throws: The other error.
package func rethrowing<Value, Failure: Error, Other: Error>(
    _ other: (Failure) -> Other, _ body: () async throws(Failure) -> Value
) async throws(Other) -> Value {
    do throws(Failure) { return try await body() } catch { throw other(error) }
}

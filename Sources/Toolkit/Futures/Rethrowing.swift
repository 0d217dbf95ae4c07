/// Runs an operation, and converts the errors that it throws.
package func rethrowing<Value, Failure: Error, Other: Error>(
    _ other: (Failure) -> Other, _ body: () async throws(Failure) -> Value
) async throws(Other) -> Value {
    do throws(Failure) { return try await body() } catch { throw other(error) }
}

import Persistence

/// The error that an operation throws; `nil` if it throws none.
func storeError(_ operation: () async throws -> Void) async -> StoreError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? StoreError ?? StoreError(.abandoned, "another error: \(error)")
    }
}

/// The code of the error that an operation throws; `nil` if it throws none.
func code(_ operation: () async throws -> Void) async -> StoreError.Code? {
    await storeError(operation)?.code
}

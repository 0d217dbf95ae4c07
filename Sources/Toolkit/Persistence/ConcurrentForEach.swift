extension Array where Element: Sendable {
    /// Does something for each element, such as copying an object, for several at the same time.
    ///
    /// - Parameters:
    ///   - limit: How many elements are worked on at the same time.
    ///   - body: The work for an element.
    /// - Throws: The first error, which cancels the work for other elements.
    package func concurrentForEach(
        atMost limit: Int = 8, _ body: @escaping @Sendable (Element) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        let error = await withTaskGroup(of: StoreError?.self) { group -> StoreError? in
            var (next, failure) = (0, StoreError?.none)
            func begin() {
                guard next < count, failure == nil else { return }
                let element = self[next]
                next += 1
                group.addTask {
                    do throws(StoreError) {
                        try await body(element)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for _ in 0..<limit { begin() }
            for await error in group {
                if let error, failure == nil {
                    failure = error
                    group.cancelAll()
                }
                begin()
            }
            return failure
        }
        if let error { throw error }
    }
}

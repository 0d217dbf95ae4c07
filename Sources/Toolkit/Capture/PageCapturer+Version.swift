extension PageCapturer {
    /// Starts the browser, in its sandbox, and asks for its version.
    ///
    /// - Returns: The product and its version, such as `Chrome/140.0.7339.80`.
    /// - Throws: ``CaptureError`` if the browser is missing, doesn't start, or can't use its sandbox.
    package func browserVersion() async throws(CaptureError) -> String {
        let browser = try await pool.browser()
        let product = browser.product
        await pool.release(browser)
        return product
    }
}

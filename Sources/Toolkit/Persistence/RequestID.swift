/// The ID of the request that a task works for, by which the log lines of all processes that work for it are found.
package enum RequestID {
    /// The ID; `nil` in work that no request has caused.
    ///
    /// Tasks pass it on to the tasks that they create, and reads and writes of an ``AppDatabase`` to their bodies.
    @TaskLocal package static var current: String?

    /// The longest ID that is accepted from outside, in characters.
    package static let longest = 64

    /// Whether a text from outside can be an ID: it has only ASCII letters, digits, `-`, `_` and `.`.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

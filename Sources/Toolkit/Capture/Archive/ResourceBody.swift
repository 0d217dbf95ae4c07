import Foundation

/// The body of something that a page asked for, or why there is none.
enum ResourceBody: Sendable {
    /// Text that the browser has decoded, as UTF-8.
    case text(Data)
    /// Bytes as they came, decompressed.
    case bytes(Data)
    /// There is none: the page did without it.
    case missing(String)
    /// It loaded, and does not fit into the archive's budget.
    case overBudget(limit: Int)

    init(_ reply: DevTools.Network.GetResponseBody.Reply) {
        if !reply.base64Encoded {
            self = .text(Data(reply.body.utf8))
        } else if let bytes = Data(base64Encoded: reply.body) {
            self = .bytes(bytes)
        } else {
            self = .missing("its body could not be read")
        }
    }
}

import Capture

extension DevToolsConnection {
    /// Sends a command and waits for its reply, for as long as a busy machine may need.
    ///
    /// A page's first answer can take far longer than the product's own deadline: `/view` makes the viewer copy before it
    /// answers.
    func ask<Command: DevToolsCommand>(
        _ command: Command, session: String? = nil
    ) async throws(DevToolsError) -> Command.Reply {
        try await send(command, session: session, deadline: .seconds(300))
    }
}

import Capture

extension DevToolsConnection {
    /// Sends a command and waits for its reply, with a deadline long enough for a busy machine.
    ///
    /// A page's first reply can take far longer than the product's own deadline: `/view` creates the viewer copy before
    /// it responds.
    func ask<Command: DevToolsCommand>(
        _ command: Command, session: String? = nil
    ) async throws(DevToolsError) -> Command.Reply {
        try await send(command, session: session, deadline: .seconds(300))
    }
}

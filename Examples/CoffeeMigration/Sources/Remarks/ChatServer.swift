/// Step 7: one actor type, many instances. A program has one main actor, but one `ChatRoom` for each room.
actor ChatRoom {
    private(set) var messages: [String] = []

    func post(_ message: String) {
        messages.append(message)
    }
}

/// Each room protects its own messages; a busy room doesn't make another one wait.
actor ChatServer {
    private var rooms: [String: ChatRoom] = [:]

    func room(_ name: String) -> ChatRoom {
        if let room = rooms[name] { return room }
        let room = ChatRoom()
        rooms[name] = room
        return room
    }
}

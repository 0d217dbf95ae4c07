/// Step 7: one actor type, many instances. The main actor is one for the whole program; this one is created for each room.
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

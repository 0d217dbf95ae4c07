// BoardModel contains no words: a page and the server insert them from the same table.

extension BoardText {
    /// The text in words.
    package var words: String {
        switch self {
        case .plain(let text): return text
        case .number(let number): return "\(number)"
        case .list(let texts): return texts.map { $0.words }.joined(separator: ", ")
        case .word(let word, let values):
            let template = ArtWords.scripts[word.rawValue] ?? word.rawValue
            return template.replacing(/\{\{(\w+)\}\}/) { (tag: Regex<(Substring, Substring)>.Match) -> String in
                let value = values.first { $0.tag.rawValue == tag.output.1 }
                return value?.text.words ?? String(tag.output.0)
            }
        }
    }
}

extension RefusedOperation {
    /// A message for the user: what happened, to what, and what to do now.
    public var message: String { text.words }
}

extension [RefusedOperation] {
    /// The refusals with their messages in words, as they are stored and sent.
    var inWords: [RefusedOperation] {
        // Thousands of operations can have the same message.
        var known: [BoardText: String] = [:]
        return map { refusal in
            let message = known[refusal.text] ?? refusal.message
            known[refusal.text] = message
            return RefusedOperation(index: refusal.index, reason: refusal.reason, text: .plain(message))
        }
    }
}

extension ArtOperation {
    /// A message for the user about a refusal: what happened, to what, and what to do now.
    package func message(for refusal: OperationRefusal) -> String { text(for: refusal).words }
}

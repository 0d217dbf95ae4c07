/// Whether all that was done is kept.
public enum SavingState: Hashable, Sendable {
    /// All of it is.
    case saved
    /// Some of it is on its way.
    case saving
    /// Some of it could not be kept yet, which is tried again: why, and what to do now.
    case failed(String)
}

extension SavingState: CustomStringConvertible {
    /// What a person is shown.
    public var description: String {
        switch self {
        case .saved: "Saved"
        case .saving: "Saving…"
        case .failed(let why): "Not saved yet, trying again: \(why)"
        }
    }
}

/// How far what was given to be kept has come.
public enum SaveStatus: Sendable {
    /// It is not known yet what is kept.
    case loading
    /// All that was given is kept, and would survive the end of the process and of the machine.
    case saved
    /// Something is still to be written.
    case saving
    /// The last attempt failed, for this reason; what was given is in memory.
    ///
    /// It is tried again by itself, unless that would not help before something has changed.
    case failed(StoreError)
}

extension SaveStatus {
    /// Why it failed, if it has.
    public var failure: StoreError? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether all that was given is kept.
    public var isSaved: Bool {
        if case .saved = self { true } else { false }
    }

    /// Whether a person would see the same.
    func looksLike(_ other: SaveStatus) -> Bool {
        switch (self, other) {
        case (.loading, .loading), (.saved, .saved), (.saving, .saving): true
        case (.failed(let first), .failed(let second)): first.code == second.code && first.message == second.message
        case (.loading, _), (.saved, _), (.saving, _), (.failed, _): false
        }
    }
}

extension SaveStatus: CustomStringConvertible {
    /// In words: `saved`, or why not.
    public var description: String {
        switch self {
        case .loading: "loading"
        case .saved: "saved"
        case .saving: "saving"
        case .failed(let error): "not saved: \(error.message)"
        }
    }
}

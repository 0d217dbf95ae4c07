/// Whether the changes of a value are stored.
public enum SaveStatus: Sendable {
    /// The stored value has not been read yet.
    case loading
    /// All changes are stored, and survive the end of the process and a crash of the machine.
    case saved
    /// Some changes are not written yet.
    case saving
    /// The last attempt failed with this error; the changes are in memory.
    ///
    /// The attempt is retried automatically, unless a retry can't succeed before something else changes.
    case failed(StoreError)
}

extension SaveStatus {
    /// The error, if the last attempt failed.
    public var failure: StoreError? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether all changes are stored.
    public var isSaved: Bool {
        if case .saved = self { true } else { false }
    }

    /// Whether both states look the same to a person.
    func isEquivalent(to other: SaveStatus) -> Bool {
        switch (self, other) {
        case (.loading, .loading), (.saved, .saved), (.saving, .saving): true
        case (.failed(let first), .failed(let second)): first.code == second.code && first.message == second.message
        case (.loading, _), (.saved, _), (.saving, _), (.failed, _): false
        }
    }
}

extension SaveStatus: CustomStringConvertible {
    /// A description such as `saved`, or why the value is not saved.
    public var description: String {
        switch self {
        case .loading: "loading"
        case .saved: "saved"
        case .saving: "saving"
        case .failed(let error): "not saved: \(error.message)"
        }
    }
}

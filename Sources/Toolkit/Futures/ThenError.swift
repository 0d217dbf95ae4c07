/// Why a chain of two futures failed: one of them did.
public enum ThenError<First: Error, Second: Error>: Error {
    /// The first failed, so that the second was never made.
    case first(First)
    /// The second failed.
    case second(Second)
}

extension ThenError: Equatable where First: Equatable, Second: Equatable {}
extension ThenError: Hashable where First: Hashable, Second: Hashable {}

extension ThenError: CustomStringConvertible {
    /// The description of the error that it was.
    public var description: String {
        switch self {
        case .first(let error): "\(error)"
        case .second(let error): "\(error)"
        }
    }
}

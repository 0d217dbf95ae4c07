/// Why there is no mapped value: there was none to be mapped, or it has no counterpart.
public enum MapError<Source: Sendable, SourceError: Error, Target>: Error {
    /// There was an error instead of a value.
    case originalError(SourceError)
    /// This value could not be mapped.
    case mappingError(Source)
}

extension MapError: Equatable where Source: Equatable, SourceError: Equatable {}
extension MapError: Hashable where Source: Hashable, SourceError: Hashable {}

extension MapError: CustomStringConvertible {
    /// What could not be mapped, and to what; or the original error's own description.
    public var description: String {
        switch self {
        case .originalError(let error): "\(error)"
        case .mappingError(let value): "Could not map value: (\(value)) to output type: \(Target.self)."
        }
    }
}

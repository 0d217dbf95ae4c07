public import Foundation

extension LoadingState where Source == URL {
    /// The address that a value is on its way from; `nil` if none is.
    public var urlBeingFetched: URL? { sourceBeingFetched }
}

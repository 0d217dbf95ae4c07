public import Foundation
public import Futures

extension Future {
    /// A future with this one's value, or its error as an `NSError`.
    ///
    /// On platforms without Objective-C, an error that says nothing of domain and code becomes one of the domain that
    /// Foundation makes up of its type's name.
    @discardableResult
    public func mapToNSError() -> Future<Value, NSError> {
        mapError { $0 as NSError }
    }
}

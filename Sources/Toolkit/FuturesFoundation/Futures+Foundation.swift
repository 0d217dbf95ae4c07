public import Dispatch
public import Foundation
public import Futures

extension CallbackContext {
    /// A dispatch queue: callbacks run on it one after another, also if the queue is concurrent.
    public static func queue(_ queue: DispatchQueue) -> CallbackContext {
        CallbackContext { job in queue.async(execute: job) }
    }
}

extension Future {
    /// A future with this one's value, or its error as an `NSError`.
    ///
    /// On platforms without Objective-C, an error without domain and code gets the domain that Foundation makes of its type's name.
    @discardableResult
    public func mapToNSError() -> Future<Value, NSError> {
        mapError { $0 as NSError }
    }
}

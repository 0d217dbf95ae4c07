public import Dispatch
public import Foundation
public import Futures

extension CallbackContext {
    /// Runs callbacks on a dispatch queue, one after another even if the queue is concurrent.
    public static func queue(_ queue: DispatchQueue) -> CallbackContext {
        CallbackContext { job in queue.async(execute: job) }
    }
}

extension Future {
    /// Returns a future with this one's value, or its error as an `NSError`.
    ///
    /// If an error has no domain and code of its own, Foundation derives the domain from its type's name on platforms
    /// without Objective-C.
    @discardableResult
    public func mapToNSError() -> Future<Value, NSError> {
        mapError { $0 as NSError }
    }
}

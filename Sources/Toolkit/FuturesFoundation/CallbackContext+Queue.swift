public import Dispatch
public import Futures

extension CallbackContext {
    /// A dispatch queue: callbacks run on it one after another, also if the queue is concurrent.
    public static func queue(_ queue: DispatchQueue) -> CallbackContext {
        CallbackContext { job in queue.async(execute: job) }
    }
}

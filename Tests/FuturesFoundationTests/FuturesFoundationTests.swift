import Dispatch
import Foundation
import Futures
import FuturesFoundation
import Testing

private enum Trouble: Error {
    case first, second
}

@Suite(.timeLimit(.minutes(10))) struct FuturesFoundationTests {
    @Test func anErrorBecomesAnNSError() {
        let future = Future<Int, Trouble>.preRejected(error: .second).mapToNSError()
        #expect(future.rejectedError?.code == 1)
        #expect(future.rejectedError?.domain.hasSuffix("Trouble") == true)
        #expect(Future<Int, Trouble>.preResolved(value: 3).mapToNSError().resolvedValue == 3)
    }

    @Test(arguments: [false, true]) func callbacksOnAQueueRunInOrder(isConcurrent: Bool) async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "callbacks", attributes: isConcurrent ? .concurrent : [])
        queue.setSpecific(key: key, value: "here")
        let context = CallbackContext.queue(queue)
        let seen = Lock<[Int]>([])
        let promise = Promise<Int, any Error>()
        let done = Promise<Void, Never>()
        for number in 0..<100 {
            promise.future.onSuccess(on: context) { _ in
                #expect(DispatchQueue.getSpecific(key: key) == "here")
                seen.withLock { $0.append(number) }
            }
        }
        promise.future.finally(on: context) { _ in done.resolve(()) }
        promise.resolve(1)
        await done.future.value
        #expect(seen.withLock { $0 } == Array(0..<100))
    }
}

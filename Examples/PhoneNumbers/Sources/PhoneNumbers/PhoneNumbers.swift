import Concurrency
import Futures

/// Runs, one after another, the scenarios of the README from which this library takes its names.
@main
enum PhoneNumbers {
    static func main() async {
        await results()
        await promises()
        await mapping()
        await chaining()
    }

    // MARK: - A result instead of two optionals

    private static func results() async {
        let text = Future<String, CallError>.adapting(
            fault: { CallError(message: "\($0)") }, { getAString($0) })
        await text.result.onSuccess { print("a success: \($0)") }.onError { print("an error: \($0.message)") }
        // The pyramid of doom: each level must handle its failure.
        func getBoth(_ completion: @escaping @Sendable (Result<String, CallError>) -> Void) {
            getInt1 { first in
                first.onSuccess { first in
                    getInt2 { second in completion(second.map { "I got \(first) and \($0)! Yay!" }) }
                }.onError { completion(.failure($0)) }
            }
        }
        let both = Future<String, CallError>.adapting(fault: { CallError(message: "\($0)") }, getBoth)
        await both.result.onError { print("two numbers: \($0.message)") }
    }

    // MARK: - Promises and futures

    private static func goCallYourMother(_ line: Line) -> Future<AnEarful, CallError> {
        let promise = Promise<AnEarful, CallError>(onAbandon: { CallError(message: "Hung up.") })
        callYourMother(line) { earful, error in
            if let earful {
                promise.resolve(earful)
            } else {
                promise.reject(error ?? CallError(message: "No data returned by the call."))
            }
        }
        return promise.future
    }

    /// Adds handlers of its own, and returns the same future.
    private static func callYourMomAndThenReflect(_ line: Line) -> Future<AnEarful, CallError> {
        goCallYourMother(line)
            .onSuccess { print("hoo boy: \($0.words)") }
            .onError { print("well, at least I tried: \($0.message)") }
    }

    private static func promises() async {
        for line in Line.allCases {
            // Not `await future.result`: that returns as soon as a result exists, while the blocks may still be running.
            await withCheckedContinuation { done in
                callYourMomAndThenReflect(line)
                    .onSuccess { _ in print("and a second block, in order") }
                    .finally { _ in
                        print("hung up")
                        done.resume()
                    }
            }
        }
        // The same in one call.
        let adapted = Future<AnEarful, CallError>.adapting(
            fault: { CallError(message: "\($0)") }, { callYourMother(.unanswered, $0) })
        await adapted.result.onError { print($0.message) }
    }

    // MARK: - Mapping

    private static func mapping() async {
        let number = getDadsNumber()
        for number in [.preResolved(value: 4), number, getWackyPhoneNumber()] {
            let text = number.mapResult { result -> Result<String, PhoneError> in
                switch result {
                case .success(let number): number < 5 ? .success("\(number)") : .failure(.noAnswer(number))
                case .failure: .failure(.noAnswer(0))
                }
            }
            await text.result.onSuccess { print("mapResult: \($0)") }.onError { print("mapResult: \($0)") }
        }
        await number.mapValue { "\($0)" }.result.onSuccess { print("mapValue: \($0)") }
        for id in ["1", "", "down"] {
            let post = getTweetfacePostFromNetwork(id: id).mapError { error -> TweetfaceError in
                switch error {
                case .userError: .badID
                case .serverError: .serverError
                }
            }
            await post.result.onSuccess { print("mapError: \($0)") }.onError { print("mapError: \($0)") }
        }
        for value in [4, 6] {
            let writeItDown = Future<Int, NumberError>.preResolved(value: value).compactMap { $0 < 5 ? "\($0)" : nil }
            await writeItDown.result.onSuccess { print("compactMap: \($0)") }.onError { print("compactMap: \($0)") }
        }
    }

    // MARK: - Several futures

    private static func chaining() async {
        for number in [getMomsNumber(), getDadsNumber(), getWackyPhoneNumber()] {
            let makePhoneCall = number.flatMap(call(phoneNumber:))
            await makePhoneCall.result
                .onSuccess { print("flatMap: called \($0.number)") }
                .onError { error in
                    switch error {
                    case .first(let error): print("flatMap: no number: \(error)")
                    case .second(let error): print("flatMap: no call: \(error)")
                    }
                }
        }
        let numbers = Future.zip([getMomsNumber(), getDadsNumber()])
        await numbers.result.onSuccess { print("zip: commence zany parent trap with \($0)") }
        let all = Future.zip([getMomsNumber(), getDadsNumber(), getWackyPhoneNumber()])
        await all.result.onError { print("zip: \($0)") }
        let first = Future.firstFinished(
            from: [getWackyPhoneNumber(), getDadsNumber(), getWackyPhoneNumber()], onEmpty: { .unlisted })
        await first.result.onSuccess { print("firstFinished: \($0)") }
        let none = Future.firstFinished(
            from: [getWackyPhoneNumber(), getWackyPhoneNumber()], onEmpty: { .unlisted })
        await none.result.onError { print("firstFinished: \($0)") }
    }
}

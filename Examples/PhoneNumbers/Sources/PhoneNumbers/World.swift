import Futures

// The functions that the scenarios call, in the style before `async`: they call their handlers on an arbitrary thread.

struct CallError: Error {
    let message: String
}

struct AnEarful: Sendable {
    let words: String
}

enum NumberError: Error {
    case unlisted
}

enum PhoneError: Error {
    case noAnswer(Int)
}

struct PhoneCall: Sendable {
    let number: Int
}

enum NetworkError: Error {
    case userError, serverError
}

enum TweetfaceError: Error {
    case badID, serverError
}

func getAString(_ completionHandler: @escaping @Sendable (Result<String, CallError>) -> Void) {
    Task { completionHandler(.success("a string")) }
}

func getInt1(_ completionHandler: @escaping @Sendable (Result<Int, CallError>) -> Void) {
    Task { completionHandler(.success(1)) }
}

func getInt2(_ completionHandler: @escaping @Sendable (Result<Int, CallError>) -> Void) {
    Task { completionHandler(.failure(CallError(message: "there is no second number"))) }
}

/// The outcome of a call.
enum Line: CaseIterable {
    case atHome, busy, unanswered
}

/// Calls back with a value, with an error, or, if the call is not answered, with neither.
func callYourMother(
    _ line: Line, _ completion: @escaping @Sendable (_ earful: AnEarful?, _ error: CallError?) -> Void
) {
    Task {
        switch line {
        case .atHome: completion(AnEarful(words: "You never call!"), nil)
        case .busy: completion(nil, CallError(message: "The line is busy."))
        case .unanswered: completion(nil, nil)
        }
    }
}

func getMomsNumber() -> Future<Int, NumberError> { Future<Int, NumberError> { 555_0101 } }
func getDadsNumber() -> Future<Int, NumberError> { .preResolved(value: 555_0102) }
func getWackyPhoneNumber() -> Future<Int, NumberError> { .preRejected(error: .unlisted) }

func call(phoneNumber: Int) -> Future<PhoneCall, PhoneError> {
    phoneNumber.isMultiple(of: 2)
        ? .preResolved(value: PhoneCall(number: phoneNumber)) : .preRejected(error: .noAnswer(phoneNumber))
}

func getTweetfacePostFromNetwork(id: String) -> Future<String, NetworkError> {
    switch id {
    case "": .preRejected(error: .userError)
    case "down": .preRejected(error: .serverError)
    default: .preResolved(value: "post \(id)")
    }
}

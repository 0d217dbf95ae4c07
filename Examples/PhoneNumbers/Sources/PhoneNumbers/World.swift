import Futures

// The world of the scenarios: functions as they were written for years, which call back from wherever they run.

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

/// Calls back with neither when nobody is at home.
func callYourMother(
    isAtHome: Bool, _ completion: @escaping @Sendable (_ earful: AnEarful?, _ error: CallError?) -> Void
) {
    Task { completion(isAtHome ? AnEarful(words: "You never call!") : nil, nil) }
}

func getMomsNumber() -> Future<Int, NumberError> { Future<Int, NumberError> { 555_0101 } }
func getDadsNumber() -> Future<Int, NumberError> { .preResolved(value: 555_0102) }
func getWackyPhoneNumber() -> Future<Int, NumberError> { .preRejected(error: .unlisted) }

func call(phoneNumber: Int) -> Future<PhoneCall, PhoneError> {
    phoneNumber.isMultiple(of: 2)
        ? .preResolved(value: PhoneCall(number: phoneNumber)) : .preRejected(error: .noAnswer(phoneNumber))
}

func getTweetfacePostFromNetwork(id: String) -> Future<String, NetworkError> {
    id.isEmpty ? .preRejected(error: .userError) : .preResolved(value: "post \(id)")
}

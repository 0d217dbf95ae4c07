import Dispatch
import Foundation
import Futures
import FuturesFoundation

/// An error with the domain and the codes that older code compares.
enum MeterError: CustomNSError {
    case unplugged
    case silent

    static var errorDomain: String { "example.meter" }

    var errorCode: Int {
        switch self {
        case .unplugged: 1
        case .silent: 2
        }
    }
}

/// A function in the style before `async`: it calls back on some thread.
func readMeter(_ room: String, completion: @escaping @Sendable (Double?, MeterError?) -> Void) {
    DispatchQueue.global().async {
        if room == "kitchen" { completion(21.5, nil) } else { completion(nil, .unplugged) }
    }
}

/// A class that may be used only on its queue, and stops the program otherwise.
final class Display: Sendable {
    let queue = DispatchQueue(label: "display")

    func show(_ text: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        print(text)
    }
}

/// Reads a meter as a future.
func temperature(_ room: String) -> Future<Double, MeterError> {
    Future<Double, MeterError>.adapting(fault: { _ in .silent }, { readMeter(room, completion: $0) })
}

/// Shows a temperature, or the error as older code knows it.
func show(_ room: String, on display: Display, in context: CallbackContext) -> Future<Double, NSError> {
    temperature(room)
        .mapToNSError()
        .onSuccess(on: context) { display.show("\(room): \($0) °C") }
        .onError(on: context) { display.show("\(room): \($0.domain) \($0.code)") }
}

func showTemperatures() async {
    let display = Display()
    let context = CallbackContext.queue(display.queue)
    for room in ["kitchen", "cellar"] {
        // `await` on the future would return as soon as it has a result, which may be before the callbacks have run.
        await withCheckedContinuation { done in
            show(room, on: display, in: context).finally(on: context) { _ in done.resume() }
        }
    }
}

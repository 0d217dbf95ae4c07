import Futures

enum KitchenError: Error {
    case outOfBeans
    case closed
}

let coffee = Promise<Int, KitchenError>(onAbandon: { .closed })
coffee.future
    .onSuccess { print("\($0) cups of coffee") }
    .onError { print("no coffee: \($0)") }
    .finally { _ in print("the kitchen is free") }
coffee.resolve(2)

// Settling a promise a second time has no effect.
print("rejected after that: \(coffee.reject(.outOfBeans))")

let tea = Promise<Int, KitchenError>(onAbandon: { .closed })
Task { tea.reject(.outOfBeans) }
do {
    print("\(try await coffee.future.value) cups, awaited")
    print("\(try await tea.future.value) cups of tea")
} catch {
    // Typed: the compiler knows that this is a KitchenError.
    switch error {
    case .outOfBeans: print("no tea: out of beans")
    case .closed: print("no tea: closed")
    }
}

// A future whose promise is released fails, so that the caller that awaits it continues.
var juice: Promise<Int, KitchenError>? = Promise(onAbandon: { .closed })
if let future = juice?.future {
    async let answer = future.result
    juice = nil
    print("juice: \(await answer)")
}

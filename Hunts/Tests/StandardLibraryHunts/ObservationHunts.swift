import HuntSupport
import Interleaving
import Observation
import Testing

@Observable @MainActor private final class Model {
    var number = 0

    func numbers() -> Observations<Int, Never> {
        Observations { self.number }
    }
}

@Suite struct ObservationHunts {
    @Test func lastValueArrives() {
        hunt("Observations", "the last value arrives, and values arrive in order", hangTimeout: .milliseconds(100)) {
            let model = await Model()
            let observer = Task {
                var values: [Int] = []
                for await value in await model.numbers() {
                    values.append(value)
                    if value == 3 { break }
                }
                return values
            }
            let writer = Task { @MainActor in
                for number in 1...3 {
                    model.number = number
                    await Task.yield()
                }
            }
            let values = await observer.value
            await writer.value
            check(values == values.sorted(), "observed \(values)")
        }
    }

    @Test func cancelledObserverEnds() {
        hunt("Observations", "a cancelled observer ends", hangTimeout: .milliseconds(100)) {
            let model = await Model()
            let observer = Task {
                for await _ in await model.numbers() {}
            }
            let canceller = Task { observer.cancel() }
            let writer = Task { @MainActor in model.number = 1 }
            await observer.value
            await canceller.value
            await writer.value
        }
    }
}

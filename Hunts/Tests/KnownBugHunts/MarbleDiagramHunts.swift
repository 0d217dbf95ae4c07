import HuntSupport
import Interleaving
import Testing

/// swift-async-algorithms: the order of two events of one instant depends on which task runs first.
///
/// <https://github.com/apple/swift-async-algorithms/pull/40>. The first test support for diagrams compared the merged
/// elements with one expected order. Each input ran in a task of its own, so elements of the same tick came in either
/// order. The rework controls the tasks' execution; an expectation that accepts both orders is the other remedy.
///
/// The explorer needs virtual time, with the order of timers of one instant as a choice.
@Suite struct MarbleDiagramHunts {
    private let bug = KnownBug(
        reference: "swift-async-algorithms#40", property: "the merged elements are those of the diagram")

    @Test func oneOrderIsExpectedOfOneTick() {
        bug.isFound("received") {
            let elements = await merge("a-b", "-cd")
            check(elements == ["a0", "c1", "b2", "d2"], "received \(elements)")
        }
    }

    @Test func bothOrdersOfATickAreAccepted() {
        bug.isAbsent {
            let elements = await merge("a-b", "-cd")
            check(
                elements.prefix(2) == ["a0", "c1"] && elements.dropFirst(2).sorted() == ["b2", "d2"],
                "received \(elements)")
        }
    }
}

/// Returns the elements of two inputs with their ticks; `-` is a tick without an element.
private func merge(_ first: String, _ second: String) async -> [String] {
    let elements = Log<String>()
    await withTaskGroup(of: Void.self) { group in
        for input in [first, second] {
            group.addTask {
                for (tick, element) in input.enumerated() {
                    if element != "-" { elements.append("\(element)\(tick)") }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
    }
    return elements.elements
}

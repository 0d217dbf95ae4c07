package import BoardModel
package import ModelJSON
import SeededChance
import Synchronization

/// Calls of the functions of a board's module, natively, with their outcomes: a browser repeats the calls on the
/// WebAssembly module and compares.
package struct ModuleTrace: Sendable {
    /// A call and its outcome.
    package struct Call: Codable, Hashable, Sendable {
        /// The function's name.
        package var function: String
        /// The arguments, as JSON.
        package var arguments: String
        /// What the function returned, as JSON, or the text of the error.
        package var outcome: String
        /// The bit patterns of the numbers to draw.
        package var numbers: [String]
    }

    /// The calls so far.
    package private(set) var calls: [Call] = []
    private var module: BoardModule
    /// The seed of the random numbers from which the module makes identifiers.
    package let seed: UInt64

    /// A trace on an empty board.
    package init(seed: UInt64) {
        self.seed = seed
        let chance = Mutex(SeededChance(seed: seed))
        module = BoardModule(identifierNumbers: IdentifierNumbers { chance.withLock { $0.next() } })
    }

    /// Calls a function.
    ///
    /// - Returns: An object with the `value` and the `effects`; `null` if the function doesn't take the arguments.
    @discardableResult
    package mutating func call(_ function: BoardModule.Function, _ arguments: [JSON] = []) -> JSON {
        let arguments = JSON.array(arguments)
        var (result, text, numbers) = (JSON.null, "", [String]())
        do throws(BoardFormatError) {
            result = try module.call(function, arguments)
            text = Self.text(result)
            numbers = module.numbers.map { String($0.bitPattern, radix: 16) }
        } catch {
            text = "\(function.rawValue): \(error.description)"
        }
        calls.append(
            Call(function: function.rawValue, arguments: Self.text(arguments), outcome: text, numbers: numbers))
        return result
    }

    private static func text(_ json: JSON) -> String { String(decoding: json.bytes, as: UTF8.self) }
}

extension JSON {
    /// An object of some members.
    package static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// Numbers in a list.
    package static func numbers(_ numbers: Double...) -> JSON { .array(numbers.map { .number($0) }) }
}

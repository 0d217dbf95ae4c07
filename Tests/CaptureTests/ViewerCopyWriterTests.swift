import Foundation
import Synchronization
import Testing

@testable import Capture

/// Tests the writing of viewer copies, also of pages that would take long without limits.
///
/// Work is measured by the writer's checks for cancellation, one before each piece of a template.
@Suite(.timeLimit(.minutes(10))) struct ViewerCopyWriterTests {
    private static let mark = "\u{1}mark"

    private static func document(
        _ text: String, references: [String] = [], isQuirky: Bool = false
    ) -> ViewerCopyWriter.Document {
        .init(template: ViewerTemplate(text, references: references, mark: mark), isQuirky: isQuirky)
    }

    /// A page of nested frames, each inside the previous one.
    private static func nested(
        _ count: Int, isQuirky: Bool, text: String, innermost: String
    ) -> [String: ViewerCopyWriter.Document] {
        var documents: [String: ViewerCopyWriter.Document] = [:]
        for number in 0..<count {
            documents["\(number)"] = document(
                "<iframe\(mark)f0z></iframe>\(text)", references: ["\(number + 1)"], isQuirky: isQuirky && number > 0)
        }
        documents["\(count)"] = document(innermost, isQuirky: isQuirky)
        return documents
    }

    private final class Steps: Sendable {
        private let lock = Mutex(0)

        var count: Int { lock.withLock(\.self) }

        func add() -> Int {
            lock.withLock {
                $0 += 1
                return $0
            }
        }
    }

    private static func copy(
        of documents: [String: ViewerCopyWriter.Document], resources: [String: WebArchive.Resource] = [:],
        styleSheets: [String: ViewerTemplate] = [:], limit: Int = 50_000_000, steps: Steps = Steps(),
        maximumSteps: Int = .max
    ) throws(ViewerCopyWriter.Failure) -> String {
        var writer = ViewerCopyWriter(
            resources: resources, documents: documents, styleSheets: styleSheets, limit: limit,
            isCancelled: { steps.add() > maximumSteps })
        return String(decoding: try writer.copy(of: "0"), as: UTF8.self)
    }

    @Test(arguments: [1, 2, 24], ["f", "d"])
    func aFrameThatContainsItselfIsLeftEmpty(count: Int, kind: String) throws {
        let steps = Steps()
        let frames = String(repeating: "<iframe\(Self.mark)\(kind)0z></iframe>", count: count)
        let copy = try Self.copy(
            of: ["0": Self.document(frames, references: ["0"], isQuirky: true)], limit: 20_000, steps: steps,
            maximumSteps: 1_000_000)
        #expect(copy.utf8.count == "<iframe></iframe>".utf8.count * count)
        #expect(steps.count <= 100)
    }

    @Test func framesThatContainEachOtherAreWrittenInBoundedWork() throws {
        let steps = Steps()
        let frames = (0..<6).map { "<iframe\(Self.mark)f\($0)z></iframe>" }.joined()
        let numbers = (0..<6).map { "\($0)" }
        let documents = Dictionary(
            numbers.map { ($0, Self.document(frames, references: numbers, isQuirky: true)) },
            uniquingKeysWith: { first, _ in first })
        let copy = try? Self.copy(of: documents, limit: 20_000, steps: steps, maximumSteps: 1_000_000)
        #expect((copy?.utf8.count ?? 0) <= 20_000)
        #expect(steps.count <= 40_000)
    }

    @Test func framesTooLongForAnAddressAreWrittenInBoundedWork() throws {
        let steps = Steps()
        let innermost = String(repeating: "x", count: 3_000_000)
        let copy = try Self.copy(
            of: Self.nested(28, isQuirky: true, text: "<p>still here", innermost: innermost), steps: steps,
            maximumSteps: 10_000)
        #expect(copy.ranges(of: "still here").count == 28)
        #expect(copy.contains(innermost))
        // Each of the 28 frames has three pieces, and is written at most twice for each frame around it.
        #expect(steps.count < 28 * 28 * 6)
    }

    @Test func shortQuirkyFramesBecomeAddresses() throws {
        let copy = try Self.copy(of: Self.nested(2, isQuirky: true, text: "<p>", innermost: "<b>innermost</b>"))
        #expect(
            copy == "<iframe src=\"data:text/html;charset=utf-8,"
                + "%3Ciframe src=%22data:text/html;charset=utf-8,%253Cb>innermost%253C/b>%22>%3C/iframe>%3Cp>\"></iframe><p>"
        )
    }

    @Test func nestedEscapesAreCountedBeforeTheyAreWritten() {
        let documents = Self.nested(150, isQuirky: false, text: "", innermost: String(repeating: "&", count: 1_000_000))
        #expect(throws: ViewerCopyWriter.Failure.tooLarge) { try Self.copy(of: documents) }
    }

    @Test func framesNestedTooDeepAreLeftOut() throws {
        let copy = try Self.copy(of: Self.nested(1_000, isQuirky: false, text: "<p>level", innermost: ""))
        #expect(copy.ranges(of: "level").count == 201)
        let quirky = try Self.copy(of: Self.nested(1_000, isQuirky: true, text: "<p>level", innermost: ""))
        #expect(quirky.contains("level"))
    }

    @Test func repeatedImportsAreBounded() throws {
        var sheets: [String: ViewerTemplate] = [:]
        let text = String(repeating: "p{}", count: 100_000)
        for number in 0..<31 {
            let imports = String(repeating: "@import url(\"\(Self.mark)s0z\");", count: 100)
            sheets["\(number)"] = ViewerTemplate(imports + text, references: ["\(number + 1)"], mark: Self.mark)
        }
        let steps = Steps()
        let copy = try Self.copy(
            of: ["0": Self.document("<style>\(Self.mark)s0z</style><p>still here", references: ["0"])],
            styleSheets: sheets, limit: 5_000_000, steps: steps, maximumSteps: 1_000_000)
        #expect(copy.contains("still here") && copy.utf8.count <= 5_000_000)
        #expect(steps.count < 100_000)
    }

    @Test func variablesHaveNamesThatThePageDoesNotUse() throws {
        let picture = WebArchive.Resource(data: Data("p".utf8), url: "p", mediaType: "image/png")
        let text =
            "<style>p{--kept:1;--kept0-1:2;--kept1;--kept3-x" + String(repeating: "-x", count: 100_000)
            + ";background:\(Self.mark)v0z;color:\(Self.mark)v0z}</style>"
        let copy = try Self.copy(
            of: ["0": Self.document("\(Self.mark)h0z\(text)", references: ["p"])], resources: ["p": picture])
        #expect(copy.contains("<style>:root{--kept2-0:url(data:image/png;base64,cA==);}</style>"))
        #expect(copy.ranges(of: "var(--kept2-0)").count == 2)
    }

    @Test func cancelledWritingEnds() {
        #expect(throws: ViewerCopyWriter.Failure.cancelled) {
            try Self.copy(of: Self.nested(100, isQuirky: true, text: "", innermost: ""), maximumSteps: 50)
        }
    }
}

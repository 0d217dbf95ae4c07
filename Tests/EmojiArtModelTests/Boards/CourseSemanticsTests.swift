import BoardTraces
import EmojiArtReading
import Foundation
import Testing

@testable import EmojiArtModel

/// Replays the same steps in the course's application and in this one: both must show the same, except for the intended
/// differences, each of which is a row of the table.
@Suite struct CourseSemanticsTests {
    /// The state that both show.
    private struct Shown: Equatable, CustomStringConvertible {
        var emojis: [String]
        var background: String?
        var zoom: Double
        var description: String { "\(emojis) on \(background ?? "nothing"), zoom \(zoom)" }

        init(_ document: CourseDocument) {
            emojis = document.art.emojis.map {
                "\($0.string) \(Double($0.position.x)) \(Double($0.position.y)) \(Double($0.size))"
            }
            background = document.art.background?.absoluteString
            zoom = document.zoom
        }

        init(_ document: OwnDocument) {
            // Adding zero turns a negative zero into a positive one.
            emojis = document.art.emojis.map { "\($0.text) \($0.x + 0) \($0.y + 0) \($0.size)" }
            background = if case .address(let address) = document.art.background { address } else { nil }
            zoom = document.view.zoom
        }
    }

    /// With whole numbers, and without the steps of the table, nothing differs.
    @Test(arguments: 0..<100)
    func wholeNumberStepsGiveSameResultAsCourse(seed: Int) throws {
        _ = try BothDocuments.walk(seed: seed) { both in try #require(Shown(both.course) == Shown(both.own)) }
    }

    /// If an emoji is at the origin, zooming to fit gives the same view too.
    @Test(arguments: 0..<30)
    func zoomToFitMatchesCourseWhenBoundsContainOrigin(seed: Int) {
        var chance = BoardChance(seed: seed)
        var both = BothDocuments()
        both.drop("🐶", at: (400, 300))
        for _ in 0..<5 {
            both.drop("🐱", at: (Double(chance.number(in: 0..<800)), Double(chance.number(in: 0..<600))))
        }
        both.zoomToFit()
        #expect(abs(both.course.zoom - both.own.view.zoom) < 1e-9)
        #expect(abs(both.course.pan.width - both.own.view.pan.x) < 1e-6)
        #expect(abs(both.course.pan.height - both.own.view.pan.y) < 1e-6)
    }

    @Test func courseFileRoundTrips() throws {
        var course = CourseArt()
        course.background = URL(string: "https://example.com/a.png?b=c&d=%20")
        for number in 0..<20 {
            course.addEmoji(
                number.isMultiple(of: 2) ? "🐶" : "🇩🇪", at: .init(x: number * 7 - 50, y: -number), size: 10 + number)
        }
        course[3]?.position.x = -400
        let file = try ArtFile.read(course.json())
        #expect(file.notes == [])
        #expect(try CourseArt(json: file.write(as: .course)) == course)
    }

    // MARK: Intended differences

    /// A difference: the course's result, this app's result, and the reason.
    struct Difference: Sendable, CustomTestStringConvertible {
        var why: String
        var course: String
        var own: String
        var run: @Sendable () throws -> (course: String, own: String)
        var testDescription: String { why }
    }

    @Test(arguments: differences)
    func eachIntendedDifferenceFromCourseExists(difference: Difference) throws {
        let (course, own) = try difference.run()
        #expect(course == difference.course)
        #expect(own == difference.own)
        #expect(course != own)
    }

    static let differences: [Difference] = [
        Difference(
            why: "Coordinates have fractions: a dropped emoji is at the pointer, at any zoom", course: "3 -3",
            own: "3.5 -3.5"
        ) {
            let (course, own) = played {
                $0.pinch([], by: 2)
                $0.drop("🐶", at: (407, 307))
            }
            let (theirs, ours) = (course.art.emojis[0].position, own.art.emojis[0])
            return ("\(theirs.x) \(theirs.y)", "\(ours.x) \(ours.y)")
        },
        Difference(
            why: "A slow drag moves an emoji: fractions of a point add up", course: "0", own: "1.5"
        ) {
            let (course, own) = played {
                $0.drop("🐶", at: (400, 300))
                for _ in 0..<3 { $0.drag([0], by: (0.5, 0)) }
            }
            return ("\(course.art.emojis[0].position.x)", "\(own.art.emojis[0].x)")
        },
        Difference(why: "Sizes have fractions, also those of dropped emoji", course: "13", own: "13.33") {
            let (course, own) = played {
                $0.pinch([], by: 3)
                $0.drop("🐶", at: (400, 300))
            }
            return ("\(course.art.emojis[0].size)", String(format: "%.2f", own.art.emojis[0].size))
        },
        Difference(why: "No emoji shrinks to size zero, from which it couldn't grow again", course: "0", own: "4.0") {
            let (course, own) = played {
                $0.drop("🐶", at: (400, 300))
                $0.pinch([0], by: 0.001)
                $0.pinch([0], by: 40)
            }
            return ("\(course.art.emojis[0].size)", "\(own.art.emojis[0].size)")
        },
        Difference(why: "A new emoji is as large as the others are, at any zoom", course: "20", own: "40.0") {
            var (course, own) = (CourseDocument(), OwnDocument())
            course.drop("🐶", at: (400, 300))
            own.add("🐶", at: (400, 300))
            course.pinch([], by: 2)
            own.pinch([], by: 2)
            course.drop("🐱", at: (500, 300))
            own.add("🐱", at: (500, 300))
            return ("\(course.art.emojis[1].size)", "\(own.art.emojis[1].size)")
        },
        Difference(why: "A step that changes nothing can't be undone", course: "1", own: "0") {
            let (course, own) = played {
                $0.drop("🐶", at: (400, 300))
                $0.drag([0], by: (0, 0))
                $0.undo()
            }
            return ("\(course.art.emojis.count)", "\(own.art.emojis.count)")
        },
        Difference(why: "Zooming to fit distant emoji leaves out the origin", course: "1.905", own: "15.000") {
            let (course, own) = played {
                $0.drop("🐶", at: (800, 300))
                $0.zoomToFit()
            }
            return (String(format: "%.3f", course.zoom), String(format: "%.3f", own.view.zoom))
        },
        Difference(why: "An ID is never used twice, even after undo", course: "the same", own: "another") {
            let (course, own) = played { $0.drop("🐶", at: (400, 300)) }
            let (courseAgain, ownAgain) = played {
                $0.drop("🐶", at: (400, 300))
                $0.undo()
                $0.drop("🐶", at: (400, 300))
            }
            return (
                course.art.emojis[0].id == courseAgain.art.emojis[0].id ? "the same" : "another",
                own.art.emojis[0].id == ownAgain.art.emojis[0].id ? "the same" : "another"
            )
        },
        Difference(why: "Undo reverts a person's own step, and keeps later changes by others", course: "0", own: "1") {
            // Another person adds 🐱 between a step and its undo.
            var course = CourseArt()
            let snapshot = course
            course.addEmoji("🐶", at: .init(x: 0, y: 0), size: 40)
            course.addEmoji("🐱", at: .init(x: 0, y: 0), size: 40)
            course = snapshot
            var own = EmojiArt()
            let undo = own.inverse(of: .add(.test(1, "🐶")))
            try own.apply(.add(.test(1, "🐶")))
            try own.apply(.add(.test(2, "🐱")))
            try own.apply(#require(undo))
            return ("\(course.emojis.count)", "\(own.emojis.count)")
        },
        Difference(why: "Changing a missing emoji is refused", course: "nothing", own: "gone") {
            var course = CourseArt()
            course[7]?.size = 3
            var own = EmojiArt()
            let reason = refusal { () throws(OperationRefusal) in try own.apply(.resize(EmojiID(7), size: 3)) }
            return (course == CourseArt() ? "nothing" : "something", reason?.rawValue ?? "nothing")
        },
        Difference(why: "A pinch zooms at the pointer, not at the board's origin", course: "200.0", own: "100.0") {
            // How far the point under the pointer, 100 points to the right of the middle, is from the middle afterwards.
            var view = ArtView()
            view.zoom(by: 2, at: ViewPoint(x: 500, y: 300), in: ViewSize(width: 800, height: 600))
            let own = view.viewPoint(of: BoardPoint(x: 100, y: 0), in: ViewSize(width: 800, height: 600))
            return ("\(100.0 * 2)", "\(own.x - 400)")
        },
        Difference(why: "An emoji with overlong text isn't imported", course: "1", own: "0") {
            var course = CourseArt()
            course.addEmoji(String(repeating: "x", count: 1000), at: .init(x: 0, y: 0), size: 40)
            let file = try ArtFile.read(course.json())
            return ("\(course.emojis.count)", "\(file.art.emojis.count)")
        },
        Difference(why: "A board is full at 10,000 emoji", course: "10001", own: "full") {
            var course = CourseArt()
            for _ in 0...10_000 { course.addEmoji("🐶", at: .init(x: 0, y: 0), size: 40) }
            var own = EmojiArt.of((1...10_000).map { .test($0) })
            let reason = refusal { () throws(OperationRefusal) in try own.apply(.add(.test(10_001))) }
            return ("\(course.emojis.count)", reason?.rawValue ?? "taken")
        },
        Difference(why: "Two emoji with the same ID in a file get different IDs", course: "1 1", own: "1 2") {
            let json = #"{"emojis":[\#(courseEmoji(1)),\#(courseEmoji(1))],"uniqueEmojiId":1}"#
            let course = try CourseArt(json: Data(json.utf8))
            let own = try ArtFile.read(Data(json.utf8)).art
            return (names(course.emojis.map(\.id)), names(own.emojis.map(\.id)))
        },
        Difference(why: "A file of a newer version is refused", course: "read", own: "from the future") {
            let json = Data(#"{"emojis":[],"uniqueEmojiId":0,"version":2}"#.utf8)
            _ = try CourseArt(json: json)
            do throws(ArtFileError) {
                _ = try ArtFile.read(json)
                return ("read", "read")
            } catch {
                return ("read", error == .newerVersion(version: 2) ? "from the future" : "\(error)")
            }
        },
        Difference(why: "A file doesn't record the IDs of deleted emoji", course: "2", own: "1") {
            var course = CourseArt()
            course.addEmoji("🐶", at: .init(x: 0, y: 0), size: 40)
            course.addEmoji("🐱", at: .init(x: 0, y: 0), size: 40)
            course.remove(2)
            let own = try ArtFile.read(course.json()).write(as: .course)
            return (lastID(try course.json()), lastID(own))
        },
        Difference(why: "A background from a local file isn't read", course: "file:///a.png", own: "blank") {
            let json = Data(#"{"background":"file:///a.png","emojis":[],"uniqueEmojiId":0}"#.utf8)
            return (
                try CourseArt(json: json).background?.absoluteString ?? "none",
                "\(try ArtFile.read(json).art.background)".replacing(/^.*\./, with: "")
            )
        },
        Difference(why: "An emoji in an exported course file is visible, however small it is", course: "0", own: "1") {
            var course = CourseArt()
            course.addEmoji("🐶", at: .init(x: 0, y: 0), size: Int(0.4))
            let file = ArtFile(name: nil, art: .of([.test(1, size: 0.4)]))
            return ("\(course.emojis[0].size)", "\(try CourseArt(json: file.write(as: .course)).emojis[0].size)")
        },
        Difference(
            why: "An imgurl that isn't encoded is found, too",
            course: "https://a.example/?imgurl=https://b.example/?c=d",
            own: "https://b.example/?c=d"
        ) {
            let text = "https://a.example/?imgurl=https://b.example/?c=d"
            guard case .address(let own) = try DroppedAddress.read(text) else { return ("", "none") }
            return (try CourseDocument.imageURL(#require(URL(string: text))).absoluteString, own)
        },
    ]

    private static func played(_ steps: (inout BothDocuments) -> Void) -> (course: CourseDocument, own: OwnDocument) {
        var both = BothDocuments()
        steps(&both)
        return (both.course, both.own)
    }

    private static func courseEmoji(_ id: Int) -> String {
        #"{"string":"🐶","position":{"x":1,"y":2},"size":40,"id":\#(id)}"#
    }

    private static func names(_ ids: [some CustomStringConvertible]) -> String {
        ids.map(\.description).joined(separator: " ")
    }

    private static func lastID(_ json: Data) -> String {
        String(decoding: json, as: UTF8.self).firstMatch(of: /"uniqueEmojiId":(\d+)/).map { String($0.1) } ?? "none"
    }
}

import BoardTraces
import EmojiArtReading
import Foundation
import Testing

@testable import EmojiArtModel

/// Tests files in the app's own format, files in the format of the course CS193p, and files that are no boards.
@Suite struct ArtFileTests {
    private static func read(_ text: String) throws(ArtFileError) -> ArtFile { try ArtFile.read(Data(text.utf8)) }

    private static func error(of data: Data) -> ArtFileError? {
        do throws(ArtFileError) {
            _ = try ArtFile.read(data)
            return nil
        } catch {
            return error
        }
    }

    private static func error(of text: String) -> ArtFileError? { error(of: Data(text.utf8)) }

    private static func element(
        _ id: Int, _ text: String = "🐶", x: String = "1", y: String = "2", size: String = "40"
    ) -> String {
        #"{"string":"\#(text)","position":{"x":\#(x),"y":\#(y)},"size":\#(size),"id":\#(id)}"#
    }

    private static func course(_ elements: String...) -> String {
        #"{"emojis":[\#(elements.joined(separator: ","))],"uniqueEmojiId":\#(elements.count)}"#
    }

    private static let picture = PictureContent(data: Data([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFE]), type: "image/png")

    // MARK: The app's own format

    @Test(arguments: 0..<30)
    func writtenFileReadsBackEqual(seed: Int) throws {
        var chance = BoardChance(seed: seed)
        var art = chance.board()
        try art.apply(.setBackground(.address("https://example.com/a.png")))
        let file = ArtFile(name: "Löwen & <Bären>", art: art, picture: chance.flag() ? Self.picture : nil)
        #expect(try ArtFile.read(file.write(as: .meanwhile)) == file)
    }

    @Test func ownFormatHasExpectedJSON() throws {
        let art = EmojiArt.of([.test(1, x: -0.5)], on: .address("https://example.com/a.png"))
        let json = String(
            decoding: try ArtFile(name: "A", art: art, picture: Self.picture).write(as: .meanwhile), as: UTF8.self)
        #expect(
            json == #"{"art":{"background":{"address":"https://example.com/a.png"},"emojis":"#
                + #"[{"id":"1","size":40,"text":"🐶","x":-0.5,"y":0,"z":1}]},"format":"meanwhile.emojiart","name":"A","#
                + #""picture":{"data":"iVBO R//+","type":"image/png"},"version":1}"#.replacing(" ", with: ""))
        let bare = String(decoding: try ArtFile(name: nil, art: EmojiArt()).write(as: .meanwhile), as: UTF8.self)
        #expect(
            bare
                == #"{"art":{"background":null,"emojis":[]},"format":"meanwhile.emojiart","name":"","picture":null,"version":1}"#
        )
        #expect(try Self.read(bare) == ArtFile(name: nil, art: EmojiArt()))
    }

    @Test func backgroundPictureRoundTripsAndItsAbsenceIsNoted() throws {
        let id = try #require(PictureID(String(repeating: "a", count: 64)))
        let file = ArtFile(name: "A", art: .of([], on: .picture(id)), picture: Self.picture)
        #expect(try ArtFile.read(file.write(as: .meanwhile)) == file)
        let without = try ArtFile.read(ArtFile(name: "A", art: file.art).write(as: .meanwhile))
        #expect(without.art.background == .blank)
        #expect(without.notes == ["The background's picture is not in the file."])
    }

    @Test func angleOfAFileIsReducedToLessThanAFullTurn() throws {
        func file(_ more: String) throws -> ArtFile {
            try Self.read(
                #"{"format":"meanwhile.emojiart","version":1,"art":{"emojis":["#
                    + #"{"id":"1","text":"🐶","x":0,"y":0,"size":40,"z":1\#(more)}]}}"#)
        }
        #expect(try file("").art.emojis == [.test(1)])
        let angles: [(String, Double?)] = [("450", 90), ("-90", 270), ("360", 0), ("-1e-30", 0), ("1e300", nil)]
        for (angle, expected) in angles {
            let emoji = try #require(try file(#","angle":\#(angle),"flipped":true,"locked":true"#).art.emojis.first)
            #expect(emoji.isFlipped && emoji.isLocked && BoardLimits.angles.contains(emoji.angle))
            if let expected { #expect(emoji.angle == expected) }
        }
    }

    @Test func undecodablePictureIsLeftOutWithNote() throws {
        let file = try Self.read(
            #"{"format":"meanwhile.emojiart","version":1,"name":"A","art":{"background":null,"emojis":[]},"#
                + #""picture":{"type":"image/png","data":"~~~"}}"#)
        #expect(file.picture == nil)
        #expect(file.notes.count == 1)
    }

    @Test func overlongNameIsTruncatedAtCharacterBoundary() throws {
        let file = try ArtFile.read(
            ArtFile(name: String(repeating: "👨‍👩‍👧", count: 100), art: EmojiArt()).write(as: .meanwhile))
        #expect(file.name == String(repeating: "👨‍👩‍👧", count: BoardLimits.nameBytes / "👨‍👩‍👧".utf8.count))
        #expect(file.notes == ["The board's name was too long, and was shortened."])
    }

    // MARK: The course's format

    @Test func courseListOrderBecomesDrawingOrder() throws {
        let file = try Self.read(Self.course(Self.element(7, "🐶"), Self.element(3, "🐱"), Self.element(-5, "🐭")))
        #expect(file.name == nil && file.notes == [] && file.art.background == .blank)
        #expect(file.art.emojis.map(\.text) == ["🐶", "🐱", "🐭"])
        #expect(file.art.emojis.map(\.z) == [0, 1, 2])
        #expect(file.art.emojis.map(\.id.rawValue) == ["7", "3", "n5"])
    }

    @Test func courseFileHasWholeNumbersAndNumericIDs() throws {
        let id = try #require(EmojiID("k3Jd"))
        let art = EmojiArt.of(
            [
                .test(12, x: -0.4, y: 2.5, size: 0.2), Emoji(id: id, text: "🐱", x: 1.5, y: -2.5, size: 39.6, z: 20),
                .test(2, z: -1),
            ], on: .address("https://example.com/a.png"))
        let json = String(decoding: try ArtFile(name: "A", art: art).write(as: .course), as: UTF8.self)
        #expect(
            json == #"{"background":"https://example.com/a.png","emojis":["#
                + #"{"id":2,"position":{"x":0,"y":0},"size":40,"string":"🐶"},"#
                + #"{"id":12,"position":{"x":0,"y":3},"size":1,"string":"🐶"},"#
                + #"{"id":13,"position":{"x":2,"y":-3},"size":40,"string":"🐱"}],"uniqueEmojiId":13}"#)
        let course = try CourseArt(json: Data(json.utf8))
        #expect(course.emojis.map(\.id) == [2, 12, 13])
    }

    @Test func idsThatAreNotPlainNumbersAreRenumbered() throws {
        let names = ["007", "+7", "n", "n0", "9223372036854775807", "7"]
        let emojis = try names.enumerated().map { index, name in
            Emoji(
                id: try #require(EmojiID(name == "+7" ? "-7" : name)), text: "🐶", x: 0, y: 0, size: 40, z: Double(index)
            )
        }
        let course = try CourseArt(json: ArtFile(name: nil, art: .of(emojis)).write(as: .course))
        #expect(course.emojis.map(\.id) == [8, 9, 10, 11, 12, 7])
    }

    @Test func absentBackgroundIsBlankAndItsKeyIsOmitted() throws {
        let json = String(decoding: try ArtFile(name: nil, art: EmojiArt()).write(as: .course), as: UTF8.self)
        #expect(json == #"{"emojis":[],"uniqueEmojiId":0}"#)
        #expect(try Self.read(#"{"background":null,"emojis":[],"uniqueEmojiId":0}"#).art == EmojiArt())
        #expect(try Self.read(#"{"emojis":[]}"#).art == EmojiArt())
    }

    @Test func unknownKeysAreIgnored() throws {
        let json =
            #"{"author":{"name":"x"},"emojis":[{"string":"🐶","position":{"x":1,"y":2,"z":3},"size":40.5,"id":1,"rotation":90}],"version":1}"#
        #expect(try Self.read(json).art.emojis == [.test(1, x: 1, y: 2, size: 40.5, z: 0)])
    }

    @Test func dataAddressBecomesPicture() throws {
        let json = #"{"background":"data:image/png;base64,iVBOR//+","emojis":[]}"#
        let file = try Self.read(json)
        #expect(file.picture == Self.picture && file.art.background == .blank && file.notes == [])
        let again = try ArtFile.read(file.write(as: .course))
        #expect(again == file)
    }

    @Test func nonEmojiTextIsAcceptedWithinLimits() throws {
        let file = try Self.read(
            Self.course(
                Self.element(1, "Hello"), Self.element(2, " "), Self.element(3, ""), Self.element(4, "a\\u0000b"),
                Self.element(5, String(repeating: "x", count: 65)), Self.element(6, "<script>")))
        #expect(file.art.emojis.map(\.text) == ["Hello", " ", "<script>"])
        #expect(file.notes == ["3 emoji were left out, because their text is empty, too long, or cannot be shown."])
    }

    @Test func outOfRangeValuesAreClampedWithNote() throws {
        let file = try Self.read(
            Self.course(
                Self.element(1, x: "9223372036854775807", y: "-1e300"), Self.element(2, size: "0"),
                Self.element(3, size: "-5")))
        #expect(file.art.emojis.map(\.x) == [1e7, 1, 1])
        #expect(file.art.emojis.map(\.y) == [-1e7, 2, 2])
        #expect(file.art.emojis.map(\.size) == [40, 0.1, 0.1])
        #expect(
            file.notes == [
                "3 emoji were too far away, too large or too small, and were moved or resized."
            ])
    }

    @Test func duplicateOrInvalidIDsAreReplacedByUnusedOnes() throws {
        let file = try Self.read(Self.course(Self.element(1), Self.element(1), Self.element(2), Self.element(1)))
        #expect(file.art.emojis.map(\.id) == [1, 3, 2, 4].map { EmojiID($0) })
        #expect(file.notes == ["2 emoji had the same IDs as other ones, and got new ones."])
        let own = try Self.read(
            #"{"format":"meanwhile.emojiart","version":1,"art":{"emojis":["#
                + #"{"id":"a b","text":"🐶","x":0,"y":0,"size":1,"z":0},{"id":"1","text":"🐶","x":0,"y":0,"size":1,"z":0}]}}"#
        )
        #expect(Set(own.art.emojis.map(\.id.rawValue)) == ["1", "2"])
        #expect(own.notes == ["An emoji had the same ID as another one, and got a new one."])
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://example.com/a", "picture.png", "data:text/html,<script>", "data:image/png", "",
    ])
    func unsupportedBackgroundIsLeftOutWithNote(address: String) throws {
        let file = try Self.read(#"{"background":"\#(address)","emojis":[\#(Self.element(1))]}"#)
        #expect(file.art.background == .blank && file.picture == nil)
        #expect(file.art.emojis.count == 1 && file.notes.count == 1)
    }

    // MARK: Files that aren't boards

    @Test func emptyFileIsReported() {
        #expect(Self.error(of: "") == .empty)
    }

    @Test func truncatedFileIsReportedAsCorrupt() throws {
        let whole = try ArtFile(name: "A", art: .of([.test(1), .test(2)]), picture: Self.picture).write(as: .meanwhile)
        let course = Data(Self.course(Self.element(1), Self.element(2)).utf8)
        for data in [whole, course] {
            for length in 1..<data.count {
                guard case .corrupt = Self.error(of: data.prefix(length)) else {
                    Issue.record(
                        "\(length) bytes are read as \(String(describing: Self.error(of: data.prefix(length))))")
                    continue
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"emojis":[],"version":2}"#, ArtFileError.newerVersion(version: 2)),
        (#"{"format":"meanwhile.emojiart","version":99,"art":"quite another one"}"#, .newerVersion(version: 99)),
        (#"{"format":"excalidraw","version":1}"#, .anotherFormat("“excalidraw”")),
        (#"{"type":"excalidraw","version":2,"elements":[]}"#, .anotherFormat("JSON without emoji")),
        (#"{"format":7,"version":"1.0"}"#, .anotherFormat("JSON without emoji")),
        ("{}", .anotherFormat("JSON without emoji")),
        ("[]", .corrupt("It is not an object.")),
        ("7", .corrupt("It is not an object.")),
        ("\u{89}PNG", .corrupt("It is not JSON, is cut off, or has a number that is too large.")),
        (
            #"{"format":"meanwhile.emojiart","art":{"background":null,"emojis":[]}}"#,
            .corrupt("version: It is missing.")
        ),
        (#"{"format":"meanwhile.emojiart","version":1}"#, .corrupt("art: It is missing.")),
        (#"{"format":"meanwhile.emojiart","version":1,"art":{"emojis":7}}"#, .corrupt("art.emojis: It is not a list.")),
        (#"{"emojis":null}"#, .corrupt("emojis: It is null.")),
        (#"{"emojis":[{"string":"🐶"}]}"#, .corrupt("emojis[0].position: It is missing.")),
        (#"{"emojis":[{"string":"🐶","position":{"x":"a"}}]}"#, .corrupt("emojis[0].position.x: It is not a number.")),
    ])
    func unreadableFileIsRefusedWithReason(json: String, expected: ArtFileError) {
        #expect(Self.error(of: json) == expected)
    }

    @Test func oversizedFileIsRefusedBeforeParsing() {
        let data = Data(count: BoardLimits.importBytes + 1)
        #expect(Self.error(of: data) == .tooLarge(bytes: BoardLimits.importBytes + 1))
    }

    @Test func fileWithOneEmojiTooManyIsRefused() throws {
        let elements = (0...BoardLimits.emojis).map { Self.element($0) }
        let json = #"{"emojis":[\#(elements.joined(separator: ","))]}"#
        #expect(Self.error(of: json) == .tooMany)
        let fewer = #"{"emojis":[\#(elements.dropLast().joined(separator: ","))]}"#
        #expect(try Self.read(fewer).art.emojis.count == BoardLimits.emojis)
    }

    @Test func millionEmojiAreRefusedBeforeDecoding() {
        // Fewer bytes than a file may have, but more emoji than a board takes.
        let many = Data(#"{"emojis":["#.utf8) + Data(String(repeating: #"{"id":1},"#, count: 1_000_000).utf8)
        #expect(Self.error(of: many) == .tooMany)
        let whole = Data(#"{"emojis":["#.utf8) + Data(String(repeating: Self.element(1) + ",", count: 1_000_000).utf8)
        #expect(Self.error(of: whole) == .tooLarge(bytes: whole.count))
        // Commas and braces within a text aren't counted.
        let text = #"{"emojis":[],"comment":"\#(String(repeating: #"{,[\""#, count: 400_000))"}"#
        #expect(Self.error(of: text) == nil)
    }

    @Test func eachErrorSaysWhatHappenedAndWhatToDo() {
        let errors: [ArtFileError] = [
            .empty, .tooLarge(bytes: 50_000_000), .tooMany, .newerVersion(version: 2), .anotherFormat("a picture"),
            .corrupt("It is null."), .unwritable("Because."),
        ]
        #expect(
            errors.allSatisfy {
                $0.description.hasSuffix(".") && ($0.description.contains(". ") || $0.description.contains(": "))
            })
        #expect(errors[1].description.contains("40 MB") && errors[2].description.contains("10000"))
    }
}

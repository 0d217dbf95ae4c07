import Foundation
import Testing

@testable import EmojiArtModel

/// Tests a palette and the operations of its editor.
@Suite struct PaletteTests {
    private func palette(_ emojis: String, name: String = "Pets") throws -> Palette {
        try Palette(id: 1, name: name, emojis: emojis.map(String.init))
    }

    private func refusal(_ body: () throws(PaletteError) -> Void) -> PaletteError? {
        do throws(PaletteError) { try body() } catch { return error }
        return nil
    }

    @Test func addedEmojiComeFirstWithoutDuplicates() throws {
        var palette = try palette("🐶🐱")
        #expect(try palette.add("🐭🐹") == ["🐭", "🐹"])
        #expect(palette.emojis == ["🐭", "🐹", "🐶", "🐱"])
        #expect(try palette.add("🐰 and 🐰") == ["🐰"])
        #expect(palette.emojis == ["🐰", "🐭", "🐹", "🐶", "🐱"])
    }

    @Test func addingExistingEmojiMovesItToFront() throws {
        var palette = try palette("🐶🐱🐭")
        try palette.add("🐱")
        #expect(palette.emojis == ["🐱", "🐶", "🐭"])
        // It is the same emoji with and without the variation selector.
        try palette.add("☀️")
        try palette.add("☀")
        #expect(palette.emojis == ["☀️", "🐱", "🐶", "🐭"])
    }

    @Test func onlyEmojiAreAdded() throws {
        var palette = try palette("🐶")
        try palette.add("a 1 👩‍👩‍👧 # 🇦🇹 © 3️⃣ ∞")
        #expect(palette.emojis == ["👩‍👩‍👧", "🇦🇹", "3️⃣", "🐶"])
        #expect(refusal { () throws(PaletteError) in try palette.add("text") } == .noEmoji("text"))
        #expect(refusal { () throws(PaletteError) in try palette.add("") } == .noEmoji(""))
        #expect(palette.emojis.count == 4)
    }

    @Test func addingEmojiKeepsMathSigns() throws {
        var math = try Palette(id: 1, name: Palette.math.name, emojis: Palette.math.emojis)
        try math.add("🧮")
        #expect(math.emojis == ["🧮", "+", "−", "×", "÷", "∝", "∞"])
    }

    @Test func removeDeletesOnlyGivenEmoji() throws {
        var palette = try palette("🐶🐱")
        palette.remove("🐶")
        palette.remove("🐶")
        palette.remove("nothing")
        #expect(palette.emojis == ["🐱"])
        palette.remove("🐱")
        #expect(palette.emojis == [])
    }

    @Test func nameIsTrimmedAndInvalidNameIsRefused() throws {
        var palette = try palette("🐶", name: " Pets \n")
        #expect(palette.name == "Pets")
        try palette.rename(to: "\tAnimals and 👩‍👩‍👧 ")
        #expect(palette.name == "Animals and 👩‍👩‍👧")
        for name in [
            "", "  \n", "a\nb", "a\u{0}b", "a\u{2028}b", "\u{200B}", "\u{200D}\u{2060}",
            String(repeating: "é", count: 501),
        ] {
            #expect(refusal { () throws(PaletteError) in try palette.rename(to: name) } == .name)
            #expect(refusal { () throws(PaletteError) in _ = try Palette(id: 1, name: name, emojis: []) } == .name)
        }
        #expect(palette.name == "Animals and 👩‍👩‍👧")
        try palette.rename(to: String(repeating: "é", count: 500))
    }

    @Test func initializerDropsDuplicateAndInvisibleEmoji() throws {
        let palette = try Palette(
            id: 1, name: "a", emojis: ["🐶🐱", "🐶", "", " ", "\u{0}", "\n", "\u{200B}", "a\u{301}", "á"])
        #expect(palette.emojis == ["🐶", "🐱", "á"])
        let endless = String(repeating: "\u{301}", count: 100)
        #expect(try Palette(id: 1, name: "a", emojis: ["a" + endless]).emojis == [])
    }

    @Test func fullPaletteRefusesMoreEmoji() throws {
        let all = EmojiSearch.index.hits.map(\.emoji)
        let limit = BoardLimits.paletteEmojis
        var palette = try Palette(id: 1, name: "Full", emojis: Array(all.prefix(limit)))
        #expect(refusal { () throws(PaletteError) in try palette.add(all[limit]) } == .tooManyEmojis)
        #expect(palette.emojis == Array(all.prefix(limit)))
        // Adding an emoji that is in the palette takes no room.
        try palette.add(all[limit - 1])
        #expect(palette.emojis.first == all[limit - 1] && palette.emojis.count == limit)
        let more = Array(all.prefix(limit + 1))
        #expect(
            refusal { () throws(PaletteError) in _ = try Palette(id: 1, name: "a", emojis: more) } == .tooManyEmojis)
    }

    @Test func nameFieldComesFirstWhenNameIsEmpty() {
        #expect(PaletteField.first(forName: "") == .name)
        #expect(PaletteField.first(forName: " \n") == .name)
        #expect(PaletteField.first(forName: "Pets") == .addition)
    }

    @Test func paletteJSONHasThreeFields() throws {
        let palette = try palette("🐶🐱")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(palette)
        #expect(String(decoding: data, as: UTF8.self) == #"{"emojis":["🐶","🐱"],"id":1,"name":"Pets"}"#)
        #expect(try JSONDecoder().decode(Palette.self, from: data) == palette)
    }

    @Test func handWrittenJSONIsRepairedOrRefused() throws {
        let text = #"{"id":7,"name":" \n","emojis":["🐶🐱","","🐶"," "],"colour":"red"}"#
        let palette = try JSONDecoder().decode(Palette.self, from: Data(text.utf8))
        #expect(palette.id == 7 && palette.name == "Palette" && palette.emojis == ["🐶", "🐱"])
        #expect(try JSONDecoder().decode(Palette.self, from: Data(#"{"id":7}"#.utf8)).emojis == [])
        for text in ["{}", #"{"id":"7"}"#, #"{"id":1.5}"#, #"{"id":7,"emojis":"🐶"}"#, #"{"id":1e400}"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Palette.self, from: Data(text.utf8)) }
        }
    }

    @Test func freshIDsAreUniqueAndSafeInJavaScript() {
        let numbers = Set((0..<1_000).map { _ in Palette.freshID() })
        #expect(numbers.count == 1_000)
        #expect(numbers.allSatisfy { (1_000_000..<(1 << 53)).contains($0) })
    }

    @Test func eachRefusalSaysWhatToDo() {
        let refusals: [PaletteError] = [
            .noPalette, .noStore("Mine", known: PaletteStores.names), .lastPalette, .name, .noEmoji("x"), .noEmoji(" "),
            .tooManyPalettes, .tooManyEmojis, .newerVersion("Use the newer program."), .failed("Try again."),
        ]
        for refusal in refusals { #expect(refusal.description.hasSuffix(".")) }
        #expect(PaletteError.noEmoji(String(repeating: "x", count: 500)).description.count < 100)
    }
}

import BoardTraces
import Testing

@testable import EmojiArtModel

/// Tests boards as SVG.
@Suite struct ArtSVGTests {
    @Test func emojiAreDrawnBackToFrontWithInvertedY() {
        let art = EmojiArt.of([.test(2, "🐱", x: -30, y: 20.5, size: 10), .test(1, "🐶", x: 100, y: 50)])
        #expect(
            ArtSVG().text(of: art)
                == #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-35 -70 155 54.5" aria-hidden="true">"#
                + #"<g font-family="\#(ArtSVG.fonts)" text-anchor="middle">"#
                + #"<text x="100" y="-36" font-size="40">🐶</text><text x="-30" y="-17" font-size="10">🐱</text></g></svg>"#
        )
    }

    @Test func rotatedAndFlippedEmojiAreTransformedAroundTheirMiddle() {
        var emoji = Emoji.test(1, "🐶", x: 100, y: 50)
        emoji.angle = 22.5
        #expect(
            ArtSVG().text(of: .of([emoji])).contains(
                #"<text transform="translate(100 -50) rotate(22.5)" y="14" font-size="40">🐶</text>"#))
        emoji.isFlipped = true
        #expect(ArtSVG().text(of: .of([emoji])).contains("translate(100 -50) rotate(22.5) scale(-1 1)"))
        emoji.angle = 0
        #expect(ArtSVG().text(of: .of([emoji])).contains(#""translate(100 -50) scale(-1 1)""#))
    }

    @Test func pictureIsCentredOnOriginBehindEmoji() {
        let picture = ArtSVG.Picture(address: "/a?b=1&c=2", size: ViewSize(width: 300, height: 100))
        let svg = ArtSVG(picture: picture, title: "My <board>").text(of: EmojiArt())
        #expect(svg.contains(#"viewBox="-150 -50 300 100" role="img"><title>My &lt;board&gt;</title>"#))
        #expect(svg.contains(#"<image href="/a?b=1&amp;c=2" x="-150" y="-50" width="300" height="100"/><g "#))
    }

    @Test func opaqueDrawingHasWhiteGroundBehindEverything() {
        let part = BoardRect(from: BoardPoint(x: -5, y: 0), to: BoardPoint(x: 10, y: 20))
        let picture = ArtSVG.Picture(address: "/a", size: ViewSize(width: 3, height: 1))
        let svg = ArtSVG(picture: picture, part: part, isTransparent: false).text(of: EmojiArt())
        #expect(svg.contains(##"><rect x="-5" y="-20" width="15" height="20" fill="#fff"/><image "##))
        #expect(!ArtSVG(picture: picture, part: part).text(of: EmojiArt()).contains("<rect"))
    }

    @Test func textIsEscapedInElementsAndAttributes() {
        let art = EmojiArt.of([.test(1, "</text><script>"), .test(2, "\"'&\u{FFFF}")])
        let picture = ArtSVG.Picture(address: "\"><script>", size: ViewSize(width: 1, height: 1))
        let svg = ArtSVG(picture: picture, title: "</title><script>\u{0}").text(of: art)
        #expect(!svg.contains("<script>") && !svg.contains("\u{FFFF}") && !svg.contains("\u{0}"))
        #expect(svg.contains("&lt;/text&gt;&lt;script&gt;</text>"))
        #expect(svg.contains(">&quot;&#39;&amp;</text>"))
        #expect(svg.contains("href=\"&quot;&gt;&lt;script&gt;\""))
    }

    @Test func limitedSVGHasLargestEmojiInDrawingOrder() {
        let art = EmojiArt.of((0..<50).map { .test($0, "\($0)", size: Double(1 + ($0 * 7) % 50)) })
        let svg = ArtSVG(maximumEmojis: 3).text(of: art)
        #expect(svg.split(separator: "<text ").count == 4)
        let texts = art.emojis.filter { $0.size >= 48 }.map { ">\($0.text)<" }
        let places = texts.compactMap { svg.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        // The view box still covers the whole board.
        #expect(svg.split(separator: ">")[0] == ArtSVG().text(of: art).split(separator: ">")[0])
        #expect(!ArtSVG(maximumEmojis: 0).text(of: art).contains("<text "))
    }

    @Test func viewBoxCoversGivenPart() {
        let part = BoardRect(from: BoardPoint(x: 0, y: 0), to: BoardPoint(x: 10, y: 20))
        #expect(ArtSVG(part: part).text(of: EmojiArt()).contains(#"viewBox="0 -20 10 20""#))
        #expect(ArtSVG().text(of: EmojiArt()).contains(#"viewBox="-200 -150 400 300""#))
    }
}

import Formats
import Futures
import Testing

@testable import Site

@Suite(.timeLimit(.minutes(10))) struct LivePartsTests {
    @Test func partsAreMadeOnceForReadersWithTheSameFormats() {
        let count = Lock(0)
        let parts = LiveParts {
            count.withLock { $0 += 1 }
            return ["number": ReaderFormats.current.number(1_234.5)]
        }
        for _ in 1...2 {
            #expect(parts.parts(for: ReaderFormats(languages: "de-DE", zone: "UTC")) == ["number": "1.234,5"])
            #expect(parts.parts(for: ReaderFormats(languages: "en-US", zone: "UTC")) == ["number": "1,234.5"])
        }
        let makeCount = count.withLock { $0 }
        #expect(makeCount == 2)
    }

    @Test func partsAreStoredForALimitedNumberOfFormats() {
        let parts = LiveParts { ["number": ReaderFormats.current.number(1_234.5)] }
        for languages in ["de-DE", "en-US"] {
            for hours in 1...12 {
                let formats = ReaderFormats(languages: languages, zone: "Etc/GMT-\(hours)")
                #expect(parts.parts(for: formats) == ["number": languages == "de-DE" ? "1.234,5" : "1,234.5"])
                #expect((1...LiveParts.maximumCount).contains(parts.count))
            }
        }
    }
}

import HTTPTypes
import Testing

@testable import HTTPFetching

@Suite struct CacheControlTests {
    private func seconds(_ lines: String...) -> Int? { CacheControl(lines).seconds("max-age") }

    @Test func numbersAreRead() {
        #expect(seconds("max-age=3600") == 3600)
        #expect(seconds("MaX-AgE=3600") == 3600)
        #expect(seconds("max-age=003600") == 3600)
        #expect(seconds(#"max-age="3600""#) == 3600)
        #expect(seconds("foobar, max-age=3600, other=7") == 3600)
        #expect(seconds("no-cache", "max-age=1") == 1)
        #expect(seconds("max-age=2147483649") == 2_147_483_648)
        #expect(seconds("max-age=99999999999999999999999") == 2_147_483_648)
    }

    @Test func whatIsNoNumberIsStale() {
        for value in ["-3600", "3600.0", "3600.5", "a3600", "3600a", "'3600'", ""] {
            #expect(seconds("max-age=\(value)") == 0, "\(value)")
        }
        #expect(seconds("max-age") == 0)
    }

    @Test func ofSeveralTheLeastHolds() {
        #expect(seconds("max-age=3600, max-age=1") == 1)
        #expect(seconds("max-age=1", "max-age=3600") == 1)
        #expect(seconds("max-age=10, max-age=a") == 0)
    }

    @Test func spaceAroundTheSignIsNotUnderstood() {
        #expect(seconds("max-age =100") == nil)
        #expect(seconds("max-age= 100") == nil)
    }

    @Test func whatIsInQuotesIsAValue() {
        #expect(seconds(#"extension="max-age=3600", max-age=1"#) == 1)
        #expect(seconds(#"max-age=1, extension="max-age=3600""#) == 1)
        #expect(seconds(#"extension="a, max-age=3600""#) == nil)
        #expect(seconds(#"extension="a\", max-age=7", max-age=5"#) == 5)
        #expect(CacheControl([#"no-cache="a, b", public"#]).contains("public"))
        #expect(!CacheControl([#"a="no-store"#]).contains("no-store"))
    }

    @Test func namesAlone() {
        let control = CacheControl(["No-StOrE,, ,no-cache=\"a\"", "max-stale"])
        #expect(control.contains("no-store") && control.contains("no-cache") && !control.contains("public"))
        #expect(control.secondsIfAny("max-stale") == .max)
        #expect(CacheControl(["max-stale=5"]).secondsIfAny("max-stale") == 5)
        #expect(CacheControl(["public"]).secondsIfAny("max-stale") == nil)
        #expect(CacheControl([]).isEmpty && !control.isEmpty)
    }
}

import Testing

@Suite struct PlaceTests {
    @Test func theTargetIsThere() {}
}

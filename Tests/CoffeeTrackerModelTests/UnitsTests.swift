import Testing

@testable import CoffeeTrackerModel

/// Tests how times and volumes are written in the owner's units.
@Suite struct UnitsTests {
    @Test(arguments: [
        (0, "00:00", "12:00 AM"), (5, "00:05", "12:05 AM"), (719, "11:59", "11:59 AM"), (720, "12:00", "12:00 PM"),
        (785, "13:05", "1:05 PM"), (1439, "23:59", "11:59 PM"),
    ])
    func minutesAreWrittenInBothClocks(minutes: Int, twentyFour: String, twelve: String) {
        #expect(ClockFormat.twentyFour.text(minutes) == twentyFour)
        #expect(ClockFormat.twelve.text(minutes) == twelve)
    }

    @Test(arguments: [(0, "00:00", "12 AM"), (12, "12:00", "12 PM"), (15, "15:00", "3 PM")])
    func hoursBelowAChartAreShort(hour: Int, twentyFour: String, twelve: String) {
        #expect(ClockFormat.twentyFour.text(hour: hour) == twentyFour)
        #expect(ClockFormat.twelve.text(hour: hour) == twelve)
    }

    @Test(arguments: [(30.0, "30 ml", "1 fl oz"), (200, "200 ml", "6.8 fl oz"), (355, "355 ml", "12 fl oz")])
    func volumesAreRoundedInBothUnits(volume: Double, millilitres: String, ounces: String) {
        #expect(VolumeUnit.millilitres.text(volume) == millilitres)
        #expect(VolumeUnit.ounces.text(volume) == ounces)
    }

    @Test func fieldsHaveTheExactVolumeOrTwoDecimals() {
        #expect(VolumeUnit.millilitres.field(62.5) == "62.5")
        #expect(VolumeUnit.ounces.field(200) == "6.76")
        #expect(VolumeUnit.ounces.field(16 * VolumeUnit.ounces.volume) == "16")
    }
}

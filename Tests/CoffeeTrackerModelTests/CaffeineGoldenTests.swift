import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Compares levels, answers and curves with those of the formulas before they moved to CaffeineModel.
///
/// The values were computed with the exponential function and the logarithm of the C library, to all digits.
@Suite struct CaffeineGoldenTests {
    struct Golden: Sendable {
        var halfLife = 5.0
        var isSimple = false
        var threshold = 35.0
        var drinks: [Drink]
        /// The levels at the time of the question: the usual one, the lower and the upper bound.
        var levels: [Double]
        /// When they fall below the threshold, in seconds since 1970.
        var below: [Double]
        var atBedtime: Double
        var most: Double
        /// The latest times for 20, 90, 160 and 1900 mg.
        var latest: [CaffeineAnswers.LatestTime]
        /// The three levels at some points of the chart.
        var curve: [Int: [Double]]
    }

    private static let now = moment("2026-03-14 08:00")
    private static let morning = [Drink.test(1, 96, at: moment("2026-03-14 05:00"))]
    private static let day = [
        Drink.test(5, 192, at: moment("2026-03-13 21:15"), sipping: 20),
        .test(1, 96, at: moment("2026-03-14 05:00")), .test(3, 64, at: moment("2026-03-14 06:10")),
        .test(2, 120, at: moment("2026-03-14 07:30"), sipping: 60), .test(4, 80, at: moment("2026-03-14 10:00")),
    ]
    private static let never = [CaffeineAnswers.LatestTime](repeating: .never, count: 4)

    private static func until(_ seconds: Double) -> CaffeineAnswers.LatestTime {
        .until(Date(timeIntervalSince1970: seconds))
    }

    static let goldens = [
        Golden(
            drinks: morning, levels: [65.16504776241364, 50.35512778728146, 75.34761757583941],
            below: [1773491341.3965225, 1773480867.6761985, 1773507058.7806463], atBedtime: 8.730275955787743,
            most: 190.5813217163086, latest: [.anyTime, until(1_773_494_682), until(1_773_479_741), .never],
            curve: [
                40: [0, 0, 0], 85: [66.68099507502548, 65.76782818491455, 67.20143680681552],
                96: [65.16504776241364, 50.35512778728148, 75.34761757583937],
                105: [47.70363363218554, 29.94136005114667, 62.001906642518826],
                192: [2.3392195225080044, 0.19669986199446726, 9.418456670215456],
            ]),
        Golden(
            drinks: day, levels: [198.54325540195734, 147.88788319623623, 246.16854064682073],
            below: [1773538067.2314277, 1773511991.8798118, 1773579236.5505908], atBedtime: 52.77954373563518, most: 0,
            latest: never,
            curve: [
                40: [0, 0, 0], 85: [133.3751742416666, 98.74311445552382, 166.33997971153548],
                96: [198.54325540195742, 147.88788319623626, 246.16854064682056],
                105: [264.4529982417193, 196.28650712898647, 328.5531198090856],
                192: [14.141928585156922, 1.4498850800605325, 53.507278402663786],
            ]),
        Golden(
            isSimple: true, drinks: day, levels: [215.21591103058572, 163.21531273472874, 264.0952571668913],
            below: [1773537328.0657768, 1773511245.5421925, 1773578501.3392925], atBedtime: 51.298410459052356, most: 0,
            latest: never,
            curve: [
                85: [157.55245207747015, 122.04493103659237, 191.34265515918702],
                96: [215.21591103058583, 163.2153127347288, 264.0952571668911],
                105: [280.30277517830507, 210.37700411109896, 346.06160351528547],
                192: [13.74506875007669, 1.382072411006559, 52.56880625781961],
            ]),
        Golden(
            halfLife: 7.9, threshold: 20, drinks: day,
            levels: [244.94703514307614, 193.03832357506266, 286.9042995607181],
            below: [1773600806.0629518, 1773548361.1614997, 1773681209.2953725], atBedtime: 119.67792733040241, most: 0,
            latest: never,
            curve: [
                85: [165.503179439743, 129.54307785513797, 193.87925109492153],
                96: [244.94703514307642, 193.03832357506278, 286.9042995607181],
                105: [326.8994337321396, 257.0726503082442, 384.1215295699991],
                192: [52.00151100701089, 11.681014488569012, 123.68037053903399],
            ]),
    ]

    private func settings(_ golden: Golden) -> CoffeeSettings {
        var settings = CoffeeSettings()
        settings.halfLife = golden.halfLife
        settings.usesSimpleDecay = golden.isSimple
        settings.threshold = golden.threshold
        return settings
    }

    private func isNear(_ first: Double, _ second: Double) -> Bool { abs(first - second) <= 1e-12 * abs(second) }

    @Test(arguments: CaffeineGoldenTests.goldens) func answersAreThoseOfTheFormulas(golden: Golden) {
        let settings = settings(golden)
        let answers = CaffeineAnswers(drinks: golden.drinks.shuffled(), settings: settings, at: Self.now)
        let levels = [answers.currentMilligrams, answers.low, answers.high]
        #expect(zip(levels, golden.levels).allSatisfy { isNear($0, $1) }, "\(levels)")
        let times = answers.belowThresholdTimes
        let below = [answers.belowThresholdAt, times.early, times.late].map { $0.timeIntervalSince1970 }
        // Searched for to within a thousandth of a second.
        #expect(zip(below, golden.below).allSatisfy { abs($0 - $1) < 0.002 }, "\(below)")
        #expect(isNear(answers.atBedtime, golden.atBedtime), "\(answers.atBedtime)")
        #expect(abs(answers.largestDoseForSleep - golden.most) < 0.001, "\(answers.largestDoseForSleep)")
        let latest = [20.0, 90, 160, 1900].map { answers.latestTime(for: $0) }
        #expect(latest == golden.latest, "\(latest)")
        #expect(answers.bedtime == moment("2026-03-14 22:30"))
    }

    @Test func latestTimeOfASippedDrinkIsThatOfTheFormulas() {
        let answers = CaffeineAnswers(drinks: Self.morning, settings: CoffeeSettings(), at: Self.now)
        #expect(answers.latestTime(for: 160, sipping: 7200) == Self.until(1_773_476_057))
    }

    @Test(arguments: CaffeineGoldenTests.goldens) func curveIsThatOfTheFormulas(golden: Golden) {
        let timeline = Timeline(
            drinks: golden.drinks.shuffled(), settings: settings(golden), from: Self.now - 24 * 3600,
            length: 48 * 3600, step: 900)
        #expect(timeline.entries.count == 193)
        for (index, levels) in golden.curve {
            let entry = timeline.entries[index]
            let values = [entry.milligrams, entry.low, entry.high]
            #expect(zip(values, levels).allSatisfy { isNear($0, $1) }, "\(index): \(values)")
        }
    }

    @Test func memoryIsThatOfTheFormulas() {
        #expect(isNear(CoffeeSettings().contributionTime, 432598.1054660675))
        #expect(isNear(CoffeeSettings.sample.contributionTime, 425886.1165310241))
    }
}

/// A drink's contribution to the level: its caffeine, when drinking begins, and how long it takes.
package struct DrinkIntake: Hashable, Sendable {
    /// When drinking begins, in seconds since 1970.
    package var start: Double
    /// The drinking time, in seconds; zero if it is drunk at once.
    package var sipping: Double
    /// The caffeine, in milligrams.
    package var milligrams: Double

    package init(start: Double, sipping: Double = 0, milligrams: Double) {
        (self.start, self.sipping, self.milligrams) = (start, sipping, milligrams)
    }

    /// When drinking ends, in seconds since 1970.
    package var end: Double { start + sipping }
}

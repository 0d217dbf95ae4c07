/// A clockwise rotation of a board's points.
///
/// It is computed by additions and multiplications alone: Embedded Swift has no C library, and a server and a browser
/// compute the same bits. Multiples of 90° are exact.
struct Rotation: Hashable, Sendable {
    /// The cosine of the angle.
    let cosine: Double
    /// The sine of the angle.
    let sine: Double

    /// Creates a rotation by an angle in degrees.
    init(degrees: Double) {
        let angle = Emoji.normalizedAngle(degrees)
        let quarters = (angle / 90 + 0.5).rounded(.down)
        // At most an eighth of a turn, so that the series converge quickly.
        let radians = (angle - quarters * 90) * (Double.pi / 180)
        let square = radians * radians
        let sine = Self.series(beginningWith: radians, square: square, count: 2)
        let cosine = Self.series(beginningWith: 1, square: square, count: 1)
        switch Int(quarters) % 4 {
        case 0: (self.cosine, self.sine) = (cosine, sine)
        case 1: (self.cosine, self.sine) = (-sine, cosine)
        case 2: (self.cosine, self.sine) = (-cosine, -sine)
        default: (self.cosine, self.sine) = (sine, -cosine)
        }
    }

    /// The Taylor series of the sine or the cosine: each term is the one before, times −x² / (n · (n + 1)).
    private static func series(beginningWith first: Double, square: Double, count: Int) -> Double {
        var (term, sum, count) = (first, first, count)
        for _ in 0..<9 {
            term *= -square / Double(count * (count + 1))
            sum += term
            count += 2
        }
        return sum
    }

    /// A point after a clockwise rotation around the origin, with y growing upwards.
    func rotated(_ point: BoardPoint) -> BoardPoint {
        BoardPoint(x: point.x * cosine + point.y * sine, y: point.y * cosine - point.x * sine)
    }

    /// The side of the upright square around a rotated square, as a multiple of that square's side.
    static func boundingFactor(ofAngle angle: Double) -> Double {
        if angle == 0 { return 1 }
        let rotation = Rotation(degrees: angle)
        return abs(rotation.cosine) + abs(rotation.sine)
    }
}

extension Rotation {
    /// The angle from the axis of x to a direction, in degrees from −180 to 180; positive on the side of positive y.
    static func angle(x: Double, y: Double) -> Double {
        let isSteep = abs(y) > abs(x)
        let (shorter, longer) = isSteep ? (abs(x), abs(y)) : (abs(y), abs(x))
        guard longer > 0 else { return 0 }
        var tangent = shorter / longer
        // Halves the angle twice, so that the series of the arctangent converges quickly.
        for _ in 0..<2 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
        var (power, sum) = (tangent, tangent)
        for count in 1...12 {
            power *= -tangent * tangent
            sum += power / Double(2 * count + 1)
        }
        let degrees = 4 * sum * (180 / Double.pi)
        let fromAxis = isSteep ? 90 - degrees : degrees
        let magnitude = x < 0 ? 180 - fromAxis : fromAxis
        return y < 0 ? -magnitude : magnitude
    }
}

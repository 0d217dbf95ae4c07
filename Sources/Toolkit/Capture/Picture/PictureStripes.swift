/// How a picture that is taller than the window is divided into stripes.
enum PictureStripes {
    /// The top edges of the stripes, in CSS pixels.
    ///
    /// All stripes but the last have the same height, which is a whole number of device pixels.
    ///
    /// - Parameters:
    ///   - height: The height of the picture in CSS pixels.
    ///   - tallest: The maximum height of a stripe in CSS pixels.
    ///   - scale: The number of device pixels per CSS pixel.
    /// - Returns: The top edges, from 0.
    static func tops(height: Double, tallest: Int, scale: Double) -> [Double] {
        // The smallest distance that is a whole number of device pixels.
        let unit = (1...100).first { (Double($0) * scale).rounded() == Double($0) * scale } ?? 1
        let stripe = Double(max(tallest / unit, 1) * unit)
        return Array(stride(from: 0, to: height, by: stripe))
    }
}

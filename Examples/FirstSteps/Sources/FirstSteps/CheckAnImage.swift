import ImageInfo

/// Describes an upload: its type and size, or why it's refused.
func verdict(on upload: some Collection<UInt8>) -> String {
    do {
        let image = try ImageHeader(upload, limits: ImageLimits(maximumPixels: 20_000_000))
        return "\(image.format.mediaType), \(image.width) × \(image.height) pixels"
    } catch {
        return "\(error.code): \(error.message)"
    }
}

/// Reads an image's size from the parts of a download, as soon as enough of them have arrived.
func sizeDuringDownload(of parts: [[UInt8]]) throws(ImageError) -> String {
    var received: [UInt8] = []
    var wanted = 0
    for (index, part) in parts.enumerated() {
        received += part
        let isComplete = index == parts.count - 1
        guard received.count >= wanted || isComplete else { continue }
        switch try ImageHeader.read(received, isComplete: isComplete) {
        case .header(let image): return "\(image.width) × \(image.height) pixels, after \(received.count) bytes"
        case .needs(let count): wanted = count
        }
    }
    return "nothing arrived"
}

/// The header fields with which to serve an untrusted image.
func headerFields(for image: ImageHeader) -> [String] {
    image.format.headersForUntrustedImages.map { "\($0.name): \($0.value)" }
}

/// The beginning of a PNG, and zeros up to 100 bytes.
func png(width: Int, height: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    bytes += "IHDR".utf8
    for number in [width, height] {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes + [UInt8](repeating: 0, count: 100 - bytes.count)
}

func checkImages() {
    let picture = png(width: 640, height: 480)
    print(verdict(on: picture))
    print(verdict(on: Array("<!DOCTYPE html><title>Not found</title>".utf8)))
    print(verdict(on: picture.prefix(10)))
    print(verdict(on: png(width: 60_000, height: 60_000)))
    print("a document:", SniffedType(sniffing: Array("%PDF-1.7".utf8)).name)
    let parts = stride(from: 0, to: picture.count, by: 16).map { start in
        Array(picture[start..<min(start + 16, picture.count)])
    }
    do {
        print(try sizeDuringDownload(of: parts))
        for field in headerFields(for: try ImageHeader(picture)) { print(field) }
    } catch {
        print(error.message)
    }
}

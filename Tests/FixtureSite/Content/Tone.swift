/// A sound: one second of a square wave of 440 Hz, 8 bits, 8 kHz, mono, as a WAV file.
enum Tone {
    /// The file.
    static let file: [UInt8] = {
        let rate = 8000
        let samples = (0..<rate).map { UInt8($0 * 440 * 2 / rate % 2 == 0 ? 0x70 : 0x90) }
        var file = Array("RIFF".utf8)
        file.append(littleEndian: UInt32(36 + samples.count))
        file += Array("WAVEfmt ".utf8)
        file.append(littleEndian: UInt32(16))
        file.append(littleEndian: UInt16(1))
        file.append(littleEndian: UInt16(1))
        file.append(littleEndian: UInt32(rate))
        file.append(littleEndian: UInt32(rate))
        file.append(littleEndian: UInt16(1))
        file.append(littleEndian: UInt16(8))
        file += Array("data".utf8)
        file.append(littleEndian: UInt32(samples.count))
        return file + samples
    }()
}

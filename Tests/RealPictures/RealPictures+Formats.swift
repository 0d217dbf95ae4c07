public import Foundation

// Made once by Pillow 13.
extension RealPictures {
    /// A JPEG of 12 by 8 pixels.
    public static let jpeg = decoded(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWG\
        kJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk\
        pKSkpKSkpKSkpKSkpKT/wAARCAAIAAwDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAA\
        AgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6\
        Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG\
        x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREA\
        AgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5\
        OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPE\
        xcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwCr0+lGD2oorlu7XPSsr2P/2Q==
        """)

    /// A progressive JPEG of 12 by 8 pixels.
    public static let progressiveJPEG = decoded(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWG\
        kJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk\
        pKSkpKSkpKSkpKSkpKT/wgARCAAIAAwDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAVAQEBAAAAAAAAAAAA\
        AAAAAAADBP/aAAwDAQACEAMQAAABkCp//8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABBQI//8QAFBEBAAAAAAAAAAAA\
        AAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAA\
        EP/aAAgBAQAGPwI//8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABPyE//9oADAMBAAIAAwAAABAD/8QAFhEBAQEAAAAA\
        AAAAAAAAAAAAEQAB/9oACAEDAQE/EDEv/8QAFhEBAQEAAAAAAAAAAAAAAAAAEQAB/9oACAECAQE/EHRv/8QAGRAAAQUAAAAA\
        AAAAAAAAAAAAAAERMUFx/9oACAEBAAE/EIwZaP/Z
        """)

    /// A GIF of 12 by 8 pixels.
    public static let gif = decoded(
        """
        R0lGODdhDAAIAIEAAMg8FApayAAAAAAAACwAAAAADAAIAAAIHwADABhIEIBAggcLGiyYkKFDhQsRQoTYcGJEiwMbBgQAOw==
        """)

    /// A lossy WebP of 12 by 8 pixels.
    public static let lossyWebP = decoded(
        """
        UklGRkgAAABXRUJQVlA4IDwAAABwAQCdASoMAAgABUB8JbACdAGIQAD+34k2HpL1YmWGZeMPMmEZJXPOFftv0cZmn0f0EyMz\
        ip8mHffHAAA=
        """)

    /// A lossless WebP of 12 by 8 pixels.
    public static let losslessWebP = decoded(
        """
        UklGRjQAAABXRUJQVlA4TCgAAAAvC8ABAA9wD54LIZ+Cdv5jCYraSIGzu8v5RAJSkEZE/4OU3LsHi8MD
        """)

    /// A BMP of 12 by 8 pixels.
    public static let bmp = decoded(
        """
        Qk1WAQAAAAAAADYAAAAoAAAADAAAAAgAAAABABgAAAAAACABAADEDgAAxA4AAAAAAAAAAAAAFDzIFDzIFDzIFDzIFDzIFDzI\
        FDzIyFoKFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoK\
        FDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzI\
        FDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzIyFoKFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzIyFoKFDzIFDzIFDzIFDzI\
        FDzIFDzIFDzIyFoKFDzIFDzIyFoKFDzIFDzIFDzIFDzIFDzIFDzIFDzIyFoKFDzIFDzIFDzI
        """)

    /// An AVIF of 12 by 8 pixels.
    public static let avif = decoded(
        """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAA\
        AAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAALwAAAChpaW5mAAAAAAABAAAAGmluZmUC\
        AAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAADAAAAAgAAAAQcGl4aQAAAAADCAgIAAAA\
        DGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAN21kYXQSAAoIGAyvtEBDQaEy\
        IR2Hh4Wd3HHHAsVAAOAgJdAhodQevHGomxUg5etLD4TCIA==
        """)

    /// An animated WebP of 12 by 8 pixels.
    public static let animatedWebP = decoded(
        """
        UklGRrAAAABXRUJQVlA4WAoAAAACAAAACwAABwAAQU5JTQYAAAAAAAAAAABBTk1GTAAAAAAAAAAAAAsAAAcAAAAAAAJWUDgg\
        NAAAAFABAJ0BKgwACAAHQJYlsAAEdAAA/tom/0roowSaC0dgNIgjf/GBBVOz+Q3p33eUdDVYwABBTk1GMAAAAAAAAAAAAAAA\
        AAAAAAAAAABWUDggGAAAADQBAJ0BKgEAAQAAAJYlpAADcAD+77kAAA==
        """)

    /// One picture of each format and kind except PNG, with its name.
    public static let others: [(name: String, data: Data)] = [
        ("jpeg", jpeg), ("progressiveJPEG", progressiveJPEG), ("gif", gif), ("lossyWebP", lossyWebP),
        ("losslessWebP", losslessWebP), ("animatedWebP", animatedWebP), ("bmp", bmp), ("avif", avif),
    ]

    private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}

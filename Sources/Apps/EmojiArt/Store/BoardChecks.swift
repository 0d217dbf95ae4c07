package import EmojiArtModel
import Foundation

/// Validates arguments of stores beyond the rules of the operations; the same for every store.
package enum BoardChecks {
    /// Throws if a board can't have the name.
    package static func check(name: String) throws(BoardStoreError) {
        guard !name.isEmpty else { throw .invalid("Enter a name for the board.") }
        let bytes = name.utf8.count
        guard bytes <= BoardLimits.nameBytes else {
            throw .invalid(
                "The name is too long: it has \(bytes) bytes, and the limit is \(BoardLimits.nameBytes). Use a "
                    + "shorter one.")
        }
        guard !hasControls(name) else {
            throw .invalid("The name has characters that can't be shown, such as a line break. Remove them.")
        }
    }

    /// Throws if the batch or its author is invalid; the batch's operations may still be refused.
    package static func check(_ batch: OperationBatch, author: String) throws(BoardStoreError) {
        // A batch's id follows the rule of a board's.
        guard BoardID(batch.id) != nil else {
            throw .invalid("A batch's ID must be 1 to 64 of the characters A-Z, a-z, 0-9, - and _. Use another ID.")
        }
        let bytes = batch.name.utf8.count
        guard bytes <= BoardLimits.nameBytes else {
            throw .invalid(
                "The step's name is too long: it has \(bytes) bytes, and the limit is \(BoardLimits.nameBytes). Use a "
                    + "shorter one.")
        }
        let count = batch.operations.count
        guard count <= BoardLimits.batchOperations else {
            throw .invalid(
                "Too many changes at once: \(count), and the limit is \(BoardLimits.batchOperations). Make them in "
                    + "several steps.")
        }
        guard author.utf8.count <= 64, !hasControls(author) else {
            throw .invalid("An author's ID can have up to 64 bytes, without control characters.")
        }
    }

    /// Throws if the picture can't be stored; its contents are validated by the caller.
    package static func check(_ picture: PictureContent) throws(BoardStoreError) {
        let bytes = picture.data.count
        guard bytes > 0 else { throw .invalid("The picture is empty. Use another one.") }
        guard bytes <= BoardLimits.pictureBytes else {
            throw .invalid(
                "The picture is too large: it has \(bytes) bytes, and the limit is \(BoardLimits.pictureBytes). Make "
                    + "it smaller.")
        }
        guard (1...100).contains(picture.type.utf8.count), !hasControls(picture.type) else {
            throw .invalid("The picture's type is missing or invalid. Send one such as image/png.")
        }
    }

    /// Throws if the address can't be stored.
    package static func check(address: String) throws(BoardStoreError) {
        guard (1...BoardLimits.addressBytes).contains(address.utf8.count) else {
            throw .invalid(
                "The picture's address is empty, or has more than \(BoardLimits.addressBytes) bytes. Use another one.")
        }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension OperationBatch {
    /// The pictures that the batch sets as backgrounds.
    var pictures: Set<PictureID> {
        var pictures: Set<PictureID> = []
        for case .setBackground(.picture(let picture)) in operations { pictures.insert(picture) }
        return pictures
    }
}

import BoardTraces
import Foundation
import ModelJSON
import Testing

@testable import EmojiArtModel

/// Tests pointers and commands on one page, without a browser.
///
/// The view shows the board at 100 %, with the origin at (200, 200).
@Suite struct BoardControllerTests {
    private static func controller(_ emojis: [Emoji]) -> BoardController {
        var controller = BoardController(ServerBoard(revision: 0, epoch: "", art: .of(emojis)))
        controller.resize(to: ViewSize(width: 400, height: 400))
        return controller
    }

    private static func drag(
        _ controller: inout BoardController, from start: ViewPoint, to end: ViewPoint, isShiftHeld: Bool = false
    ) {
        controller.pointerDown(BoardController.PointerEvent(id: 1, kind: .mouse, place: start))
        let last = BoardController.PointerEvent(id: 1, kind: .mouse, place: end, isShiftHeld: isShiftHeld)
        controller.pointerMoved(last)
        controller.pointerUp(last)
    }

    private static func locked(_ emoji: Emoji) -> Emoji {
        var emoji = emoji
        emoji.isLocked = true
        return emoji
    }

    /// What is announced, in words.
    private static func words(_ announcement: BoardController.Announcement?) -> String? {
        guard case .text(let text) = announcement else { return nil }
        return text.words
    }

    private static let middle = ViewPoint(x: 200, y: 200)

    @Test func dragMovesEmojiButNotALockedOne() {
        var controller = Self.controller([.test(1)])
        Self.drag(&controller, from: Self.middle, to: ViewPoint(x: 230, y: 190))
        #expect(controller.session.art.emojis.map(\.position) == [BoardPoint(x: 30, y: 10)])
        controller = Self.controller([Self.locked(.test(1)), .test(2, x: 100)])
        // It draws a rectangle instead, which doesn't select locked emoji.
        Self.drag(&controller, from: Self.middle, to: ViewPoint(x: 300, y: 210))
        #expect(controller.session.art.emojis.map(\.x) == [0, 100])
        #expect(controller.selection == [EmojiID(2)])
        controller.run(.selectAll)
        #expect(controller.selection == [EmojiID(2)])
    }

    /// The handle is 26 points above the frame, which is drawn 4 points outside of the emoji.
    @Test(arguments: [
        (90.0, false, 90.0), (47.0, false, 45.0), (52.0, false, 52.0), (52.0, true, 45.0), (-90.0, false, 270.0),
    ])
    func rotationHandleRotatesAndSnaps(bearing: Double, isShiftHeld: Bool, angle: Double) throws {
        var controller = Self.controller([.test(1)])
        controller.select([EmojiID(1)])
        let radians = bearing * .pi / 180
        let end = ViewPoint(x: 200 + 50 * sin(radians), y: 200 - 50 * cos(radians))
        Self.drag(&controller, from: ViewPoint(x: 200, y: 150), to: end, isShiftHeld: isShiftHeld)
        let emoji = try #require(controller.session.art.emojis.first)
        #expect(abs(emoji.angle - angle) < 1e-9)
        #expect(controller.session.history.undoNames.map(\.words) == ["Rotate 🐶"])
        controller.run(.undo)
        #expect(controller.session.art.emojis == [.test(1)])
    }

    @Test func lockedSelectionHasNoHandles() {
        var controller = Self.controller([Self.locked(.test(1))])
        controller.select([EmojiID(1)])
        Self.drag(&controller, from: ViewPoint(x: 200, y: 150), to: ViewPoint(x: 250, y: 200))
        controller.select([EmojiID(1)])
        Self.drag(&controller, from: ViewPoint(x: 224, y: 224), to: ViewPoint(x: 300, y: 300))
        #expect(controller.session.art.emojis == [Self.locked(.test(1))])
    }

    @Test func twoFingersRotateBeyondAThreshold() throws {
        var controller = Self.controller([.test(1)])
        controller.select([EmojiID(1)])
        func event(_ id: Int, _ x: Double, _ y: Double) -> BoardController.PointerEvent {
            BoardController.PointerEvent(id: id, kind: .touch, place: ViewPoint(x: x, y: y))
        }
        controller.pointerDown(event(1, 180, 200))
        controller.pointerDown(event(2, 220, 200))
        controller.pointerMoved(event(1, 200, 180))
        controller.pointerMoved(event(2, 200, 220))
        controller.pointerUp(event(1, 200, 180))
        let emoji = try #require(controller.session.art.emojis.first)
        #expect(abs(emoji.angle - 78) < 1e-9 && abs(emoji.size - 40) < 1e-9)
        #expect(controller.session.history.undoNames.map(\.words) == ["Resize and Rotate 🐶"])
    }

    @Test func tapOnAHandleSelectsTheEmojiBelowIt() {
        var controller = Self.controller([.test(1), .test(2, x: 0, y: 50)])
        controller.select([EmojiID(1)])
        Self.drag(&controller, from: ViewPoint(x: 200, y: 150), to: ViewPoint(x: 200, y: 150))
        #expect(controller.selection == [EmojiID(2)])
    }

    @Test func emojiAreAlignedAndDistributed() {
        var controller = Self.controller([.test(1), .test(2, x: 100, y: 50, size: 80), .test(3, x: 300, y: -7)])
        controller.select([1, 2, 3].map { EmojiID($0) })
        controller.run(.alignLeft)
        #expect(controller.session.art.emojis.map(\.x) == [0, 20, 0])
        let spoken = controller.takeEffects().spoken
        #expect(Self.words(spoken) == "Align Left")
        controller.run(.alignLeft)
        let spokenAgain = controller.takeEffects().spoken
        #expect(Self.words(spokenAgain) == "Already in that position")
        controller.run(.undo)
        controller.run(.distributeHorizontal)
        // The boxes are 40, 80 and 40 wide, within 340: the gaps are 90.
        #expect(controller.session.art.emojis.map(\.x) == [0, 150, 300])
        #expect(controller.session.history.undoNames.map(\.words) == ["Distribute Left to Right"])
    }

    @Test func lockedEmojiAreCopiedAndDescribedButNotChanged() {
        var controller = Self.controller([.test(1)])
        controller.select([EmojiID(1)])
        controller.run(.rotate)
        controller.run(.flipHorizontal)
        controller.run(.lock)
        let spoken = controller.takeEffects().spoken
        #expect(Self.words(spoken) == "Locked 🐶")
        #expect(
            controller.description(of: EmojiID(1), named: "dog face")?.words
                == "🐶 dog face, 1 of 1, at the middle, size 40, rotated 345°, flipped, locked, selected")
        for command in [BoardController.Command.delete, .cut, .larger, .rotate, .front] {
            let isDone = controller.run(command)
            #expect(!isDone, "\(command)")
        }
        let (cut, copied) = (controller.copy(isCut: true), controller.copy(isCut: false))
        #expect(cut.isEmpty && copied.count == 1)
        controller.run(.lock)
        let spokenAgain = controller.takeEffects().spoken
        #expect(Self.words(spokenAgain) == "Unlocked 🐶")
        controller.run(.delete)
        #expect(controller.session.art.emojis.isEmpty)
    }

    @Test func newEmojiHasTheMedianSizeAndIsSelected() throws {
        var controller = Self.controller([.test(1, size: 30), .test(2, x: 90, size: 60), .test(3, y: 90, size: 70)])
        controller.add(.add, ["🐱"], at: nil)
        let added = try #require(controller.selected.first)
        #expect(added.text == "🐱" && added.size == 60)
        let spoken = controller.takeEffects().spoken
        #expect(Self.words(spoken) == "Added 🐱")
    }

    @Test func commandsThatCannotRunAreListedWithTheReason() {
        func commands(_ controller: BoardController) -> [String: String?] {
            let unavailable = controller.availability.unavailable
            return Dictionary(uniqueKeysWithValues: unavailable.map { ($0.command, $0.explanation?.words) })
        }
        var controller = Self.controller([])
        let onEmptyBoard = commands(controller)
        #expect(onEmptyBoard["selectAll"] == .some(nil) && onEmptyBoard["copyPNG"] == .some(nil))
        #expect(onEmptyBoard["undo"] == .some(nil) && onEmptyBoard["removeBackground"] == .some(nil))
        #expect(onEmptyBoard["zoomIn"] == nil && onEmptyBoard["hand"] == nil)
        controller.setPicture(ViewSize(width: 10, height: 10))
        #expect(commands(controller)["copyPNG"] == nil && commands(controller)["fit"] == nil)

        controller = Self.controller([.test(1), .test(2), Self.locked(.test(3)), Self.locked(.test(4))])
        #expect(commands(controller)["delete"] == .some(nil) && commands(controller)["selectAll"] == nil)
        controller.select([EmojiID(1), EmojiID(3)])
        let ofOne = commands(controller)
        #expect(ofOne["delete"] == nil && ofOne["nudgeLeft"] == nil && ofOne["copy"] == nil)
        #expect(ofOne["alignLeft"] == .some(nil))
        controller.select([EmojiID(1), EmojiID(2), EmojiID(3)])
        let ofTwo = commands(controller)
        #expect(ofTwo["alignLeft"] == nil && ofTwo["distributeVertical"] == .some(nil))
        controller.run(.delete)
        #expect(commands(controller)["undo"] == nil && commands(controller)["redo"] == .some(nil))
    }

    @Test func lockedTargetsExplainWhyCommandsCannotRun() {
        var controller = Self.controller([Self.locked(.test(1)), Self.locked(.test(2))])
        controller.moveKeyboard(to: EmojiID(1))
        func explanation(of command: String) -> String?? {
            controller.availability.unavailable.first { $0.command == command }.map { $0.explanation?.words }
        }
        #expect(explanation(of: "cut") == "This emoji is locked.")
        #expect(explanation(of: "pushUp") == "This emoji is locked.")
        controller.select([EmojiID(1), EmojiID(2)])
        #expect(explanation(of: "alignLeft") == "These emoji are locked.")
        #expect(explanation(of: "undo") == .some(nil) && explanation(of: "lock") == nil)
        #expect(controller.availability.isLocked)
    }

    // MARK: The selection's bar

    private static let bar = ViewSize(width: 100, height: 30)

    @Test func barIsAboveTheSelectionOrElseBelowIt() {
        var controller = Self.controller([.test(1)])
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: []) == nil)
        controller.select([EmojiID(1)])
        // The handle that rotates is at 150, and a finger reaches 16 points around it.
        let above = ViewPoint(x: 150, y: 104)
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: []) == above)
        // The frame ends at 224.
        let below = ViewPoint(x: 150, y: 240)
        let obstacle = ViewRect(left: 0, top: 0, right: 400, bottom: 110)
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: [obstacle]) == below)
        #expect(controller.barPlace(for: Self.bar, inset: 100, obstacles: []) == below)
        controller.moveView(x: 190, y: 0)
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: [])?.x == 290)
    }

    @Test func barAvoidsTheMiddlesOfOtherEmoji() {
        var controller = Self.controller([.test(1), .test(2, x: 0, y: 80)])
        controller.select([EmojiID(1)])
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: [])?.y == 240)
        controller.select([EmojiID(1), EmojiID(2)])
        // At the upper edge, its handle is below the frame.
        controller.moveView(x: 0, y: -65)
        #expect(controller.barPlace(for: Self.bar, inset: 0, obstacles: [])?.y == 201)
    }

    @Test func barOfASelectionThatFillsTheViewIsAtTheUpperEdge() {
        var controller = Self.controller([.test(1, size: 600)])
        controller.select([EmojiID(1)])
        #expect(controller.barPlace(for: Self.bar, inset: 20, obstacles: []) == ViewPoint(x: 150, y: 30))
    }

    // MARK: The view

    @Test(arguments: [(1.0, "100 %"), (0.125, "13 %"), (400.0, "40000 %"), (0.004, "0.4 %"), (1e-5, "0.001 %")])
    func zoomIsShownInPercent(zoom: Double, text: String) {
        #expect(ArtView(zoom: zoom).percent == text)
    }

    @Test func zoomIsAnnouncedAfterEachStep() {
        var controller = Self.controller([.test(1)])
        controller.run(.zoomIn)
        let spoken = controller.takeEffects().spoken
        #expect(Self.words(spoken) == "Zoom 125 %")
    }

    @Test func arrowKeysMoveTheViewFartherWithShift() {
        var controller = Self.controller([.test(1)])
        controller.moveView(byKeyX: 1, y: 0, isShiftHeld: false)
        controller.moveView(byKeyX: 0, y: -1, isShiftHeld: true)
        #expect(controller.view.pan == ViewPoint(x: 48, y: -240))
    }

    @Test func outlinesAreThoseOfTheSelectedEmoji() {
        var controller = Self.controller([.test(1), .test(2, x: 100), .test(3)])
        controller.select([EmojiID(1), EmojiID(2)])
        let outlines = controller.outlines
        #expect(outlines.map(\.left) == [180, 280] && outlines.map(\.bottom) == [220, 220])
        #expect(controller.keyboardOutline == nil)
        controller.moveKeyboard(to: EmojiID(3))
        #expect(controller.keyboardOutline == ViewRect(left: 172, top: 172, right: 228, bottom: 228))
    }

    @Test func frameHasTheHandlesThatCanBePressed() throws {
        var module = BoardModule()
        func value(of function: BoardModule.Function, _ arguments: String) throws -> JSON {
            try module.call(function, JSON(Array(arguments.utf8)))["value"] ?? .null
        }
        let emoji = #"{"id":"a","text":"🐶","x":0,"y":0,"size":40,"z":0}"#
        _ = try value(of: .open, #"[{"revision":0,"epoch":"","art":{"background":null,"emojis":[\#(emoji)]}}]"#)
        _ = try value(of: .resize, "[400,400]")
        _ = try value(of: .openView, "[[1,0,0]]")
        let nothing = try value(of: .frame, "[]")
        #expect(nothing == .null)
        _ = try value(of: .select, #"[["a"]]"#)
        let frame = try value(of: .frame, "[]")
        let box = "[176,176,48,48]"
        let corners = "[[176,176],[224,176],[176,224],[224,224]]"
        #expect(try frame == JSON(Array("[\(box),\(corners),[200,150,false]]".utf8)))
        _ = try value(of: .run, #"["lock"]"#)
        let locked = try value(of: .frame, "[]")
        #expect(try locked == JSON(Array("[\(box),[],null]".utf8)))
    }
}

extension BoardModule {
    /// The functions by their names in JavaScript, with their arguments and the value that they return, if any.
    public enum Function: String, Hashable, Sendable, CaseIterable {
        /// `open(state)`: begins with a board.
        case open
        /// `art()`: the shown board, as the server writes it.
        case art
        /// `change(name, operations)`: does one step with a ``BoardText`` as its name; whether anything is different.
        case change
        /// `undo(count)`: undoes steps; whether anything is different.
        case undo
        /// `redo(count)`: redoes steps; whether anything is different.
        case redo
        /// `undoNames()`: the names of the steps, each a ``BoardText``, the newest first.
        case undoNames
        /// `redoNames()`: the names of the undone steps, the next one first.
        case redoNames
        /// `history()`: the history, for the browser's storage.
        case history
        /// `restoreHistory(history)`: takes over a stored history, unless there are steps already.
        case restoreHistory

        /// `availability()`: the number of `targets`, whether all of them are locked (`isLocked`), and the `unavailable`
        /// commands: by the name of each, a ``BoardText`` that explains why it can't run, or null.
        case availability
        /// `run(command)`: runs a ``BoardController/Command``; whether it did anything.
        case run
        /// `settle()`: ends a step of the arrow keys.
        case settle
        /// `add(isPasted, texts, place)`: adds emoji around [x, y], or near the middle of the view for null.
        case add
        /// `newEmojiSize()`: the size of a new emoji in points.
        case newEmojiSize
        /// `paste(emojis, x, y)`: adds copied emoji at a point.
        case paste
        /// `copy(isCut)`: the emoji to put on the clipboard.
        case copy
        /// `readCopied(value)`: the emoji in a value of the clipboard, or null; any site can write there.
        case readCopied
        /// `nudge(x, y)`: moves the targets by an arrow key.
        case nudge
        /// `restNudge()`: an arrow key was released.
        case restNudge
        /// `endNudge()`: ends the step of the arrow keys.
        case endNudge
        /// `cancelNudge()`: cancels it; whether there was one.
        case cancelNudge

        /// `select(ids)`: selects these emoji only.
        case select
        /// `frame()`: [frame, corners, handle] of what commands apply to, or null if it is nothing.
        ///
        /// All of it is in the view: the frame is [x, y, width, height]. Each corner's handle has [x, y], and the handle
        /// that rotates [x, y, isBelow]; there are no corners and null for that handle if all is locked.
        case frame
        /// `outlines()`: the frame around each selected emoji, [x, y, width, height] in the view.
        case outlines
        /// `keyboardOutline()`: the frame around the emoji that the keyboard is at, or null.
        case keyboardOutline
        /// `barPlace(width, height, inset, obstacles)`: [x, y] of the selection's bar in the view, or null without a
        /// frame; each obstacle is [left, top, right, bottom].
        case barPlace
        /// `picture()`: [box, ids] of what commands apply to, or null if it is nothing. The box is
        /// [left, bottom, right, top] on the board.
        case picture
        /// `describe(id, name)`: the emoji's description for screen readers, a ``BoardText``, or null.
        case describe

        /// `pointerDown(id, kind, x, y, flags, time)`; the flags are 1 for the middle button, 2 for a key that extends
        /// the selection, 4 for Alt, and 8 for Shift.
        case pointerDown
        /// `pointerMoved(id, kind, x, y, flags, time)`.
        case pointerMoved
        /// `pointerUp(id, kind, x, y, flags, time)`.
        case pointerUp
        /// `pointerLeft()`: the mouse has left the view.
        case pointerLeft
        /// `longPress()`: the timer of that name has ended.
        case longPress
        /// `cancelPointers()`: cancels the gesture; whether there was one.
        case cancelPointers
        /// `openMenu(place)`: selects the emoji at [x, y], whose menu opens; for null, the menu of the selection opens.
        ///
        /// The value is [x, y, isEmpty]: where to show the menu, and whether it is for an empty place.
        case openMenu
        /// `holdSpace(isHeld)`: dragging moves the view while Space is held.
        case holdSpace
        /// `boardPoint(place)`: [x, y] on the board of a place [x, y] of the view; for null, of the mouse or the middle.
        case boardPoint

        /// `resize(width, height)`: the size of the view.
        case resize
        /// `openView(view)`: shows [zoom, x, y], or everything for null.
        case openView
        /// `setView(zoom, x, y)`: shows a view.
        case setView
        /// `moveView(x, y)`: moves the view.
        case moveView
        /// `moveViewByKey(x, y, isShiftHeld)`: moves the view by an arrow key.
        case moveViewByKey
        /// `zoomView(factor, x, y)`: zooms around a place of the view.
        case zoomView
        /// `setPicture(size)`: the shown picture's [width, height], or null.
        case setPicture
        /// `setReducedMotion(isPreferred)`.
        case setReducedMotion
        /// `measure(texts)`: sets how far each text reaches from its middle, by a list of [text, reach].
        case measure
        /// `content()`: the box [left, bottom, right, top] around everything, or null.
        case content
        /// `isContentVisible()`.
        case isContentVisible

        /// `nextBatch()`: the batch to send, or null if there is none or the board was deleted.
        case nextBatch
        /// `batch(id)`: a pending batch with its parts, or null.
        case batch
        /// `sealAll()`: closes the batches of gestures.
        case sealAll
        /// `receiveResponse(id, status, json)`: takes the response to a batch, with null for the status without one, and null
        /// for a body that isn't JSON; what to send then: "next", "retry" (after a delay) or "stop".
        case receiveResponse
        /// `inherit(batches, sending)`: takes over what another tab has left; the effects tell what to store and forget.
        case inherit
        /// `prepareToLeave(limit, sending, outlivesPage)`: whether there is something to send.
        case prepareToLeave
        /// `follow()`: the page is visible.
        case follow
        /// `unfollow()`: the page is hidden.
        case unfollow
        /// `streamOpened()`: the stream is open.
        case streamOpened
        /// `streamLost()`: the stream was lost.
        case streamLost
        /// `streamRefused()`: the server's response isn't a stream.
        case streamRefused
        /// `receiveEntries(entries)`: takes entries of the stream.
        case receiveEntries
        /// `receiveRevision(revision)`: takes the server's revision.
        case receiveRevision
        /// `receiveGone()`: the board was deleted.
        case receiveGone
        /// `entryIsLate()`: the timer for an entry has ended.
        case entryIsLate
        /// `receiveLog(response)`: takes the response to a request for entries; whether it replaced the whole board.
        case receiveLog
        /// `receiveState(state)`: takes the response to a request for the whole board; whether it was taken.
        case receiveState
        /// `requestFailed(isForState, isGone)`.
        case requestFailed
        /// `poll()`: checks whether the board was restored.
        case poll
        /// `status(isStored)`: [kind, sentences].
        case status
    }
}

import Digests

extension Palette {
    /// The nine palettes of the course, of a store in which nothing is stored yet.
    ///
    /// They have the same numbers each time they are made, so that what a page shows of them is still there after a
    /// restart, and what two tabs do to them at once can be told apart.
    static func builtins(firstID: Int) -> [Palette] {
        builtins.enumerated().map { offset, palette in palette.renumbered(firstID + offset) }
    }

    /// The number of the first built-in palette of a store.
    ///
    /// In the course each store counts from 1, so that palettes of two stores have the same number. This is 2⁵² plus 16 times the
    /// low 48 bits of the name's XXH64: the same each time, and less than 2⁵³, up to which JavaScript counts. Two names
    /// have the same number with a probability of 2⁻⁴⁸.
    static func firstBuiltinID(of name: String) -> Int {
        1 << 52 | Int(XXH64.hash(name.utf8) & 0xFFFF_FFFF_FFFF) << 4
    }

    private static let builtins = course.map { name, emojis in
        Palette(tolerating: 0, name: name, emojis: EmojiText.emojis(in: emojis))
    }

    private static let course = [
        (name: "Vehicles", emojis: "🚙🚗🚘🚕🚖🏎🚚🛻🚛🚐🚓🚔🚑🚒🚀✈️🛫🛬🛩🚁🛸🚲🏍🛶⛵️🚤🛥🛳⛴🚢🚂🚝🚅🚆🚊🚉🚇🛺🚜"),
        (name: "Sports", emojis: "🏈⚾️🏀⚽️🎾🏐🥏🏓⛳️🥅🥌🏂⛷🎳"),
        (name: "Music", emojis: "🎼🎤🎹🪘🥁🎺🪗🪕🎻"),
        (
            name: "Animals",
            emojis: "🐥🐣🐂🐄🐎🐖🐏🐑🦙🐐🐓🐁🐀🐒🦆🦅🦉🦇🐢🐍🦎🦖🦕🐅🐆🦓🦍🦧🦣🐘🦛🦏🐪🐫🦒🦘🦬🐃🐕🐩🦮🐈🦤🦢🦩🕊🦝🦨🦡🦫🦦🦥🐿🦔"
        ),
        (name: "Animal Faces", emojis: "🐵🙈🙊🙉🐶🐱🐭🐹🐰🦊🐻🐼🐻‍❄️🐨🐯🦁🐮🐷🐸🐲"),
        (name: "Flora", emojis: "🌲🌴🌿☘️🍀🍁🍄🌾💐🌷🌹🥀🌺🌸🌼🌻"),
        (name: "Weather", emojis: "☀️🌤⛅️🌥☁️🌦🌧⛈🌩🌨❄️💨☔️💧💦🌊☂️🌫🌪"),
        (name: "COVID", emojis: "💉🦠😷🤧🤒"),
        (
            name: "Faces",
            emojis: "😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛😝😜🤪🤨🧐🤓😎🥸🤩🥳😏😞😔😟😕🙁☹️😣😖😫😩🥺😢😭😤😠😡🤯😳🥶😥😓🤗🤔🤭🤫🤥😬🙄😯😧🥱😴🤮"
        ),
    ]
}

import Digests

extension Palette {
    /// The course's nine palettes, for a store in which nothing is stored yet.
    ///
    /// Their ids are the same each time, so that a page's ids stay valid after a restart, and concurrent edits of two
    /// tabs can be merged.
    package static func builtins(firstID: Int) -> [Palette] {
        builtins.enumerated().map { offset, palette in palette.renumbered(firstID + offset) }
    }

    /// The id of the first built-in palette of a store.
    ///
    /// In the course each store counts from 1, so palettes of two stores can have the same id. This id is 2⁵² plus 16
    /// times the low 48 bits of the name's XXH64: it is stable, and less than 2⁵³, JavaScript's limit for exact
    /// integers. Two names collide with a probability of 2⁻⁴⁸.
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

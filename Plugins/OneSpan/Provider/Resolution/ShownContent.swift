import PushCore

/// What a request asks to display, as the fields of a challenge.
struct ShownContent {
    let fields: [Challenge.Field]

    /// Whether the user sees all of it: nobody approves what was cut off.
    let isWhole: Bool

    init(_ content: DisplayContent) {
        let pairs: [(label: String, value: String)] =
            switch content {
            case .none: []
            case .text(let text): Self.pieces(of: text).map { ("", $0) }
            case .fields(let fields): fields.map { ($0.key, $0.value) }
            }
        fields = pairs.map { Challenge.Field($0.label, $0.value) }
        // What is cut shows no character more, whatever follows; its last one proves nothing, as
        // the text itself may end in "…".
        isWhole = zip(fields, pairs).allSatisfy { field, pair in
            let longer = Challenge.Field(pair.label + "x", pair.value + "x")
            return longer.label != field.label && longer.value != field.value
        }
    }

    /// A text of up to 4,096 bytes may be longer than one field shows: it goes on in the next one,
    /// behind a blank, as a number that is broken in two reads as another one.
    private static func pieces(of text: String) -> [String] {
        let limit = DisplayText.Limit.body.rawValue
        var pieces: [String] = []
        var piece = ""
        var count = 0
        var behindBlank: String.Index?
        for character in text {
            let length = character.unicodeScalars.count
            if count + length > limit, count > 0 {
                let end = behindBlank ?? piece.endIndex
                pieces.append(String(piece[..<end]))
                piece = String(piece[end...])
                count = piece.unicodeScalars.count
                behindBlank = nil
            }
            piece.append(character)
            count += length
            if character.isWhitespace { behindBlank = piece.endIndex }
        }
        return pieces + [piece]
    }
}

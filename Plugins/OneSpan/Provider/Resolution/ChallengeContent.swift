import PushCore

/// What a request asks to display, as the fields of a challenge.
struct ShownContent {
    /// How many fields are shown at the most.
    private static let maximumFields = 16

    /// How long a text is shown at the most, in bytes.
    private static let longestText = 4_096

    let fields: [Challenge.Field]

    /// What the user doesn't see of it; `nil` if they see all of it.
    let problem: DisplayProblem?

    /// Whether the user sees all of it: nobody approves what was cut off.
    var isWhole: Bool { problem == nil }

    init(_ content: DisplayContent) {
        switch content {
        case .none:
            fields = []
            problem = nil
        case .text(let text):
            let count = text.utf8.count
            let shown = count <= Self.longestText ? text : Self.beginning(of: text)
            let pieces = Self.pieces(of: shown)
            fields = pieces.map { Challenge.Field("", $0) }
            let isCut = !zip(fields, pieces).allSatisfy {
                DisplayText.showsAll(of: $1, as: $0.value)
            }
            problem =
                count > Self.longestText || isCut
                ? .tooLong : DisplayText.isBlank(text) ? .missing : nil
        case .fields(let all):
            let shown = all.prefix(Self.maximumFields)
            fields = shown.map { Challenge.Field($0.key, $0.value) }
            problem =
                all.isEmpty
                ? .missing
                : all.count > Self.maximumFields
                    ? .tooMany
                    : zip(fields, shown).lazy.compactMap { Self.problem(of: $1, shownAs: $0) }.first
        }
    }

    private static func problem(
        of field: DisplayContent.Field, shownAs shown: Challenge.Field
    ) -> DisplayProblem? {
        if DisplayText.isBlank(field.key) { return .unlabeled }
        guard field.key.utf8.count <= 64, field.value.utf8.count <= 256,
            DisplayText.showsAll(of: field.key, as: shown.label),
            DisplayText.showsAll(of: field.value, as: shown.value)
        else { return .tooLong }
        let isInvisible =
            DisplayText.isBlank(field.value) && !field.value.allSatisfy(\.isWhitespace)
        return isInvisible ? .unreadable : nil
    }

    // MARK: Long texts

    private static func beginning(of text: String) -> String {
        var count = 0
        let end = text.unicodeScalars.firstIndex { scalar in
            count += UTF8.width(scalar)
            return count > longestText
        }
        return String(text.unicodeScalars[..<(end ?? text.endIndex)])
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

extension OneSpanRequest {
    /// The same request, with what keeps the user from seeing all that an approval would stand for.
    package func judged(as kind: RequestKind) -> OneSpanRequest {
        var judged = self
        judged.kind = kind
        judged.problem =
            problem ?? ShownContent(content).problem
            ?? (kind == .transaction && content == .none ? .missing : nil)
        return judged
    }
}

import PushCore

/// What the user sees of a push beside its text, and what stands in the way of a yes.
///
/// The user approves what is shown, so whatever AM adds for people is shown: each member of the custom
/// payload, and what the context has beside the origin. If a part can't be shown whole, the push can
/// only be denied.
struct ShownContent {
    /// More than this can't be read through before a push is answered.
    private static let maximumFields = 32

    /// More than these nobody can choose from in time.
    private static let maximumOptions = 32

    let fields: [Challenge.Field]

    /// Why a yes isn't possible, for developers; `nil` if it is.
    let obstacle: String?

    init(_ claims: PushClaims) {
        let texts =
            Self.texts(claims.customPayload, named: "customPayload") { _ in true }
            + Self.texts(claims.contextInfo, named: "contextInfo") { !Self.isOrigin($0) }
        fields = texts.prefix(Self.maximumFields).map { Challenge.Field($0.name, $0.value) }
        obstacle =
            if claims.kind == .unknown {
                "Its type is unknown."
            } else if claims.hasUnreadableMessage {
                "Its message isn't a text: claim m."
            } else if !DisplayText.isPlainBody(claims.message ?? "") {
                "Its text can't be shown whole, and as it is: claim m."
            } else if claims.options.count > Self.maximumOptions {
                "It has too many numbers to choose from: claim n."
            } else if texts.count > Self.maximumFields {
                "Its payload and context have more members than can be shown: claims p and x."
            } else if !zip(texts, fields).allSatisfy({ Self.isWhole($0, $1) }) {
                "A member of its payload or context can't be shown whole: claims p and x."
            } else {
                nil
            }
    }

    private typealias Text = (name: String, value: String)

    /// The members of JSON text; the text itself if it is anything but an object.
    private static func texts(
        _ text: String?, named name: String, where isShown: (JSON.Object.Member) -> Bool
    ) -> [Text] {
        guard let text, !text[...].trimmed.isEmpty else { return [] }
        guard let members = try? JSON(parsing: text).object?.members else { return [(name, text)] }
        return members.filter { $0.value != .null && isShown($0) }
            .map { ($0.name, $0.value.string ?? $0.value.text) }
    }

    /// Whether the challenge's origin shows all of a member of the context.
    private static func isOrigin(_ member: JSON.Object.Member) -> Bool {
        switch member.name {
        // A place has two numbers; what else AM says of it would be left out.
        case "location": member.value.place != nil && member.value.object?.members.count == 2
        case "remoteIp": member.value.string.map { DisplayText.isPlain($0, .label) } ?? false
        case "userAgent": member.value.string.map { DisplayText.isPlain($0, .title) } ?? false
        default: false
        }
    }

    private static func isWhole(_ text: Text, _ field: Challenge.Field) -> Bool {
        !field.label[...].trimmed.isEmpty && DisplayText.isPlain(text.name, .label)
            && DisplayText.isPlainBody(text.value)
    }
}

import PushCore
import PushJOSE

/// An answer, as the form that goes to the server. It holds no time and no secret: the same bytes may
/// go out again.
struct AnswerForm {
    private let form: FormText

    /// Makes an answer.
    ///
    /// - Throws: `PushError`: `invalidResolution` if the challenge asks for another kind of answer,
    ///   `unsupported` if it can only be denied.
    init(
        _ resolution: Resolution, to nonce: String, _ context: ChallengeContext,
        by credential: PrivacyIDEACredential, _ keys: DeviceKeys
    ) async throws(PushError) {
        var fields = [("serial", credential.serial), ("nonce", nonce)]
        var signed = [nonce, credential.serial]
        switch (resolution, context.prompt) {
        case (.deny(let reason), _):
            fields.append(("decline", "1"))
            // The word, not the 1.
            signed.append("decline")
            if let word = PrivacyIDEA.DeclineReason(reason), context.reasons.contains(word) {
                fields.append(("decline_reason", word.rawValue))
                signed.append(word.rawValue)
            }
        case (_, .denyOnly(let why)):
            throw PushError(.unsupported, "It can only be denied: \(why)")
        // Servers before 3.13 take a yes without an option, whatever they have asked for.
        case (.approve, .approve): break
        case (.choose(let text), .choose(let options)):
            guard let option = options.first(where: { $0.hasSameBytes(as: text) }) else {
                throw PushError(.invalidResolution, "The choice is none of the options.")
            }
            // The server decodes a form's values twice.
            fields.append(("presence_answer", Self.escapingPercents(in: option)))
            signed.append(option)
        case (.approve, _), (.choose, _), (.enter, _):
            throw PushError(.invalidResolution, "The challenge asks for another kind of answer.")
        }
        let text = signed.joined(separator: "|")
        fields.append(("signature", try await credential.signature(over: text, by: keys)))
        form = FormText(fields.map { (name: $0.0, value: $0.1) })
    }

    /// Reads what ``sealed`` has kept.
    init(_ answer: Answer) throws(PushError) {
        let text = answer.bytes.withBytes { String(decoding: $0, as: UTF8.self) }
        guard let form = FormText(text) else {
            throw PushError(.malformed, "The ledger's answer is damaged.")
        }
        self.form = form
    }

    /// Whether it chooses an option.
    var isChoice: Bool { form["presence_answer"] != nil }

    /// What the ledger keeps, and what is sent.
    var sealed: Secret { Secret(form.data) }

    private static func escapingPercents(in text: String) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "%25")
    }
}

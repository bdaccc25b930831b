import PushCore

/// The fields of a challenge as they came, in a push or in a poll's list. Nothing of them is proved.
struct ChallengeFields: Sendable {
    let nonce: String
    let url: String
    let serial: String
    let question: String
    let title: String
    let sslverify: String

    /// The options as one text; `nil` if the challenge asks for a yes or no.
    let presence: String?

    let signature: String

    /// What the server says it understands: JSON text, or an object.
    let capabilities: JSON?
    let capabilitiesSignature: String?

    /// More than this no server sends.
    private static let longestText = 4096
    private static let longestMessage = 16_384

    /// Finds the fields by their shape alone.
    ///
    /// - Returns: `nil` if a required one is missing or isn't a text. Options that aren't a text
    ///   can't count as none, so they make it somebody else's as well.
    init?(_ json: JSON) {
        guard let nonce = json["nonce"]?.string, let url = json["url"]?.string,
            let serial = json["serial"]?.string, let question = json["question"]?.string,
            let title = json["title"]?.string, let sslverify = json["sslverify"]?.string,
            let signature = json["signature"]?.string
        else { return nil }
        let presence = json["require_presence"]
        guard presence == nil || presence?.string != nil else { return nil }
        self.nonce = nonce
        self.url = url
        self.serial = serial
        self.question = question
        self.title = title
        self.sslverify = sslverify
        self.presence = presence?.string
        self.signature = signature
        capabilities = json["capabilities"]
        capabilitiesSignature = json["capabilities_signature"]?.string
    }

    /// What the signature is over: the values as they came, joined by bars.
    var signedText: [UInt8] {
        var values = [nonce, url, serial, question, title, sslverify]
        if let presence { values.append(presence) }
        return Array(values.map(\.utf8).joined(separator: [Self.bar]))
    }

    private static let bar = UInt8(ascii: "|")

    /// Refuses what is too large to be the server's.
    func checkSize() throws(PushError) {
        let texts = [nonce, url, serial, question, title, sslverify, presence ?? "", signature]
        let sizes = texts.map(\.utf8.count)
        let others = (capabilities?.utf8.count ?? 0) + (capabilitiesSignature?.utf8.count ?? 0)
        guard sizes.allSatisfy({ $0 <= Self.longestText }),
            sizes.reduce(others, +) <= Self.longestMessage
        else { throw PushError(.malformed, "The challenge is larger than any server's.") }
    }

    /// Refuses signed fields that no server sends.
    func checkForm() throws(PushError) {
        guard (1...128).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ SerialText.isAllowed($0) || $0 == UInt8(ascii: "=") })
        else { throw PushError(.malformed, "The nonce isn't letters, digits, =, - and _.") }
        guard sslverify == "0" || sslverify == "1" else {
            throw PushError(.malformed, "The field sslverify is neither 0 nor 1.")
        }
        guard presence != "" else {
            throw PushError(.malformed, "The field require_presence has no option.")
        }
        guard !url.utf8.contains(Self.bar) else {
            throw PushError(.malformed, "The url holds a bar.")
        }
    }

    /// Whether the signed text can be cut up in more than one way: one signature, two readings.
    var isAmbiguous: Bool {
        [question, title, presence ?? ""].contains { $0.utf8.contains(Self.bar) }
    }

    /// Whether all that can be seen of title and question is shown.
    var isShownWhole: Bool {
        DisplayText.showsAll(of: title, as: DisplayText.sanitized(title, .title))
            && DisplayText.showsAll(of: question, as: DisplayText.sanitized(question, .body))
    }
}

/// The name of a token at its server.
enum SerialText {
    private static let longest = 64

    static func isValid(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

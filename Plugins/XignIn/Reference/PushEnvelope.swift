import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A push that has the key `oxrw`, which makes it one of OXRW: nothing of it is proved.
struct PushEnvelope {
    /// The envelope's version.
    let version: JSON

    /// The token, if there is a text.
    let token: String?

    /// `nil` if the message hasn't this form.
    init?(_ message: PushMessage) {
        guard message.channel == .push, let version = message["oxrw"] else { return nil }
        self.version = version
        token = message["oxrw_msg"]?.string
    }
}

extension PushEnvelope {
    private static let maximumLength = 3500

    /// Verifies and reads a push, in the order that the format prescribes: shape, algorithm, header,
    /// manager, signature, and only then what it says.
    ///
    /// - Parameters:
    ///   - access: What the format may use.
    ///   - questions: The pushes that wait for a manager's newest keys.
    ///   - wait: How long this one waits for them at the most.
    /// - Returns: The message.
    /// - Throws: `PushError` with the code `unknownEnrollment` if its manager isn't personalized here,
    ///   `untrusted` if the algorithm, the key or the signature isn't right, `malformed` if anything
    ///   else is wrong, `storage` if the store can't tell.
    func message(
        using access: XignInAccess, among questions: KeyQuestions, within wait: Duration
    ) async throws(PushError) -> XignInMessage {
        guard version == "1" else {
            throw PushError(.malformed, "The push has another envelope: key oxrw.")
        }
        guard let text = token, text.utf8.count <= Self.maximumLength else {
            throw PushError(.malformed, "The push has no token, or too long a one: key oxrw_msg.")
        }
        let token = try StrictToken(text)
        try token.requireHeader(of: "oxrw-push+jwt")
        let keyID = try token.requireText("kid")
        let idm = try token.requireText("idm")
        guard Identifier.isValid(idm), let account = try await access.account(at: idm) else {
            throw Self.notPersonalized
        }
        var record = try access.record(of: account, as: ActivationRecord.self)
        if record.managerKeys[keyID] == nil {
            let question = KeyQuestion(keyID: keyID, activation: account.id, access: access)
            record = await question.newestRecord(among: questions, within: wait) ?? record
        }
        guard let key = record.managerKeys[keyID] else {
            throw PushError(.untrusted, "The push is signed by a key that isn't the manager's.")
        }
        let claims = try PushClaims(
            try token.claims(verifiedBy: key), from: idm,
            supported: access.configuration.supportedAPI)
        guard let activation = record.activation,
            activation.utf8.elementsEqual(claims.audience.utf8)
        else { throw Self.notPersonalized }
        return Self.message(claims, account.id)
    }

    private static var notPersonalized: PushError {
        PushError(.unknownEnrollment, "The manager isn't personalized on this device.")
    }

    private static func message(_ claims: PushClaims, _ id: Enrollment.ID) -> XignInMessage {
        XignInMessage(
            Notice(
                id: Challenge.ID(claims.process, of: id), title: claims.title, body: claims.text,
                priority: claims.priority, isIgnorable: claims.isIgnorable, issued: claims.issued,
                expiry: claims.expiry, proof: .signature),
            type: claims.type, reason: claims.reason, minimumAPI: claims.minimumAPI,
            context: ProcessContext(messageID: claims.messageID).sealed)
    }
}

/// What a verified push of OXRW/1 says.
///
/// The members up to `min_api` are the same in all versions of the envelope, so that a version as old
/// as this can say of any later message whose it is, and that it can't be executed. Nothing else of
/// such a message is read: it may have changed.
struct PushClaims {
    let audience: String
    let messageID: String
    let issued: Date
    let expiry: Date
    let process: String
    let type: XignPushMessageType
    let reason: Withdrawal.Reason
    let isIgnorable: Bool
    let minimumAPI: String
    let title: String?
    let text: String?
    let priority: Notice.Priority

    init(
        _ claims: Claims, from idm: String, supported: ClosedRange<SmartDeviceAPI>
    ) throws(PushError) {
        guard try claims.text("iss").utf8.elementsEqual(idm.utf8) else { throw Claims.wrong("iss") }
        audience = try claims.text("aud")
        messageID = try claims.identifier("jti")
        issued = try claims.date("iat")
        expiry = try claims.date("exp")
        guard expiry > issued else { throw Claims.wrong("exp") }
        process = try claims.identifier("pid")
        isIgnorable = try claims.bool("ign")
        minimumAPI = try claims.text("min_api")
        let isReadable = supported.canExecute(minimumAPI)
        let name = try claims.text("msg")
        let isAnnouncement = isReadable && name == "authentication"
        title = isAnnouncement ? try claims.optionalText("title") : nil
        text = isAnnouncement ? try claims.optionalText("message") : nil
        priority =
            isAnnouncement
            ? try claims.optionalText("prio").flatMap(Notice.Priority.init(rawValue:))
                ?? .unspecified : .unspecified
        type = XignPushMessageType(name: name)
        let word = isReadable && type == .cancel ? try claims.optionalText("reason") : nil
        reason = word.map(Self.reason) ?? .cancelled
    }

    /// Why a process is over; a reason that isn't known is an abort.
    private static func reason(_ word: String) -> Withdrawal.Reason {
        switch word {
        case "processed_elsewhere": .elsewhere
        case "completed": .finished
        case "expired": .expired
        default: .cancelled
        }
    }
}

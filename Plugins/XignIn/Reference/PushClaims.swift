import PushCore
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    let kind: XignInMessage.Kind
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
        switch name {
        case "authentication": kind = .authentication
        case "cancel":
            let reason = isReadable ? try claims.optionalText("reason") : nil
            kind = .cancel(reason.flatMap(XignCancelReason.init(rawValue:)) ?? .aborted)
        default: kind = .unknown(name)
        }
    }
}

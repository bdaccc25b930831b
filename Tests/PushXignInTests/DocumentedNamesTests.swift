import Foundation
import Testing

/// Whoever reads the vendor's document finds each name of it: in the public API, or, with a reason,
/// in the page's table of what isn't offered.
@Suite struct DocumentedNamesTests {
    /// The names of the vendor's chapter on push and of those it leads to, as `docs/api` spells them.
    static let offered = [
        "XignPush", "XignPush.handleMessage(userInfo:)", "XignPush.handleMessage(data:)",
        "XignPushMessageResult", "XignPushMessageResult.authentication(_:)",
        "XignPushMessageResult.cancel(_:)", "XignPushMessageResult.incompatible(_:)",
        "XignPushMessageAuthentication", "XignPushMessageAuthentication.isIgnorable",
        "XignPushMessageAuthentication.processId", "XignPushMessageAuthentication.idmIdentifier",
        "XignPushMessageAuthentication.title", "XignPushMessageAuthentication.message",
        "XignPushMessageAuthentication.priority", "XignPushMessagePriority",
        "XignPushMessageCancel", "XignPushMessageCancel.isIgnorable",
        "XignPushMessageCancel.processId", "XignPushMessageCancel.idmIdentifier",
        "XignPushMessageIncompatible", "XignPushMessageIncompatible.isIgnorable",
        "XignPushMessageIncompatible.processId", "XignPushMessageIncompatible.idmIdentifier",
        "XignPushMessageIncompatible.messageType", "XignPushMessageIncompatible.minSmartDeviceApi",
        "XignSdkError", "XignSdkError.errorCode", "XignSdkError.message", "XignSdkHttpError",
        "XignSdkLockoutError", "XignSecurityInsufficientError", "XignPushHandleMessageErrorCodes",
        "XignPushHandleMessageErrorCodes.from(errorCode:)",
        "XignPushHandleMessageErrorCodes.from(_:)",
        "XignPushHandleMessageErrorCodes.identityManagerNotPersonalized",
        "XignPushHandleMessageErrorCodes.invalidSignature",
        "XignPushHandleMessageErrorCodes.unexpectedError",
        "Personalizer", "Personalizer.updatePushToken(idmIdentifier:token:)",
        "Personalizer.getIdentityManagers()", "IdentityManager.identifier",
        "IdentityManager.pushToken", "AuthenticationInitializationData",
        "XignAuthenticator.fetchPushAuthenticationInitializationData(message:)",
        "XignAuthenticator.startAuthentication(data:)",
        "XignAuthenticator.finishAuthentication(userInfo:)", "AuthenticateRequest",
        "AuthenticateRequest.roles", "AuthenticateRequest.Role.requestedAuthenticators",
        "AuthenticateRequest.info", "AuthenticateRequest.organizationInformation",
        "AuthenticateRequest.serviceInformation", "AuthenticationPersonalInformation",
        "AuthenticationPersonalInformation.givenName", "AuthenticationPersonalInformation.email",
        "AuthenticationPersonalInformation.birthdate", "AuthenticationInformation",
        "AuthenticationUserInformation", "AuthenticatorType", "AuthenticatorType.pin",
        "AuthenticatorType.device", "AuthenticatorType.biometric", "AuthenticationResult",
        "AuthenticationResult.userLogin", "AuthenticationResult.lockout(_:_:)",
    ]

    /// Those that are the core's, under a name of the vendor's.
    static let offeredByTheCore = ["Notice.Priority.low", "Notice.Priority.unspecified"]

    static let notOffered = [
        "XignPush.shared", "XignSdk.shared", "XignSdk.shared.personalizer", "Authenticator",
        "getIdentityManagersSynchronous()", "…Synchronous", "requestCode",
        "startAuthentication(data:requestCode)", "updatePushToken(token:)", "NSSecureCoding",
        "AuthenticationResult.serviceLogin", "apiAccessAddFactor", "apiAccessChangePin",
        "apiAccessMergeComplete(idmIdentifier)", "apiAccessRequestNewActivationData",
        "apiAccessDelete", "XignCommon", "TransactionRequest", "TransactionResult",
        "interruptionLevel", "removeDeliveredNotifications", "google-services.json",
        "FirebaseMessagingService", "onMessageReceived", "onNewToken", "Parcelable",
        "PendingIntent", "XignSdkException", "IDENTITY_MANAGER_NOT_PERSONALIZED",
        "INVALID_SIGNATURE", "UNEXPECTED_ERROR", "XignSysSdkPush", "FirebaseMessaging",
        "appDidReceiveMessage", "com.xignsys:android-sdk-push-min24",
    ]

    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `each name that is offered is in the public API`() throws {
        let lines = try Self.text("docs/api/PushXignIn.txt").split(separator: "\n")
        for name in Self.offered {
            #expect(lines.contains { $0.hasPrefix("\(name): ") }, "\(name)")
        }
        let core = try Self.text("docs/api/PushCore.txt").split(separator: "\n")
        for name in Self.offeredByTheCore {
            #expect(core.contains { $0.hasPrefix("\(name): ") }, "\(name)")
        }
    }

    @Test func `the results can be kept in a notification, as documented`() throws {
        let lines = try Self.text("docs/api/PushXignIn.txt").split(separator: "\n")
        for name in ["Result", "Authentication", "Cancel", "Incompatible"] {
            for conformance in ["Encodable", "Decodable"] {
                let line = "XignPushMessage\(name): conforms to \(conformance)"
                #expect(lines.contains(Substring(line)), "\(line)")
            }
        }
    }

    @Test func `each other name is in the page's list, with a reason`() throws {
        let page = try Self.text("docs/vendors/xignin.md")
        let start = try #require(page.firstRange(of: "## Not offered"))
        let rest = page[start.upperBound...]
        let list = rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)]
        let items = list.components(separatedBy: "\n- **").dropFirst()
            .map { $0.split(separator: /\s+/).joined(separator: " ") }
            .map { $0.components(separatedBy: "**: ") }
        for name in Self.notOffered {
            let item = items.first { $0.first?.contains("`\(name)`") == true }
            #expect(item?.count == 2 && item?.last?.isEmpty == false, "\(name)")
        }
    }
}

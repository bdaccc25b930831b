import Foundation
import HTTPTypes
import PushCore

/// Why APNs refuses a request (developer.apple.com, "Handling notification responses from APNs").
///
/// Apple's list has more: what concerns several keys, environments, channels and its own load never
/// happens here.
enum APNsReason: String, Error, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    /// Of this program: Apple's list has none for a payload that is no JSON object.
    case badPayload = "BadPayload"
    case badCertificate = "BadCertificate"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    var status: HTTPResponse.Status {
        switch self {
        case .badCertificate, .expiredProviderToken, .invalidProviderToken, .missingProviderToken:
            .forbidden
        case .badPath: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unregistered: .gone
        case .payloadTooLarge: .contentTooLarge
        case .tooManyProviderTokenUpdates, .tooManyRequests: .tooManyRequests
        case .serviceUnavailable, .shutdown: .serviceUnavailable
        default: .badRequest
        }
    }

    /// - Parameters:
    ///   - id: The request's identifier.
    ///   - now: The moment since which a token is certainly over, for `Unregistered`.
    /// - Returns: The reply with this reason.
    func reply(_ id: String, at now: Date) -> IntakeReply {
        var body: JSON.Object = ["reason": .string(rawValue)]
        if self == .unregistered {
            body["timestamp"] = .number(.init(Int64(now.timeIntervalSince1970 * 1000)))
        }
        return IntakeReply(
            status: status, headers: [.apnsID: id], body: .object(body))
    }
}

extension HTTPField.Name {
    static let apnsID = apns("apns-id")
    static let apnsTopic = apns("apns-topic")
    static let apnsPushType = apns("apns-push-type")
    static let apnsPriority = apns("apns-priority")
    static let apnsExpiration = apns("apns-expiration")
    static let apnsCollapseID = apns("apns-collapse-id")

    /// A literal above, which is always a name.
    private static func apns(_ text: String) -> HTTPField.Name {
        HTTPField.Name(text) ?? .accept
    }
}

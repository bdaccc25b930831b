import Foundation

/// What the examples of `Vectors/worked-example.json` share.
enum WorkedExample {
    static let origin = "https://tenant.plusauth.example"
    static let enroll = "\(origin)/push-authenticator/enroll"
    static let resolve = "\(origin)/push-authenticator/resolve"
    static let resolveChallenge = "\(origin)/push-authenticator/resolve-challenge"
    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
    static let enrollmentToken = "enr+Qk2/0001="
    static let deviceToken = "fcm-token-0001"
    static let deviceName = "Ada's phone"
    static let now = Date(timeIntervalSince1970: 1_702_243_100)
    static let issued: Int64 = 1_702_243_057
    static let expiry: Int64 = 1_702_250_257
}

import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What this device tells PlusAuth to enroll. The private key is in it, and nowhere else on its way.
struct EnrollmentRequest {
    /// The pair whose private half PlusAuth gets, to sign challenges with.
    let exported: ExportableAccountKey

    /// The key whose public half PlusAuth gets, to verify answers with.
    let signing: AccountSigningKey

    let deviceIdentifier: String
    let deviceToken: DeviceToken

    /// The word for the push service, if it isn't the token's own.
    let service: String?

    var body: Data {
        get throws(PushError) {
            let (own, token) = Self.named(deviceToken)
            let members: JSON = [
                "public_key": .object(try signing.publicJWK.members),
                "private_key": .object(try exported.privateJWK().members),
                "device_identifier": .string(deviceIdentifier),
                "credentials": [
                    "service": .string(service ?? own), "device_token": .string(token),
                ],
            ]
            return members.data
        }
    }

    /// UNCONFIRMED: that an APNs token is written in hexadecimal.
    private static func named(_ deviceToken: DeviceToken) -> (service: String, token: String) {
        switch deviceToken {
        case .fcm(let token): ("fcm", token)
        case .apns(let hex, _): ("apns", hex.lowercased())
        }
    }
}

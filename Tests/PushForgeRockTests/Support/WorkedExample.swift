import Foundation
import IndependentEncodings

/// What the examples of `Vectors/worked-example.json` share.
enum WorkedExample {
    static let mechanism = "8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90"
    static let deviceName = "Jane's iPhone"
    static let token = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
    static let newToken = "FFFEFDFCFBFAF9F8F7F6F5F4F3F2F1F0EFEEEDECEBEAE9E8E7E6E5E4E3E2E1E0"
    static let service = "https://am.example.com:8443/am/json/alpha/push/sns/message"
    static let registration = "\(service)?_action=register"
    static let authentication = "\(service)?_action=authenticate"
    static let refresh = "\(service)?_action=refresh"
    static let registrationID = "REGISTER:3f1f0c1e-5a0b-4c67-9d0e-7b1d2a3c4e5f1760000000123"
    static let messageID = "AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001"
    static let profileID = "5d1c3f0a-3b2e-4a55-9a1e-0c2b7f6d81901760000000000"
    static let codeResourceID = "a7b6c5d4-1122-4333-8444-5566778899001760000000000"
    static let issued = Date(timeIntervalSince1970: 1_760_000_300)
    static let expiry = Date(timeIntervalSince1970: 1_760_000_420)

    /// The examples' secret and challenges are SHA-256 of a label each.
    static var secret: [UInt8] { sha256("pushkit-forgerock-secret-0") }
    static var registrationChallenge: [UInt8] { sha256("pushkit-forgerock-reg-2") }
    static var challenge: [UInt8] { sha256("pushkit-forgerock-auth-0") }
}

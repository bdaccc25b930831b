import Foundation
import PushCore

@testable import PushPowerAuth

extension RequestSignature {
    /// As vectors have a nonce.
    static func normalized(
        method: String = "POST", uriID: String, nonce: Data, body: Data, applicationSecret: Secret
    ) -> Secret {
        normalized(
            method: method, uriID: uriID, nonce: Array(nonce), body: body,
            applicationSecret: applicationSecret)
    }
}

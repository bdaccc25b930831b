import Foundation
import PushJOSE
import Receiving

try await receive { _ in
    let key = try ES256PublicKey(JWK(parsing: Data()))
    _ = try UnverifiedJWT(parsing: "").verified(by: key)
    return []
}

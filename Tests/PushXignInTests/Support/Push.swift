import Crypto
import Foundation
import PushCore

/// A push of `docs/vendors/xignin-oxrw.md#3-a-push`, for tests to bend.
struct Push: Sendable {
    var header: JSON.Object
    var claims: JSON.Object

    init(_ header: JSON.Object, _ claims: JSON.Object) {
        (self.header, self.claims) = (header, claims)
    }

    /// The same push with a claim changed; `nil` takes it away.
    func with(_ name: String, _ value: JSON?) -> Push {
        var copy = self
        copy.claims[name] = value
        return copy
    }

    func with(header name: String, _ value: JSON?) -> Push {
        var copy = self
        copy.header[name] = value
        return copy
    }

    func token(_ key: SigningKey) throws -> String {
        try Token(header: header, claims: claims).signed(by: key)
    }

    func data(_ key: SigningKey) throws -> [String: String] { Self.data(try token(key)) }

    func message(_ key: SigningKey) throws -> PushMessage { PushMessage(fcm: try data(key)) }

    /// A token as Firebase delivers it.
    static func data(_ token: String, envelope: String = "1") -> [String: String] {
        ["oxrw": envelope, "oxrw_msg": token]
    }
}

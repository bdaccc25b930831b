import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushKeycloak

extension Vectors {
    /// The worked example.
    init() throws { try self.init("examples", in: Bundle.module.resourceURL) }

    var deviceKey: DeviceKey {
        get throws {
            try DeviceKey(stored: Base64.secret(from: text("devicePrivateNumber"), as: .url))
        }
    }
}

/// A realm's key, made once.
struct RealmTestKey {
    static let one = RealmTestKey("realm-key-1", seed: 1)
    static let other = RealmTestKey("realm-key-2", seed: 2)

    let name: String
    private let key: ES256PrivateKey?

    init(_ name: String, seed: UInt64) {
        self.name = name
        key = try? ES256PrivateKey(SeededRandom(seed: seed).bytes(32))
    }

    func signed(_ claims: JSON.Object, header: JSON.Object = [:]) throws -> String {
        var parameters: JSON.Object = ["alg": "ES256", "kid": .string(name), "typ": "JWT"]
        for (name, value) in header.members { parameters[name] = value }
        return try #require(key).compactJWS(of: JSON.object(claims).data, header: parameters)
    }

    var jwk: JSON {
        get throws {
            .object(
                try #require(key).publicKey.jwk(
                    adding: ["kid": .string(name), "alg": "ES256", "use": "sig"]
                ).members)
        }
    }
}

extension JSON.Object {
    /// The same with other members; `nil` removes one.
    func with(_ changes: [String: JSON?]) -> JSON.Object {
        var object = self
        for (name, value) in changes { object[name] = value }
        return object
    }
}

/// What a device sent.
struct SentToken {
    let header: JSON.Object
    let claims: JSON.Object

    init(_ text: String) throws {
        let token = try #require(CompactToken(text))
        (header, claims) = (token.header, token.claims)
    }
}

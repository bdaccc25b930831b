import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

extension Vectors {
    /// The whole of `docs/vendors/xignin-oxrw.md#11-a-worked-example`.
    init() throws {
        let file = try Vectors("worked-example", in: Bundle.module.resourceURL)
        self.init(values: try file.object("vectors"))
    }

    /// A push of either list, by its name.
    func push(_ name: String) throws -> String {
        let found = self["push_oxrw_msg", name] ?? self["negative_push_oxrw_msg", name]
        return try #require(found?.string, "The example has no push \(name).")
    }

    func privateKey(_ name: String) throws -> SigningKey {
        let scalar = try #require(decoded(base64url: text("keys", "\(name)_private", "d")))
        return try SigningKey(rawRepresentation: Data(scalar))
    }
}

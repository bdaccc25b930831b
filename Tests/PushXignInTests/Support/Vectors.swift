import Crypto
import Foundation
import IndependentEncodings
import PushCore
import Testing

/// The whole of `docs/vendors/xignin-oxrw.md#11-a-worked-example`. The file names its source.
struct Vectors {
    private let root: JSON

    init() throws {
        let file = try #require(Bundle.module.resourceURL).appending(
            path: "Vectors/worked-example.json")
        root = try #require(JSON(parsing: Data(contentsOf: file))["vectors"])
    }

    /// One value, by its path in the example.
    subscript(_ path: String...) -> JSON? {
        path.reduce(root as JSON?) { $0?[$1] }
    }

    /// The object at a path.
    func object(_ path: String...) throws -> JSON {
        try #require(path.reduce(root as JSON?) { $0?[$1] }, "The example has no \(path).")
    }

    func text(_ path: String...) throws -> String {
        try #require(path.reduce(root as JSON?) { $0?[$1] }?.string, "No text at \(path).")
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

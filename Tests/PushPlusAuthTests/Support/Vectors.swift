import Foundation
import PushCore
import PushTesting
import Testing

extension Vectors {
    /// The worked examples.
    init() throws { try self.init("worked-example", in: Bundle.module.resourceURL) }

    func callAsFunction(_ name: String) throws -> String { try text(name) }

    /// An object that is written as a text.
    func parsed(_ name: String) throws -> JSON.Object {
        try #require(JSON(parsing: text(name)).object)
    }

    /// One of the two test keys: `rsa` or `ec`.
    func key(_ name: String) throws -> AccountKey {
        try AccountKey(privateJWK: parsed("\(name)_private_jwk"))
    }
}

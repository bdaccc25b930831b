import Foundation
import PushCore
import Testing

/// The worked examples. Each group names its source.
struct Vectors {
    private struct Group: Decodable {
        let name: String
        let source: String
        let values: [String: String]
    }

    private let values: [String: String]

    init() throws {
        let file = try #require(Bundle.module.resourceURL).appending(
            path: "Vectors/worked-example.json")
        let groups = try JSONDecoder().decode([Group].self, from: Data(contentsOf: file))
        values = groups.reduce(into: [:]) { values, group in
            values.merge(group.values) { first, _ in first }
        }
    }

    /// One example, by its name in the file.
    func callAsFunction(_ name: String) throws -> String {
        try #require(values[name], "There is no example \(name).")
    }

    func object(_ name: String) throws -> JSON.Object {
        try #require(JSON(parsing: self(name)).object)
    }

    /// One of the two test keys: `rsa` or `ec`.
    func key(_ name: String) throws -> AccountKey {
        try AccountKey(privateJWK: object("\(name)_private_jwk"))
    }
}

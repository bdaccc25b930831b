import Foundation
import IndependentEncodings
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

    func data(_ name: String) throws -> Data { Data(try self(name).utf8) }

    /// An example whose value is written in hexadecimal digits.
    func bytes(_ name: String) throws -> [UInt8] {
        let text = try self(name)
        let isHexadecimal = text.allSatisfy(\.isHexDigit)
        try #require(isHexadecimal, "Not hexadecimal: \(text)")
        return IndependentEncodings.bytes(hex: text)
    }
}

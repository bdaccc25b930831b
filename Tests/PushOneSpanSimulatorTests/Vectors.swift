import Foundation
import IndependentEncodings
import PushCore
import Testing

/// The published test vectors of OOC/1.
struct Vectors {
    private let values: JSON

    init() throws {
        let url = try #require(
            Bundle.module.url(forResource: "ooc", withExtension: "json", subdirectory: "Vectors"))
        values = try #require(try JSON(parsing: Data(contentsOf: url))["values"])
    }

    subscript(name: String) -> [UInt8] {
        get throws { bytes(hex: try #require(values[name]?.string)) }
    }
}

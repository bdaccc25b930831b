import Foundation
import PushCore
import Testing

/// JSON inside an app's own `Codable` types.
struct JSONCodableTests {
    private let value: JSON = [
        "null": nil, "bool": true, "zero": 0, "integer": 9_007_199_254_740_993, "text": "é\n",
        "array": [1, "two", [false]], "object": ["inner": [:]],
        "double": .number(JSON.Number(0.1) ?? .init(0)),
        "huge": .number(JSON.Number(1e300) ?? .init(0)),
    ]

    @Test func `a value survives a JSON encoder`() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSON.self, from: data) == value)
    }

    @Test func `a value survives a property list encoder`() throws {
        let data = try PropertyListEncoder().encode(["value": value])
        #expect(try PropertyListDecoder().decode([String: JSON].self, from: data)["value"] == value)
    }

    @Test func `what is no JSON value is refused by a decoder`() throws {
        let data = try PropertyListEncoder().encode([Date(timeIntervalSince1970: 0)])
        #expect(throws: (any Error).self) {
            try PropertyListDecoder().decode([JSON].self, from: data)
        }
    }
}

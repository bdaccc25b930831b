import Foundation
import PushCore
import Testing

/// Worked examples, by file. Each file names its source.
struct Vectors {
    let values: JSON.Object

    init(_ name: String) throws {
        let file = try #require(Bundle.module.resourceURL)
            .appending(path: "Vectors/\(name).json")
        let json = try JSON(parsing: Data(contentsOf: file))
        #expect(json["source"]?.string?.isEmpty == false)
        values = try #require(json["values"]?.object)
    }

    func object(_ name: String) throws -> JSON.Object {
        try #require(values[name]?.object, "There is no example \(name).")
    }
}

package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Worked examples, from the folder `Vectors` of a suite's resources. Each file names its source.
package struct Vectors: Sendable {
    /// The examples by name, as the file has them.
    package let values: JSON.Object

    /// Takes examples that were read before.
    package init(values: JSON.Object) { self.values = values }

    /// Reads a file: an object, whose member `values` has the examples unless it has them itself; or
    /// a list of such objects, which are read as one.
    ///
    /// - Throws: What reading the file throws, and an error if it has no source.
    package init(_ name: String, in resources: URL?) throws {
        guard let file = resources?.appending(path: "Vectors/\(name).json") else {
            throw Missing(path: ["the resources"])
        }
        let json = try JSON(parsing: Data(contentsOf: file), limits: JSON.Limits(bytes: 1 << 20))
        values = try (json.array ?? [json]).reduce(into: [:]) { values, group in
            guard group["source"]?.string?.isEmpty == false else { throw Missing(path: ["source"]) }
            for (name, value) in (group["values"]?.object ?? group.object ?? [:]).members {
                values[name] = values[name] ?? value
            }
        }
    }

    /// An example, by the names of the members that lead to it.
    package subscript(path: String...) -> JSON? { self[path] }

    private subscript(path: [String]) -> JSON? {
        path.reduce(JSON.object(values)) { $0?[$1] }
    }

    /// A text, by the names of the members that lead to it.
    ///
    /// - Throws: An error if there is none.
    package func text(_ path: String...) throws -> String {
        guard let text = self[path]?.string else { throw Missing(path: path) }
        return text
    }

    /// An object, by the names of the members that lead to it.
    ///
    /// - Throws: An error if there is none.
    package func object(_ path: String...) throws -> JSON.Object {
        guard let object = self[path]?.object else { throw Missing(path: path) }
        return object
    }

    private struct Missing: Error { let path: [String] }
}

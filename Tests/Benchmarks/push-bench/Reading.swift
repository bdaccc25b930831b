import Foundation
import Harness
import PushCore

/// The strict reader beside Foundation's two, which check less: they take duplicate names.
func reading() -> [Comparison] {
    [
        compare("JSON: a push", Document.push, as: Push.self),
        compare("JSON: an array of objects", Document.rows, as: [Row].self),
        compare("JSON: deep nesting", Document.nested, as: Nested.self),
        compare("JSON: strings with escapes", Document.strings, as: [String].self),
    ]
}

private func compare<Value: Decodable>(
    _ name: String, _ document: Data, as type: Value.Type
) -> Comparison {
    var comparison = Comparison("\(name), \(document.count) bytes", bytes: document.count)
    comparison.add("strict reader") { keep(try JSON(parsing: document)) }
    comparison.add("JSONSerialization") {
        keep(try JSONSerialization.jsonObject(with: document))
    }
    let decoder = JSONDecoder()
    comparison.add("JSONDecoder") { keep(try decoder.decode(type, from: document)) }
    return comparison
}

private struct Push: Decodable {
    struct APS: Decodable {
        struct Alert: Decodable {
            let title: String
            let body: String
        }

        let alert: Alert
        let category: String
        let badge: Int
    }

    let aps: APS
    let id: String
    let issued: Double
    let message: String
}

private struct Row: Decodable {
    let id: Int
    let account: String
    let amount: Double
    let open: Bool
}

private indirect enum Nested: Decodable {
    case inner(Nested)
    case end

    private enum Name: CodingKey { case inner }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        let inner = try container.decodeIfPresent(Nested.self, forKey: .inner)
        self = inner.map(Self.inner) ?? .end
    }
}

import Foundation
import Hummingbird

/// The fields of a form that a browser posted.
struct Form {
    private let fields: [String: String]

    init(_ request: Request) async throws {
        let body = try await request.body.collect(upTo: 4096)
        var fields: [String: String] = [:]
        for pair in String(buffer: body).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            guard let name = parts.first else { continue }
            fields[name] = parts.count == 2 ? parts[1] : ""
        }
        self.fields = fields
    }

    subscript(name: String) -> String? { fields[name] }
}

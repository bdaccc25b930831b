import Foundation
import HTTPTypes
import PushCore

/// A push, and the request that answers it.
struct HeldAnswer: Sendable {
    let push: Data
    let request: HTTPRequest
    let body: Data

    init(push: Data, request: HTTPRequest, body: Data) {
        self.push = push
        self.request = request
        self.body = body
    }

    var json: JSON {
        let headers = request.headerFields.map { field -> JSON in
            [.string(field.name.rawName), .string(field.value)]
        }
        return [
            "push": .string(push.base64EncodedString()), "method": .string(request.method.rawValue),
            "scheme": .string(request.scheme ?? ""), "authority": .string(request.authority ?? ""),
            "path": .string(request.path ?? ""), "headers": .array(headers),
            "body": .string(body.base64EncodedString()),
        ]
    }

    init?(_ json: JSON) {
        func data(_ name: String) -> Data? {
            json[name]?.string.flatMap { Data(base64Encoded: $0) }
        }
        guard let push = data("push"), let body = data("body"),
            let name = json["method"]?.string, let method = HTTPRequest.Method(name)
        else { return nil }
        var request = HTTPRequest(
            method: method, scheme: json["scheme"]?.string, authority: json["authority"]?.string,
            path: json["path"]?.string)
        for header in json["headers"]?.array ?? [] {
            let parts = header.array?.compactMap(\.string) ?? []
            guard parts.count == 2, let name = HTTPField.Name(parts[0]) else { return nil }
            request.headerFields.append(HTTPField(name: name, value: parts[1]))
        }
        self.init(push: push, request: request, body: body)
    }
}

/// A network that reaches nobody, and keeps what it was to send.
actor HoldingTransport: Transport {
    private var held: [(HTTPRequest, Data)] = []

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        held.append((request, body))
        throw PushError(.unreachable, "It is held back.")
    }

    /// What it was to send last.
    func take() -> (HTTPRequest, Data)? {
        defer { held = [] }
        return held.last
    }
}

/// A store that is only read: what is written goes into memory, and is measured.
actor OverlaidStore: CredentialStore {
    private let base: any CredentialStore
    private var written: [RecordKey: (value: Secret, revision: Revision)?] = [:]
    private var last: UInt64 = 0

    /// The sizes of what was written, in order.
    private(set) var sizes: [Int] = []

    init(over base: any CredentialStore) { self.base = base }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        if let known = written[key] { return known }
        return try await base.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard try await read(key)?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        last += 1
        let new = Revision(last)
        written.updateValue(value.map { ($0, new) }, forKey: key)
        sizes.append(value?.count ?? 0)
        return value.map { _ in new }
    }

    func discard(_ key: RecordKey) async throws(PushError) {}

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}

import Foundation
import HTTPTypes
import PushCore

/// A store of which each call is counted and timed.
struct MeteredStore<Base: CredentialStore>: CredentialStore {
    let base: Base
    let meter: Meter

    var isShared: Bool { base.isShared }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await meter.metering("read") { () async throws(PushError) in
            try await base.read(key)
        }
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await meter.metering("write") { () async throws(PushError) in
            try await base.write(value, for: key, replacing: revision, waits: waits)
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await meter.metering("discard") { () async throws(PushError) in
            try await base.discard(key)
        }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await meter.metering(waiting ? "waiting_names" : "names") {
            () async throws(PushError) in
            try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
        }
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        try await meter.metering("read_all") { () async throws(PushError) in
            try await base.read(all: keys)
        }
    }
}

extension MeteredStore: WalkableStore where Base: WalkableStore {
    func page(after key: RecordKey?, limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        try await meter.metering("page") { () async throws(PushError) in
            try await base.page(after: key, limit: limit)
        }
    }
}

/// A network of which it is noted which servers want to be left alone.
struct MeteredTransport: Transport {
    let base: any Transport
    let meter: Meter

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let reply = try await base.send(request, body: body)
        meter.note(reply.response, of: request.authority ?? "")
        return reply
    }
}

extension Meter: Instrument {
    func around(_ store: some CredentialStore) -> any CredentialStore {
        MeteredStore(base: store, meter: self)
    }

    func around(_ transport: any Transport) -> any Transport {
        MeteredTransport(base: transport, meter: self)
    }
}

import Foundation
import HTTPTypes
import PushCore

/// No network: for looking at a store.
struct NoTransport: Transport {
    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        throw PushError(.unreachable, "Nothing is sent while a store is looked at.")
    }
}

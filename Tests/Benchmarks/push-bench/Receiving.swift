import Crypto
import Foundation
import Harness
import PushBenchmarks
import PushCore
import PushTesting

/// From the bytes of a push to a verified notice, on one thread.
func receiving() async throws -> [Comparison] {
    let device = try await EnrolledDevice()
    return [try whole(device), try await steps(device)]
}

/// Beside what nobody can do without, and beside Foundation doing the smaller part of the work.
private func whole(_ device: EnrolledDevice) throws -> Comparison {
    let push = device.push
    let claims = device.claims
    let key = EnrolledDevice.secret.withBytes { SymmetricKey(data: $0) }
    let registry = device.registry
    let environment = device.environment
    let decoder = JSONDecoder()

    var comparison = Comparison("Receive: a push of \(push.count) bytes")
    comparison.add("JSONDecoder: the claims alone") {
        keep(try decoder.decode(Claims.self, from: claims))
    }
    comparison.add("receive: bytes to notice") {
        keep(try await registry.events(from: PushMessage(json: push), in: environment))
    }
    comparison.add("HMAC-SHA256 of the bytes alone") {
        keep(HMAC<SHA256>.authenticationCode(for: push, using: key))
    }
    comparison.add("Foundation: bytes to claims") {
        let token = try decoder.decode(APNs.self, from: push).aps.data
        keep(try decoder.decode(Claims.self, from: verified(token, by: key)))
    }
    return comparison
}

/// Where the time of a receive goes.
private func steps(_ device: EnrolledDevice) async throws -> Comparison {
    let push = device.push
    let registry = device.registry
    let message = try PushMessage(json: push)
    let text = device.token
    let token = try Inner.Token(text, secret: EnrolledDevice.secret)
    let payload = JSON.object(try token.verified()).data
    let environment = device.environment
    let accounts = environment.accounts(for: device.provider.id)
    let sealed: Secret = try await accounts.existing(device.enrollment.id).credential()
    let names = try await environment.store.names(in: "enrollment")
    let key = RecordKey("enrollment", names.first ?? "")

    var comparison = Comparison("Receive, step by step")
    comparison.add("receive: bytes to notice") {
        keep(try await registry.events(from: PushMessage(json: push), in: environment))
    }
    comparison.add("the push: JSON") { keep(try PushMessage(json: push)) }
    comparison.add("recognition") { keep(device.provider.candidate(in: message)) }
    comparison.add("the JWT: Base64 and JSON") {
        keep(try Inner.Token(text, secret: EnrolledDevice.secret))
    }
    comparison.add("store: read") { keep(try await environment.store.read(key)) }
    comparison.add("store: the account") {
        keep(try await accounts.existing(device.enrollment.id))
    }
    comparison.add("the provider's half: decode") { keep(try Secret.Record(reading: sealed)) }
    comparison.add("the JWT: HMAC") { keep(try token.verified()) }
    comparison.add("notice") {
        let id = Challenge.ID(device.enrollment.id.name, of: device.enrollment.id)
        keep(Notice(id: id, body: "Login attempt from jane at Example Bank", proof: .mac))
    }
    comparison.add("context: seal") {
        let payload = Secret(payload)
        keep(Secret.Record(fields: ["messageId": "1"], secrets: [payload]).sealed)
    }
    return comparison
}

/// What an app without this SDK might write, without the look-up of the key.
private func verified(_ token: String, by key: SymmetricKey) throws -> Data {
    let parts = token.split(separator: ".")
    let input = Data("\(parts[0]).\(parts[1])".utf8)
    guard parts.count == 3, let payload = data(fromURLSafe: parts[1]),
        let code = data(fromURLSafe: parts[2]),
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: input, using: key)
    else { throw PushError(.untrusted, "The authentication code is wrong.") }
    return payload
}

private func data(fromURLSafe text: Substring) -> Data? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
    return Data(base64Encoded: standard + padding)
}

private struct APNs: Decodable {
    struct APS: Decodable { let data: String }

    let aps: APS
}

/// What a push of ForgeRock's says.
struct Claims: Codable, Sendable {
    let u: String
    let l: String
    let c: String
    let m: String
    let k: String
    let i: String
    let t: String
    let d: String
    let p: String
    let x: String
    let n: String
}

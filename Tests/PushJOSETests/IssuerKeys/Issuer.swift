import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

/// An issuer that publishes a set and rotates its keys, and a client that verifies by them.
final class Issuer: Sendable {
    struct Reply: Sendable {
        var status = HTTPResponse.Status.ok
        var headers: HTTPFields = [.contentType: "application/json"]
        var body: Data?
    }

    let url: Endpoint
    let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
    let keys: IssuerKeys
    let transport: SimulatedTransport
    let faults = FaultPlan()

    private let names = Locked<[String]>([])
    private let reply = Locked(Reply())
    private let gate = Locked<Gate?>(nil)
    private let key = P384.Signing.PrivateKey()

    init() throws {
        url = try Endpoint("https://issuer.example/keys")
        let (names, reply, gate, point) = (names, reply, gate, key.publicKey.rawRepresentation)
        transport = SimulatedTransport(faults: faults) { _, _ in
            await gate.withLock { $0 }?.pass()
            let keys = names.withLock { $0 }.map { name in
                JSON.object(IssuerKey.jwk("P-384", point, adding: ["kid": .string(name)]))
            }
            let reply = reply.withLock { $0 }
            return (
                HTTPResponse(status: reply.status, headerFields: reply.headers),
                reply.body ?? JSON.object(["keys": .array(keys)]).data
            )
        }
        keys = IssuerKeys(
            in: PushEnvironment(
                transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.absent(),
                clock: clock, device: Device(name: "Test")))
    }

    /// Publishes keys of these names, and no others.
    func publish(_ names: String..., cacheControl: String? = nil, age: String? = nil) {
        self.names.withLock { $0 = names }
        reply.withLock { reply in
            reply.headers[.cacheControl] = cacheControl
            reply.headers[.age] = age
        }
    }

    /// Replies so from now on.
    func answer(_ reply: Reply) { self.reply.withLock { $0 = reply } }

    /// Lets no reply out before the gate is open.
    func hold(at gate: Gate) { self.gate.withLock { $0 = gate } }

    /// A token signed with the issuer's key, under a name.
    func token(_ name: String?) throws -> UnverifiedJWT {
        let header = name.map { #"{"alg":"ES384","kid":"\#($0)"}"# } ?? #"{"alg":"ES384"}"#
        let text = try signedJWS(header: header, payload: #"{"a":1}"#, by: Signer(key: key))
        return try UnverifiedJWT(parsing: text)
    }

    /// The code that refuses a token of that name; `nil` if it is verified.
    func refusal(_ name: String?) async throws -> PushError.Code? {
        let token = try token(name)
        do throws(PushError) {
            let claims = try await keys.verified(token, at: url).claims
            #expect(claims["a"]?.integer == 1)
            return nil
        } catch {
            return error.code
        }
    }

    var fetches: Int { get async { await transport.exchanges.count } }

    private struct Signer: JWSSigningKey {
        let key: P384.Signing.PrivateKey
        let algorithm = "ES384"

        func signature(over message: Data) throws(PushError) -> Data {
            do {
                return try key.signature(for: message).rawRepresentation
            } catch {
                throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
            }
        }
    }
}

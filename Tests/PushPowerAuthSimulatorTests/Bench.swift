import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A server on a clock that the test moves, with a way to speak HTTP to it.
struct Bench {
    typealias Reply = SimulatedReply
    typealias Options = PowerAuthSimulator.ActivationOptions
    typealias Temporary = (id: String, key: P256.KeyAgreement.PublicKey)

    let server: PowerAuthSimulator
    let clock = ManualClock(Date(timeIntervalSince1970: 1_730_000_000.25))

    init(_ change: (inout PowerAuthSimulator.Configuration) -> Void = { _ in }) {
        var configuration = PowerAuthSimulator.Configuration(
            clock: clock, random: SeededRandom(seed: 7))
        change(&configuration)
        server = PowerAuthSimulator(configuration)
    }

    /// The device's time, in milliseconds.
    var now: Int { Int((clock.now.timeIntervalSince1970 * 1000).rounded(.down)) }

    var app: Phone.App {
        get async throws { try Phone.App(await server.sdkConfiguration) }
    }

    func post(
        _ path: String, _ body: Data, _ headers: [String: String] = [:],
        method: HTTPRequest.Method = .post, type: String? = "application/json"
    ) async throws -> Reply {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let endpoint = try Endpoint("https://mobile.powerauth.example\(path)")
        return await server.answer(to: endpoint.request(method, headers: fields), body)
    }

    func post(
        _ path: String, _ json: JSON, _ headers: [String: String] = [:]
    ) async throws -> Reply {
        try await post(path, json.data, headers)
    }

    // MARK: Temporary keys

    func requestToken(_ claims: JSON.Object, by key: Data, algorithm: String = "HS256") -> String {
        CompactJWS.text(["alg": .string(algorithm), "typ": "JWT"], .object(claims)) {
            Raw.hmac(key, $0)
        }
    }

    func askForKey(_ claims: JSON.Object, by key: Data) async throws -> Reply {
        try await post(
            "/pa/v3/keystore/create",
            ["requestObject": ["jwt": .string(requestToken(claims, by: key))]])
    }

    func keyRequest(
        _ app: Phone.App, for phone: Phone? = nil
    ) throws -> (claims: JSON.Object, key: Data) {
        var claims: JSON.Object = ["applicationKey": .string(app.key)]
        claims["activationId"] = phone.map { .string($0.id) }
        claims["challenge"] = .string(Raw.random(18).base64EncodedString())
        let secret = try b64(app.secret)
        guard let phone else { return (claims, secret) }
        return (claims, Raw.xor16(Raw.hmac(phone.transport, secret)))
    }

    /// A temporary key, checked as a device has to.
    func temporaryKey(_ app: Phone.App, for phone: Phone? = nil) async throws -> Temporary {
        let request = try keyRequest(app, for: phone)
        let reply = try await askForKey(request.claims, by: request.key)
        let token = try CompactJWS(#require(reply.object?["jwt"]?.string))
        #expect(token.header["alg"] == "ES256")
        let signer = try P256.Signing.PublicKey(
            x963Representation: (phone?.serverKey ?? app.masterKey).x963Representation)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        try #require(signer.isValidSignature(signature, for: token.signed))
        let claims = token.claims
        for (name, value) in request.claims.members { #expect(claims[name] == value) }
        #expect(claims["activationId"]?.string == phone?.id)
        #expect(claims["iat_ms"]?.integer == Int64(now))
        let key = try P256.KeyAgreement.PublicKey(
            x963Representation: b64(claims["publicKey"]?.string))
        return (try #require(claims["sub"]?.string), key)
    }

    // MARK: Activation

    /// A request to activate, with each part open to changes.
    struct Exchange {
        var version = "3.3"
        var code: String
        var key = P256.KeyAgreement.PrivateKey()
        var inner: JSON.Object
        var outer: JSON.Object
        var header: String?

        init(_ code: String, version: String = "3.3") {
            self.code = code
            self.version = version
            inner = [
                "devicePublicKey": .string(
                    key.publicKey.compressedRepresentation.base64EncodedString()),
                "activationName": "Ada's phone", "platform": "ios", "deviceInfo": "iPhone12,3",
            ]
            outer = ["type": "CODE", "identityAttributes": ["code": .string(code)]]
        }
    }

    func target(_ app: Phone.App, version: String = "3.3") async throws -> Envelope.Target {
        let temporary = version == "3.3" ? try await temporaryKey(app) : nil
        return Envelope.Target(
            version: version, applicationKey: app.key, applicationSecret: app.secret,
            key: temporary?.key ?? app.masterKey, keyID: temporary?.id)
    }

    func encryptionHeader(_ app: Phone.App, version: String = "3.3") -> [String: String] {
        [
            "X-PowerAuth-Encryption":
                "PowerAuth version=\"\(version)\", application_key=\"\(app.key)\""
        ]
    }

    func send(_ exchange: Exchange) async throws -> (reply: Reply, answer: JSON?) {
        let app = try await app
        let target = try await target(app, version: exchange.version)
        let inner = try Envelope(
            JSON.object(exchange.inner).data, "/pa/activation", to: target, at: now)
        var plain = exchange.outer
        plain["activationData"] = .object(inner.members)
        let outer = try Envelope(
            JSON.object(plain).data, "/pa/generic/application", to: target, at: now)
        let reply = try await post(
            "/pa/v3/activation/create", .object(outer.members),
            encryptionHeader(app, version: exchange.version))
        guard reply.status == 200 else { return (reply, nil) }
        let layer = try outer.open(reply.json)
        return (reply, try inner.open(layer["activationData"]))
    }

    /// A device whose keys were exchanged.
    func exchanged(
        _ user: String = "ada", _ options: Options = Options(), version: String = "3.3"
    ) async throws -> Phone {
        let code = try await server.createActivation(for: user, options).code
        let exchange = Exchange(code, version: version)
        let answer = try #require(try await send(exchange).answer)
        return try Phone(await app, version: version, key: exchange.key, answer)
    }

    /// A device that can sign.
    func active(
        _ user: String = "ada", version: String = "3.3", flags: Set<String> = []
    ) async throws -> Phone {
        var options = Options()
        options.flags = flags
        let phone = try await exchanged(user, options, version: version)
        try await server.commit(phone.id)
        return phone
    }

    func record(_ phone: Phone) async throws -> PowerAuthSimulator.ActivationRecord {
        try await server.activation(phone.id)
    }

    // MARK: Calls

    func signed(
        _ phone: Phone, _ path: String, _ uriID: String, _ body: JSON = [:],
        _ type: String = "possession_knowledge", _ twist: Phone.Twist = .init()
    ) async throws -> Reply {
        let header = phone.header(type, uriID, body.data, twist)
        return try await post(path, body, ["X-PowerAuth-Authorization": header])
    }

    func validate(
        _ phone: Phone, _ type: String = "possession_knowledge", _ twist: Phone.Twist = .init()
    ) async throws -> Reply {
        try await signed(
            phone, "/pa/v3/signature/validate", "/pa/signature/validate",
            ["requestObject": ["reason": "TEST"]], type, twist)
    }

    func activationTarget(_ phone: Phone) async throws -> Envelope.Target {
        let isNew = phone.version == "3.3"
        return phone.target(isNew ? try await temporaryKey(phone.app, for: phone) : nil)
    }

    /// A device with a token.
    func tokened(_ user: String = "ada", version: String = "3.3") async throws -> Phone {
        let phone = try await active(user, version: version)
        try await makeToken(phone)
        return phone
    }

    func makeToken(_ phone: Phone, _ type: String = "possession") async throws {
        let envelope = try Envelope(
            Data("{}".utf8), "/pa/token/create", to: await activationTarget(phone), at: now)
        let reply = try await signed(
            phone, "/pa/v3/token/create", "/pa/token/create", .object(envelope.members), type)
        #expect(reply.status == 200)
        let answer = try envelope.open(reply.json)
        phone.token = (
            try #require(answer["tokenId"]?.string), try b64(answer["tokenSecret"]?.string)
        )
    }

    func read(
        _ phone: Phone, _ path: String, _ object: JSON? = nil
    ) async throws -> Reply {
        try await post(
            path, object.map { ["requestObject": $0] } ?? [:],
            ["X-PowerAuth-Token": phone.tokenHeader(at: now)])
    }

    static let operations = "/api/auth/token/app/operation"

    func register(_ phone: Phone, _ object: JSON) async throws -> Reply {
        try await read(phone, "/api/push/device/register/token", object)
    }

    /// A device that pushes reach.
    func reachable(_ user: String = "ada", token: String = String(repeating: "0A", count: 32))
        async throws -> Phone
    {
        let phone = try await tokened(user)
        #expect(
            try await register(
                phone, ["platform": "apns", "environment": "production", "token": .string(token)]
            ).status == 200)
        _ = await server.takePushes()
        return phone
    }

    func authorize(
        _ phone: Phone, _ id: String, data: String, _ type: String = "possession_knowledge",
        near: JSON? = nil, twist: Phone.Twist = .init()
    ) async throws -> Reply {
        var object: JSON.Object = ["id": .string(id), "data": .string(data)]
        object["proximityCheck"] = near
        return try await signed(
            phone, Self.operations + "/authorize", "/operation/authorize",
            ["requestObject": .object(object)], type, twist)
    }

    func cancel(
        _ phone: Phone, _ id: String, _ reason: String = "UNKNOWN", _ type: String = "possession"
    ) async throws -> Reply {
        try await signed(
            phone, Self.operations + "/cancel", "/operation/cancel",
            ["requestObject": ["id": .string(id), "reason": .string(reason)]], type)
    }

    // MARK: Status

    func status(_ id: String, _ challenge: Data = Raw.random(16)) async throws -> Reply {
        try await post(
            "/pa/v3/activation/status",
            [
                "requestObject": [
                    "activationId": .string(id),
                    "challenge": .string(challenge.base64EncodedString()),
                ]
            ])
    }

    /// The decrypted status blob.
    func blob(_ phone: Phone) async throws -> [UInt8] {
        let challenge = Raw.random(16)
        let object = try await status(phone.id, challenge).object
        let nonce = try b64(object?["nonce"]?.string)
        let iv = Raw.xor16(Raw.hmac(try Raw.kdf(phone.transport, 3000), challenge + nonce))
        return [UInt8](
            try Raw.unaes(
                b64(object?["encryptedStatusBlob"]?.string), phone.transport, iv: iv, pads: false))
    }
}

extension SimulatedReply {
    var object: JSON? { json?["responseObject"] }
    var code: String? { object?["code"]?.string }
}

extension Vectors {
    /// Worked examples, by file.
    init(_ name: String) throws { try self.init(name, in: Bundle.module.resourceURL) }
}

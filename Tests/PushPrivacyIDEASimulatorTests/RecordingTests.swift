import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// The recorded requests of a device to privacyIDEA 3.14, sent to the simulator as they are, and what
/// the relying party was told between them.
@Suite struct RecordingTests {
    private let vectors: Vectors
    private let bench: Bench

    private static let serial = "PIPU0000976B"

    init() throws {
        vectors = try Vectors("recording", in: Bundle.module.resourceURL)
        let pkcs1 = try #require(vectors["keys"]?["server"]?.string)
        let key = try PrivacyIDEASimulator.ServerKey(
            pkcs1: Secret(try #require(Data(base64Encoded: pkcs1))))
        bench = Bench {
            $0.serverKeys = .reusing([key])
            $0.question = "Log in as Ada from {client_ip}?"
            $0.clientAddress = "127.0.0.1"
            $0.presence = .custom(["78", "25", "46"])
        }
    }

    private var exchanges: [JSON] { vectors["recording"]?.array ?? [] }

    @Test func `every exchange of the recording has the same status and shape here`()
        async throws
    {
        var login: SimulatedLogin?
        var compared = 0
        var code = ""
        for exchange in exchanges {
            let name = try #require(exchange["name"]?.string)
            if let uri = exchange["uri"]?.string {
                try await checkCode(uri)
            } else if exchange["reply"] != nil {
                let reply = try await replay(exchange, name)
                code = reply.json?["detail"]?["display_code"]?.string ?? code
                compared += 1
            } else if let message = exchange["fcmMessage"] {
                login = try await start(name, message)
            } else if let login, let told = exchange["authentication"]?.string {
                try await checkRelyingParty(login, name, told, exchange["status"]?.string, code)
            }
        }
        #expect(compared == 31)
    }

    private func checkCode(_ uri: String) async throws {
        let recorded = try Code(uri)
        let credential = try #require(recorded["enrollment_credential"])
        bench.random.add(bytes(hex: credential))
        #expect(try await bench.server.enrollmentURI(for: "ada", serial: Self.serial) == uri)
    }

    private func start(_ name: String, _ recorded: JSON) async throws -> SimulatedLogin {
        let asksForNumber = name.contains("number")
        bench.random.add(try bytes(base32: try #require(recorded["data"]?["nonce"]?.string)))
        bench.random.chooseFirst(asksForNumber)
        let sendsCode = name.contains("code")
        await bench.server.configure { $0.sendsCodeToPhone = sendsCode }
        let login = try await bench.server.startLogin(
            of: "ada", asking: asksForNumber ? .number : .confirm)
        bench.random.chooseFirst(false)
        let request = try #require(await bench.server.takeGatewayRequests().last)
        let difference = try Shape.difference(
            between: recorded, and: JSON(parsing: request.body), at: "")
        #expect(difference == nil, "\(name): \(difference ?? "")")
        if name.contains("deletes") { await bench.server.removeToken(Self.serial) }
        return login
    }

    private func replay(_ exchange: JSON, _ name: String) async throws -> Bench.Reply {
        try moveClock(to: try #require(exchange["date"]?.string))
        await bench.server.configure {
            $0.polling = name == "poll, not allowed" ? .deny : .allow
            $0.hidesErrors = name.hasSuffix("errors hidden")
        }
        let reply = await bench.send(
            exchange["method"]?.string == "GET" ? .get : .post,
            try #require(exchange["path"]?.string), exchange["body"]?.string ?? "")
        #expect(reply.status == exchange["status"]?.integer.map(Int.init), "\(name)")
        let (recorded, json) = (try #require(exchange["reply"]), try #require(reply.json))
        let difference = Shape.difference(between: recorded, and: json, at: "")
        #expect(difference == nil, "\(name): \(difference ?? "")")
        #expect(reply.headers[.date] == exchange["date"]?.string)
        return reply
    }

    private func checkRelyingParty(
        _ login: SimulatedLogin, _ name: String, _ told: String, _ status: String?, _ code: String
    ) async throws {
        if let status {
            #expect(try await bench.state(login) == "\(told) \(status)", "\(name)")
        } else {
            #expect(told == "ACCEPT")
            #expect(try await bench.server.finish(login.id, typing: code))
        }
    }

    private func moveClock(to text: String) throws {
        bench.clock.set(try #require(date(http: text)))
    }

    @Test(arguments: ["standard", "number", "standard of a server before 3.14"])
    func `a challenge is signed as other software signs it, byte for byte`(
        name: String
    ) async throws {
        let push = try #require(vectors["pushes"]?[name]?.object)
        let isOlder = name.hasSuffix("3.14")
        await bench.server.configure {
            $0.generation = isOlder ? .v313 : .v314
            $0.question = "Log in as Ada from 203.0.113.7?"
            $0.presence = .custom(["83", "07", "12"])
        }
        try await bench.enrolled(serial: try #require(push["serial"]?.string))
        bench.random.add(try bytes(base32: try #require(push["nonce"]?.string)))
        bench.random.chooseFirst(true)
        let fields = try await bench.login(name == "number" ? .number : .confirm).fields
        #expect(fields == push)
    }
}

/// What two JSON values have in common beside what differs from run to run.
enum Shape {
    /// The texts that a run makes, of which the length alone is compared.
    private static let lengths = ["signature", "capabilities_signature", "public_key"]

    /// The texts and numbers of which the kind alone is compared.
    private static let kinds = ["message", "time", "display_code", "apns-expiration", "threadid"]

    /// Where the first difference is; `nil` if there is none.
    static func difference(between one: JSON, and other: JSON, at path: String) -> String? {
        switch (one, other) {
        case (.object(let one), .object(let other)):
            let names = (Set(one.members.map(\.name)), Set(other.members.map(\.name)))
            guard names.0 == names.1 else {
                return "\(path): \(names.0.symmetricDifference(names.1).sorted())"
            }
            for member in one.members {
                let found = Self.difference(of: member, and: other[member.name] ?? .null, path)
                if let found { return found }
            }
            return nil
        case (.array(let one), .array(let other)):
            guard one.count == other.count else { return "\(path): \(other.count) elements" }
            return zip(one, other).lazy.compactMap { difference(between: $0, and: $1, at: path) }
                .first
        default: return one == other ? nil : "\(path): \(other.text), not \(one.text)"
        }
    }

    private static func difference(
        of member: JSON.Object.Member, and other: JSON, _ path: String
    ) -> String? {
        let path = "\(path)/\(member.name)"
        if let one = member.value.string, let other = other.string {
            if lengths.contains(member.name) {
                return one.utf8.count == other.utf8.count ? nil : "\(path): \(other.utf8.count)"
            }
            if kinds.contains(member.name) { return nil }
        }
        if member.value.double != nil, other.double != nil, kinds.contains(member.name) {
            return nil
        }
        return difference(between: member.value, and: other, at: path)
    }
}

import Foundation
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// Access tokens and proofs: what each check refuses, and which comes first.
@Suite struct ProofTests {
    /// A call that a test spoils.
    struct Attempt {
        var authorization: String?
        var header: JSON.Object
        var claims: JSON.Object
        var key: TestKey
        var proof: String?
        var hasProof = true
    }

    /// What a call of the device API is spoiled by, in the order of the server's checks.
    enum Fault: String, CaseIterable {
        case noToken = "401 DPoP access token required"
        case badToken = "401 Invalid access token"
        case noProof = "401 DPoP proof required"
        case noJWS = "400 Invalid DPoP proof"
        case algorithm = "400 Unsupported DPoP proof algorithm: PS256"
        case type = "400 DPoP proof missing typ=dpop+jwt"
        case method = "403 DPoP proof htm mismatch"
        case address = "403 DPoP proof htu mismatch"
        case late = "400 DPoP proof expired"
        case noName = "400 Missing field: jti"
        case noUser = "400 Missing field: sub"
        case noDevice = "400 Missing field: deviceId"
        case otherUser = "404 User not found"
        case otherDevice = "403 Device not registered for user"
        case otherKey = "403 Invalid DPoP proof signature"
        case otherBinding = "403 Access token DPoP binding mismatch"
        case hash = "403 DPoP proof ath mismatch"

        func spoil(_ attempt: inout Attempt, _ other: (key: TestKey, token: String)) {
            switch self {
            case .noToken: attempt.authorization = nil
            case .badToken: attempt.authorization = "DPoP e30.e30.e30"
            case .noProof: attempt.hasProof = false
            case .noJWS: attempt.proof = "no proof"
            case .algorithm: attempt.header["alg"] = "PS256"
            case .type: attempt.header["typ"] = "JWT"
            case .method: attempt.claims["htm"] = "POST"
            case .address: attempt.claims["htu"] = "https://sso.example:443/realms/demo"
            case .late: attempt.claims["iat"] = 1_795_867_079
            case .noName: attempt.claims["jti"] = nil
            case .noUser: attempt.claims["sub"] = nil
            case .noDevice: attempt.claims["deviceId"] = nil
            case .otherUser: attempt.claims["sub"] = "nobody"
            case .otherDevice: attempt.claims["deviceId"] = "another"
            case .otherKey: attempt.key = other.key
            case .otherBinding: attempt.authorization = "DPoP \(other.token)"
            case .hash: attempt.claims["ath"] = "another"
            }
        }
    }

    private func attempt(
        _ bench: Bench, _ phone: Phone, _ accessToken: String
    ) throws -> Attempt {
        let proof = try phone.proof(
            "GET", Bench.address(Bench.pendingPath), at: bench.clock.now, for: accessToken)
        return Attempt(
            authorization: "DPoP \(accessToken)", header: proof.header, claims: proof.claims,
            key: phone.key)
    }

    private func send(_ attempt: Attempt, _ phone: Phone, at bench: Bench) async throws -> String {
        var headers: [(String, String)] = []
        if let field = attempt.authorization { headers.append(("Authorization", field)) }
        if attempt.hasProof {
            let proof = try attempt.proof ?? attempt.key.jws(attempt.header, attempt.claims)
            headers.append(("DPoP", proof))
        }
        let path = Bench.pendingPath + "?userId=\(phone.user)"
        return try await bench.send("GET", path, headers).words
    }

    @Test(arguments: Fault.allCases)
    func `each check refuses what it is for, whatever later checks would refuse`(
        fault: Fault
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let stranger = try Phone(user: phone.user)
        let other = (key: stranger.key, token: try await bench.accessToken(stranger))
        let faults = Fault.allCases.drop { $0 != fault }
        var alone = try attempt(bench, phone, await bench.accessToken(phone))
        fault.spoil(&alone, other)
        #expect(try await send(alone, phone, at: bench) == fault.rawValue)
        var all = try attempt(bench, phone, await bench.accessToken(phone))
        for fault in faults.reversed() { fault.spoil(&all, other) }
        #expect(try await send(all, phone, at: bench) == fault.rawValue)
    }

    @Test func `a proof is taken once, within five minutes`() async throws {
        let bench = Bench { $0.proofTolerance = .seconds(600) }
        let phone = try await bench.enrolled()
        let attempt = try attempt(bench, phone, await bench.accessToken(phone))
        #expect(try await send(attempt, phone, at: bench) == "200 -")
        #expect(try await send(attempt, phone, at: bench) == "403 DPoP proof replay detected")
        bench.clock.advance(by: .seconds(299))
        #expect(try await send(attempt, phone, at: bench) == "403 DPoP proof replay detected")
    }

    @Test(arguments: [(-120, true), (120, true), (-121, false), (121, false)])
    func `a proof is good for two minutes before and after its time`(
        ahead: Int64, isTaken: Bool
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        var attempt = try attempt(bench, phone, await bench.accessToken(phone))
        attempt.claims["iat"] = .integer(Int64(Bench.now.timeIntervalSince1970) + ahead)
        let words = isTaken ? "200 -" : "400 DPoP proof expired"
        #expect(try await send(attempt, phone, at: bench) == words)
    }

    @Test func `a proof whose address has the query is taken, too`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        var attempt = try attempt(bench, phone, await bench.accessToken(phone))
        attempt.claims["htu"] = .string(Bench.address(Bench.pendingPath) + "?userId=x#y")
        #expect(try await send(attempt, phone, at: bench) == "200 -")
    }

    @Test func `the scheme Bearer is taken, too`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let token = try await bench.accessToken(phone)
        var attempt = try attempt(bench, phone, token)
        attempt.authorization = "Bearer \(token)"
        #expect(try await send(attempt, phone, at: bench) == "200 -")
    }

    @Test func `a proof needs its token's hash, unless the operator doesn't ask for it`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        var attempt = try attempt(bench, phone, await bench.accessToken(phone))
        attempt.claims["ath"] = nil
        #expect(try await send(attempt, phone, at: bench) == "400 Missing field: ath")
        await bench.server.configure { $0.requiresTokenHash = false }
        #expect(try await send(attempt, phone, at: bench) == "200 -")
        attempt.claims["jti"] = "another"
        attempt.claims["ath"] = "wrong"
        #expect(try await send(attempt, phone, at: bench) == "403 DPoP proof ath mismatch")
    }

    @Test func `an access token ends with its time, by revocation, and where the realm moves`()
        async throws
    {
        let bench = Bench { $0.proofTolerance = .seconds(600) }
        let phone = try await bench.enrolled()
        let old = try await bench.accessToken(phone)
        bench.clock.advance(by: .seconds(299))
        #expect(try await send(attempt(bench, phone, old), phone, at: bench) == "200 -")
        bench.clock.advance(by: .seconds(1))
        let refused = "401 Invalid access token"
        #expect(try await send(attempt(bench, phone, old), phone, at: bench) == refused)
        let revoked = try await bench.accessToken(phone)
        await bench.server.revokeAccessTokens()
        #expect(try await send(attempt(bench, phone, revoked), phone, at: bench) == refused)
        let moved = try await bench.accessToken(phone)
        try await bench.server.move(to: "https://sso2.example")
        #expect(try await send(attempt(bench, phone, moved), phone, at: bench) == refused)
    }

    @Test func `an enrollment token is no access token`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let token = try await bench.invited().text
        let words = try await send(attempt(bench, phone, token), phone, at: bench)
        #expect(words == "401 Invalid access token")
    }
}

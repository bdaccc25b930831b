import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// Codes, the token behind an address, and a device's answer.
@Suite struct EnrollmentTests {
    // MARK: Codes

    @Test func `a code has a token that the realm signed, for the realm's own name`() async throws {
        let bench = Bench()
        let token = try await bench.invited()
        #expect(try await token.isSigned(by: bench.keySet()))
        let claims = token.claims
        #expect(token.header["typ"] == "JWT")
        #expect(claims["iss"] == "https://sso.example/realms/demo" && claims["aud"] == "demo")
        #expect(claims["typ"] == "push-enroll-challenge" && claims["realm"] == "demo")
        #expect(claims["username"] == "jane")
        #expect(claims["sub"]?.string == (await bench.server.identifier(of: "jane")))
        #expect(claims["iat"]?.integer == 1_795_867_200)
        #expect(claims["exp"]?.integer == 1_795_867_440)
        #expect(UUID(uuidString: claims["enrollmentId"]?.string ?? "") != nil)
        let nonce = try #require(claims["nonce"]?.string)
        #expect(Data(base64Encoded: nonce + "=")?.count == 32)
    }

    @Test func `a code may have the token's address, whose token is signed at each request`()
        async throws
    {
        let bench = Bench { $0.usesRequestURI = true }
        let code = try await bench.server.enrollmentCode(for: "jane")
        let items = try #require(URLComponents(string: code)?.queryItems)
        #expect(items.map(\.name) == ["request_uri"])
        let address = try #require(items.first?.value)
        let path = try #require(URLComponents(string: address)?.path)
        let replies = [
            try await bench.send("GET", path, [("Accept", "application/jwt")]),
            try await bench.send("GET", path),
        ]
        for reply in replies {
            #expect(reply.status == 200 && reply.headers[.contentType] == "application/jwt")
            #expect(reply.headers[.cacheControl] == "no-store")
        }
        let tokens = try replies.map { try ReadToken(String(decoding: $0.body, as: UTF8.self)) }
        #expect(tokens[0].text != tokens[1].text && tokens[0].claims == tokens[1].claims)
        let phone = try Phone(user: tokens[0].claims["sub"]?.string ?? "")
        #expect(try await bench.complete(phone, tokens[1]).words == "200 enrolled")
        let spent = try await bench.send("GET", path)
        #expect(spent.words == "404 Enrollment request not found")
    }

    @Test func `an address that is no longer, or never was, has no token`() async throws {
        let bench = Bench { $0.usesRequestURI = true }
        let code = try await bench.server.enrollmentCode(for: "jane")
        let handle = try #require(code.split(separator: "%2F").last)
        let folder = Bench.realm + "/push-mfa/enroll/request-token/"
        bench.clock.advance(by: .seconds(240))
        for name in [String(handle), UUID().uuidString] {
            let reply = try await bench.send("GET", folder + name)
            #expect(reply.words == "404 Enrollment request not found")
        }
        #expect(try await bench.send("GET", folder + "7").status == 400)
    }

    @Test func `an empty prefix leaves the bare token`() async throws {
        let bench = Bench { $0.enrollmentLink = "" }
        let code = try await bench.server.enrollmentCode(for: "jane")
        #expect(try ReadToken(code).claims["username"] == "jane")
    }

    // MARK: The device's answer

    @Test(arguments: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"])
    func `a key of each kind enrolls, and lists`(algorithm: String) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled("jane", algorithm)
        #expect(try await bench.listed(phone).isEmpty)
        let device = try #require(await bench.server.devices(of: "jane").first)
        #expect(device.credentialID == phone.credentialID && device.deviceID == phone.deviceID)
        #expect(device.label == "Jane's phone" && device.type == "ios")
        #expect(device.deviceToken == .fcm("fcm-token-1") && device.providerType == "fcm")
    }

    @Test func `what may be missing gets the server's defaults`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled(
            "jane", "ES256",
            ["deviceLabel": nil, "pushProviderType": nil, "pushProviderId": nil, "exp": nil])
        let device = try #require(await bench.server.devices(of: "jane").first)
        #expect(device.label == "Push MFA Device")
        #expect(device.providerType == "none" && device.deviceToken == nil)
    }

    /// What an answer is spoiled by, in the order of the server's checks.
    enum Fault: String, CaseIterable {
        case algorithm = "400 Unsupported enrollment token algorithm: PS256"
        case noUser = "400 Missing field: sub"
        case otherUser = "404 User not found"
        case noUUID = "400 Invalid UUID field: enrollmentId"
        case unknown = "404 Challenge not found"
        case late = "400 enrollment token expired"
        case noNonce = "400 Missing field: nonce"
        case nonce = "403 Nonce mismatch"
        case noKey = "400 Enrollment token is missing cnf.jwk claim"
        case secretKey = "400 JWK must not contain private key parameters"
        case badKey = "400 Unable to parse JWK"
        case noType = "400 Missing field: deviceType"
        case longType = "400 Field too long: deviceType"
        case noAddress = "400 pushProviderId required unless pushProviderType=none"
        case noCredential = "400 Missing field: credentialId"
        case control = "400 Invalid characters in field: credentialId"
        case noDevice = "400 Missing field: deviceId"

        /// Changes the claims, or the header.
        func spoil(_ claims: inout [String: JSON?], _ header: inout [String: JSON?]) {
            switch self {
            case .algorithm: header["alg"] = "PS256"
            case .noUser: claims["sub"] = .some(nil)
            case .otherUser: claims["sub"] = "nobody"
            case .noUUID: claims["enrollmentId"] = "7"
            case .unknown: claims["enrollmentId"] = "b15ef7f2-494c-4f03-a9b4-5b7eb4a71caa"
            case .late: claims["exp"] = 1_795_867_199
            case .noNonce: claims["nonce"] = .some(nil)
            case .nonce: claims["nonce"] = "another"
            case .noKey: claims["cnf"] = [:]
            case .secretKey: claims["cnf"] = ["jwk": ["kty": "RSA", "d": "AQAB"]]
            case .badKey: claims["cnf"] = ["jwk": ["kty": "OKP", "crv": "Ed25519", "x": "AQ"]]
            case .noType: claims["deviceType"] = ""
            case .longType: claims["deviceType"] = .string(String(repeating: "x", count: 65))
            case .noAddress: claims["pushProviderId"] = .some(nil)
            case .noCredential: claims["credentialId"] = .some(nil)
            case .control: claims["credentialId"] = "a\u{7}b"
            case .noDevice: claims["deviceId"] = .some(nil)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `each check refuses what it is for, whatever later checks would refuse`(
        fault: Fault
    ) async throws {
        let bench = Bench()
        let token = try await bench.invited()
        let phone = try Phone("RS256", user: token.claims["sub"]?.string ?? "")
        for faults in [[fault], Array(Fault.allCases.drop { $0 != fault })] {
            var (claims, header): ([String: JSON?], [String: JSON?]) = ([:], [:])
            for fault in faults.reversed() { fault.spoil(&claims, &header) }
            let reply = try await bench.complete(phone, token, claims, header: header)
            #expect(reply.words == fault.rawValue)
        }
        #expect(await bench.server.devices(of: "jane").isEmpty)
        #expect(try await bench.complete(phone, token).words == "200 enrolled")
    }

    @Test func `an enrollment is its user's, ends with its time, and is used once`() async throws {
        let bench = Bench()
        let (jane, bob) = (try await bench.invited(), try await bench.invited("bob"))
        let phone = try Phone(user: jane.claims["sub"]?.string ?? "")
        let stolen: [String: JSON?] = ["enrollmentId": bob.claims["enrollmentId"]]
        let foreign = try await bench.complete(phone, jane, stolen)
        #expect(foreign.words == "403 Challenge does not belong to user")
        #expect(try await bench.complete(phone, jane).words == "200 enrolled")
        let over = "400 Challenge already resolved or expired"
        #expect(try await bench.complete(phone, jane).words == over)
        let late = try Phone(user: bob.claims["sub"]?.string ?? "")
        bench.clock.advance(by: .seconds(240))
        #expect(try await bench.complete(late, bob).words == over)
    }

    @Test func `a login's challenge is not for enrollment`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        let reply = try await bench.complete(
            phone, bench.invited(), ["enrollmentId": .string(login.id)])
        #expect(reply.words == "400 Challenge is not for enrollment")
    }

    @Test func `the proof is of the enrollment's own device and key`() async throws {
        let bench = Bench()
        let token = try await bench.invited()
        let phone = try Phone(user: token.claims["sub"]?.string ?? "")
        let answer = try phone.key.jws(phone.header, phone.enrollment(token))
        var other = phone
        other.user = "nobody"
        let body: JSON = ["token": .string(answer)]
        let user = try await bench.call("POST", Bench.completePath, by: other, body)
        #expect(user.words == "403 DPoP proof sub mismatch")
        other.user = phone.user
        other.deviceID = "another"
        let device = try await bench.call("POST", Bench.completePath, by: other, body)
        #expect(device.words == "403 DPoP proof deviceId mismatch")
        other = try Phone(user: phone.user)
        other.deviceID = phone.deviceID
        let key = try await bench.call("POST", Bench.completePath, by: other, body)
        #expect(key.words == "403 Invalid DPoP proof signature")
    }

    @Test func `the answer is signed by the key in it, as its JWK says`() async throws {
        let bench = Bench()
        let token = try await bench.invited()
        let phone = try Phone(user: token.claims["sub"]?.string ?? "")
        let other = try TestKey("ES256")
        let forged = try other.jws(phone.header, phone.enrollment(token))
        let reply = try await bench.call(
            "POST", Bench.completePath, by: phone, ["token": .string(forged)])
        #expect(reply.words == "403 Invalid enrollment token signature")
        for (alg, words) in [
            ("RS256", "400 JWK algorithm mismatch"), ("ES384", "400 JWK algorithm mismatch"),
        ] {
            let reply = try await bench.complete(phone, token, header: ["alg": .string(alg)])
            #expect(reply.words == words)
        }
        let nameless: [String: JSON?] = ["cnf": ["jwk": .object(try phone.key.jwk)]]
        for (alg, words) in [
            ("RS256", "400 EC keys require ES* algorithms"),
            ("ES384", "400 EC curve P-256 incompatible with ES384"), ("ES256", "200 enrolled"),
        ] {
            let reply = try await bench.complete(
                phone, token, nameless, header: ["alg": .string(alg)])
            #expect(reply.words == words)
        }
    }

    @Test func `a body without a token, or of another type, is refused`() async throws {
        let bench = Bench()
        let json = [("Content-Type", "application/json")]
        for (body, words) in [
            ("{}", "400 Missing field: token"), ("[]", "400 Request body required"),
            (#"{"token":"x.y"}"#, "400 Invalid enrollment token"),
            (
                "{\"token\":\"\(String(repeating: "x", count: 16_385))\"}",
                "400 Field too long: token"
            ),
        ] {
            #expect(try await bench.send("POST", Bench.completePath, json, body).words == words)
        }
        #expect(try await bench.send("POST", Bench.completePath, [], "{}").status == 415)
        #expect(try await bench.send("GET", Bench.completePath).status == 405)
    }

    @Test func `where no proof is required, what comes is checked all the same`() async throws {
        let bench = Bench { $0.requiresProofToEnroll = false }
        let token = try await bench.invited()
        let phone = try Phone(user: token.claims["sub"]?.string ?? "")
        let answer = try phone.key.jws(phone.header, phone.enrollment(token))
        let json = ("Content-Type", "application/json")
        let body = JSON.object(["token": .string(answer)]).text
        let bad = [
            ([("Authorization", "Bearer \(token.text)")], "401 Invalid access token"),
            ([("DPoP", "x.y.z")], "401 DPoP access token required"),
        ]
        for (headers, words) in bad {
            let reply = try await bench.send("POST", Bench.completePath, headers + [json], body)
            #expect(reply.words == words)
        }
        let plain = try await bench.send("POST", Bench.completePath, [json], body)
        #expect(plain.words == "200 enrolled")
    }
}

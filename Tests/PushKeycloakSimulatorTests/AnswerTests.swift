import Foundation
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// Answers: what each check refuses, and which comes first.
@Suite struct AnswerTests {
    @Test func `yes and no are taken once, and the page goes on`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        for (action, word, end) in [
            ("approve", "approved", SimulatedLogin.Status.approved), ("deny", "denied", .denied),
        ] {
            let login = try await bench.start()
            #expect(try await bench.answer(phone, login.id, action).words == "200 \(word)")
            let again = try await bench.answer(phone, login.id, action)
            #expect(again.words == "400 Challenge already resolved or expired")
            #expect(try await bench.listed(phone).isEmpty)
            #expect(try await bench.server.status(of: login.id) == end)
            let late = try await bench.answer(phone, login.id, action)
            #expect(late.words == "404 Challenge not found")
        }
    }

    @Test func `an answer without an action is a yes, and case doesn't matter`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let first = try await bench.start()
        let silent = try await bench.answer(phone, first.id, "", ["action": nil])
        #expect(silent.words == "200 approved")
        let second = try await bench.start()
        #expect(try await bench.answer(phone, second.id, "DENY").words == "200 denied")
        let third = try await bench.start()
        let other = try await bench.answer(phone, third.id, "Maybe")
        #expect(other.words == "400 Unsupported action: maybe")
    }

    @Test(arguments: [KeycloakSimulator.NumberCheck.match, .pin(length: 6)])
    func `a check is answered right, after any number of wrong tries`(
        check: KeycloakSimulator.NumberCheck
    ) async throws {
        let bench = Bench { $0.numberCheck = check }
        let phone = try await bench.enrolled()
        let login = try await bench.start(.number)
        let shown = try #require(login.shown)
        let wrong: [(JSON?, String)] = [
            (nil, "400 Missing user verification"), (.null, "400 Missing user verification"),
            ("", "400 Missing user verification"), (7, "400 Invalid user verification value"),
            ("100", "403 User verification mismatch"), ("no", "403 User verification mismatch"),
            (.string("0" + shown), "403 User verification mismatch"),
        ]
        for (value, words) in wrong + wrong {
            let reply = try await bench.answer(
                phone, login.id, "approve", ["userVerification": value])
            #expect(reply.words == words)
        }
        #expect(try await bench.server.status(of: login.id) == .waiting)
        let right: [String: JSON?] = ["userVerification": .string(" \(shown)\n")]
        #expect(try await bench.answer(phone, login.id, "approve", right).words == "200 approved")
        let denied = try await bench.start(.number)
        #expect(try await bench.answer(phone, denied.id, "deny").words == "200 denied")
    }

    /// What an answer is spoiled by after its proof was taken, in the order of the server's checks.
    enum Fault: String, CaseIterable {
        case algorithm = "400 Unsupported authentication token algorithm: PS256"
        case noID = "400 Missing field: cid"
        case noUUID = "400 Invalid UUID field: cid"
        case otherID = "403 Challenge mismatch"
        case otherAlgorithm = "400 JWK algorithm mismatch"
        case late = "400 authentication token expired"
        case noCredential = "400 Missing field: credId"
        case credential = "403 Authentication token credential mismatch"
        case action = "400 Unsupported action: maybe"

        func spoil(_ claims: inout [String: JSON?], _ header: inout [String: JSON?]) {
            switch self {
            case .algorithm: header["alg"] = "PS256"
            case .noID: claims["cid"] = .some(nil)
            case .noUUID: claims["cid"] = "7"
            case .otherID: claims["cid"] = "1a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"
            case .otherAlgorithm: header["alg"] = "ES384"
            case .late: claims["exp"] = 1_795_867_199
            case .noCredential: claims["credId"] = .some(nil)
            case .credential: claims["credId"] = "another"
            case .action: claims["action"] = "maybe"
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `each check refuses what it is for, whatever later checks would refuse`(
        fault: Fault
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        for faults in [[fault], Array(Fault.allCases.drop { $0 != fault })] {
            var (claims, header): ([String: JSON?], [String: JSON?]) = ([:], [:])
            for fault in faults.reversed() { fault.spoil(&claims, &header) }
            let reply = try await bench.answer(
                phone, login.id, "approve", claims, header: header)
            #expect(reply.words == fault.rawValue)
        }
        #expect(try await bench.server.status(of: login.id) == .waiting)
        #expect(try await bench.answer(phone, login.id).words == "200 approved")
    }

    @Test func `the challenge is looked at before the proof`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        let json = [("Content-Type", "application/json")]
        func bare(_ id: String) async throws -> String {
            try await bench.send("POST", Bench.answerPath(id), json, "{}").words
        }
        let invited = try await bench.invited().claims["enrollmentId"]?.string ?? ""
        #expect(try await bare("7") == "400 Invalid UUID field: cid")
        #expect(try await bare(UUID().uuidString) == "404 Challenge not found")
        #expect(try await bare(invited) == "400 Challenge is not for login")
        #expect(try await bare(login.id) == "401 DPoP access token required")
        _ = try await bench.answer(phone, login.id)
        #expect(try await bare(login.id) == "400 Challenge already resolved or expired")
    }

    @Test func `another user's, another device's and another key's answers are refused`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (second, bob) = (try await bench.enrolled(), try await bench.enrolled("bob"))
        let login = try await bench.start()
        let user = try await bench.answer(bob, login.id)
        #expect(user.words == "403 Authentication token subject mismatch")
        let device = try await bench.answer(second, login.id)
        #expect(device.words == "403 Authentication token device mismatch")
        let forged = try second.key.jws(
            phone.header, phone.answer(login.id, "approve", until: 1_795_867_300))
        let key = try await bench.call(
            "POST", Bench.answerPath(login.id), by: phone, ["token": .string(forged)])
        #expect(key.words == "403 Invalid authentication token signature")
        #expect(try await bench.server.status(of: login.id) == .waiting)
    }

    @Test func `the panic button ends what is open, until an administrator helps`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        let path = Bench.realm + "/push-mfa/login/lockout"
        #expect(try await bench.send("POST", path).words == "401 DPoP access token required")
        #expect(try await bench.call("POST", path, by: phone).words == "200 locked_out")
        #expect(await bench.server.isLockedOut("jane"))
        #expect(try await bench.server.status(of: login.id) == .failed)
        #expect(try await bench.listed(phone).isEmpty)
        await #expect(throws: PushError.self) { try await bench.start() }
        await bench.server.unlock("jane")
        _ = try await bench.start()
        #expect(try await bench.listed(phone).count == 1)
    }
}

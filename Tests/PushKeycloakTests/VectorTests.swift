import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushKeycloak

/// The worked example, member for member.
@Suite struct VectorTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors() }

    @Test func `the device's key is told as in the example, its name is its thumbprint`() throws {
        let key = try vectors.deviceKey
        #expect(JSON.object(key.jwk.members) == vectors["deviceKey"])
        #expect(key.thumbprint == (try vectors.object("deviceKey"))["kid"]?.string)
    }

    @Test func `a proof has the example's header and claims`() throws {
        let endpoint = try Sample.realm().device("/login/pending")
        var proof = DPoPProof(
            of: .get, endpoint, at: Sample.now, id: try vectors.text("proofId"),
            accessToken: Secret(copying: try vectors.text("accessToken")))
        proof.additional = [
            "sub": .string(try vectors.text("subject")),
            "deviceId": .string(try vectors.text("deviceId")),
        ]
        let made = try SentToken(vectors.deviceKey.signed(proof))
        let example = try SentToken(vectors.text("proof"))
        #expect(made.header == example.header)
        #expect(made.claims == example.claims)
        #expect(made.claims["ath"]?.string == (try vectors.text("ath")))
    }

    @Test func `the example's own proof is right by the example's key`() throws {
        let proof = try VerifiedDPoPProof(
            vectors.text("proof"), of: .get, Sample.realm().device("/login/pending?userId=x"),
            at: Sample.now, ages: .seconds(-15) ... .seconds(25),
            accessToken: Secret(copying: vectors.text("accessToken")))
        #expect(proof.thumbprint == (try vectors.deviceKey.thumbprint))
    }

    @Test func `enrolling sends the example's claims beside names and key of its own`()
        async throws
    {
        let harness = try await ScriptedHarness()
        try await harness.authenticator.deviceTokenChanged(Sample.token)
        let token = try RealmTestKey.one.signed(vectors.object("code"))
        let enrollment = try await harness.enroll("my-secure://enroll?token=\(token)")
        let sent = try #require(try await harness.tokens(.complete).first)
        let own = ["credentialId", "deviceId", "cnf"]
        let expected = try vectors.object("complete")
        #expect(sent.claims.with([own[0]: nil, own[1]: nil, own[2]: nil]) == expected)
        #expect(sent.claims["credentialId"]?.string == enrollment.id.name)
        #expect(sent.header["kid"] == sent.claims["cnf"]?["jwk"]?["kid"])
        #expect(sent.header["typ"] == "JWT" && sent.header["alg"] == "ES256")
    }

    @Test func `a yes with the number sends the example's claims`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(
            try vectors.object("listed")["userVerification"])
        #expect(challenge.prompt == .choose(["5", "34", "56"]))
        #expect(
            try await harness.authenticator.resolve(challenge, with: .choose("34")) == .delivered)
        let sent = try #require(try await harness.tokens(.answer).first)
        #expect(sent.claims == (try vectors.object("answer")))
        #expect(sent.header["kid"]?.string == (try vectors.deviceKey.thumbprint))
        let path = await harness.exchanges(.answer).first?.request.path
        #expect(
            path
                == "/realms/demo/push-mfa/login/challenges/1a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4/respond"
        )
    }

    @Test func `a list is asked with the user in the query, and without it in the proof`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.list(try vectors.object("listed"))
        #expect(try await harness.authenticator.pending(for: harness.id).count == 1)
        let request = try #require(await harness.exchanges(.list).first?.request)
        #expect(
            request.path
                == "/realms/demo/push-mfa/login/pending?userId=\(try vectors.text("subject"))")
        #expect(request.headerFields[.authorization] == "DPoP access-1")
        #expect(request.headerFields[.accept] == "application/json")
        let proof = try SentToken(#require(request.headerFields[.dpop]))
        #expect(proof.claims["htu"]?.string?.hasSuffix("/push-mfa/login/pending") == true)
    }
}

import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// The values of the key schedule, each by itself.
struct OOCKeyScheduleTests {
    let vectors: Vectors

    init() throws { vectors = try Vectors() }

    private func keyPair(_ seed: String) throws -> P256.KeyAgreement.PrivateKey {
        try P256.KeyAgreement.PrivateKey(rawRepresentation: OOC.scalar(seed))
    }

    @Test(arguments: [
        ("server static", "S.priv"), ("device ephemeral", "eD.priv"),
        ("server ephemeral", "eS.priv"),
    ])
    func `the tests derive the private keys of the vectors`(seed: String, name: String) throws {
        #expect(OOC.hex(OOC.scalar(seed)) == (try vectors.text(name)))
    }

    @Test func `the schedule of an activation has the values of the vectors`() throws {
        let (server, device) = (try keyPair("server static"), try keyPair("device ephemeral"))
        #expect(try Array(server.publicKey.x963Representation) == vectors("S.pub"))
        #expect(try device.agreed(with: server.publicKey).plain == vectors("es"))
        let serverEphemeral = try keyPair("server ephemeral").publicKey
        #expect(try device.agreed(with: serverEphemeral).plain == vectors("ee"))
        #expect(
            try ActivationKeys.handle(user: OOC.user, domain: OOC.domain) == vectors("handle"))

        var keys = try ActivationKeys(
            user: OOC.user, domain: OOC.domain, ephemeral: device, server: server.publicKey)
        #expect(try keys.transcript == vectors("TH0"))
        let (hello, challenge) = (try header("C1"), try header("S1"))
        #expect(try keys.handshakeKey("OOC1 act C1", hello).plain == vectors("K_C1"))
        let error = try header("E1")
        #expect(try keys.helloErrorKey(hello: vectors("C1"), error).plain == vectors("K_E1"))
        keys.add(try vectors("C1"))
        #expect(try keys.transcript == vectors("TH1"))
        try keys.agree(device, serverEphemeral)
        #expect(try keys.handshakeKey("OOC1 act S1", challenge).plain == vectors("K_S1"))
        keys.add(try vectors("S1"))
        #expect(try keys.transcript == vectors("TH2"))
        keys.prove(OOC.secret(OOC.password))
        let (label, proof) = ("OOC1 act C2", try header("C2"))
        let master = Secret(try vectors("MK"))
        #expect(
            try keys.provedKey(label, proof).plain
                == master.expanded(Array(label.utf8) + proof.bytes).plain)
        keys.add(try vectors("C2"))
        #expect(try keys.transcript == vectors("TH3"))
        #expect(try keys.proofErrorKey(header("E2")).plain == vectors("K_E2"))
        keys.add(try vectors("S2"))
        #expect(try keys.transcript == vectors("TH4"))
        let root = master.derived(
            salt: Secret(keys.transcript), Array("OOC1 root".utf8) + OOC.deviceID)
        #expect(try root.plain == vectors("RK"))
        let session = try keys.sessionKeys(OOC.deviceID)
        #expect(try session.toServer.plain == vectors("k_d2s"))
        #expect(try session.toDevice.plain == vectors("k_s2d"))
    }

    private func header(_ name: String) throws -> CommandHeader {
        try CommandEnvelope(parsing: vectors(name)).header
    }

    @Test func `the first command of an activation opens to the body of the vectors`() throws {
        let command = try vectors("C1")
        let (head, sealed) = (command.prefix(52 + 65), command.dropFirst(52 + 65))
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)),
            ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
        let body = try AES.GCM.open(
            box, using: SymmetricKey(data: vectors("K_C1")), authenticating: head)
        #expect(try Array(body) == vectors("C1-body"))
    }

    @Test func `the key of a command that proves the password needs the server's key`() throws {
        let keys = SessionKeys(
            toServer: Secret(try vectors("k_d2s")), toDevice: Secret(try vectors("k_s2d")))
        let server = try keyPair("server static")
        let agreed = try keyPair("ephemeral 07").agreed(with: server.publicKey)
        #expect(try agreed.plain == vectors("dh07"))
        #expect(try keys.keyToServer(header("07"), agreed: agreed).plain == vectors("K_07"))
    }

    @Test func `a PIN is stretched as PBKDF2 says`() throws {
        let stretched = try PasswordMask.stretched(
            OOC.secret(OOC.pin), salt: OOC.run(0), iterations: 100_000)
        #expect(try stretched.plain == vectors("mask"))
    }

    @Test func `a mask gives its key back for its password, and another one for another`()
        async throws
    {
        let key = Secret(OOC.sha("instance 1"))
        let mask = try await PasswordMask(
            key, password: OOC.secret(OOC.pin), salt: Secret(OOC.run(0)), iterations: 3)
        let again = try PasswordMask(reading: mask.stored)
        #expect(try await again.key(password: OOC.secret(OOC.pin)).plain == key.plain)
        #expect(try await again.key(password: OOC.secret("135791")).plain != key.plain)
        #expect(mask.masked.plain != key.plain)
    }

    @Test func `an answer covers what the vectors say`() throws {
        let vectors = vectors
        var work = RemoteWork(
            deviceID: OOC.deviceID, isTransaction: true, requestID: OOC.requestID)
        work.isApproved = true
        let question = RemoteWork.Question(
            challenge: OOC.sha("session challenge"), digest: try vectors("digest"),
            method: .password, end: .zero)
        let answer = RemoteAnswer(
            work: work, question: question, method: .password, flow: OOC.run(0x50), counter: 7)
        #expect(try answer.signedBytes == vectors("TBS"))
        let response = Secret(OOC.sha("instance 1")).code(for: answer.signedBytes)
        #expect(try response.plain == vectors("authResponse"))
        let key = try P256.Signing.PublicKey(x963Representation: vectors("sign.pub"))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: vectors("signature"))
        #expect(key.isValidSignature(signature, for: answer.signedBytes))
        let proof = InstanceKeys.changeProof(
            Secret(OOC.sha("instance 1")), deviceID: OOC.deviceID, nonce: OOC.sha("change nonce"),
            counter: 8, newKey: Secret(OOC.sha("instance 1 new")))
        #expect(try proof.plain == vectors("proof"))
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ActivationStatusBlobTests {
    /// Of powerauth-crypto, `activation-status-blob-data.json` #1.
    @Test func `the vendor's status of an active one is read`() throws {
        let (key, challenge, nonce) = try (
            Sample.secret("WxXuivtAXftYrynUWg30Qg=="), Sample.data("LhIFvNQHSxOQopRkZi+fnQ=="),
            Sample.data("FaWmhpUOZjqB+5F63gDCOw==")
        )
        let iv = try ActivationStatusBlob.vector(
            challenge: challenge, nonce: nonce, transportKey: key)
        #expect(Data(iv).base64EncodedString() == "f90CVDQ1bI+WVXH7waalNA==")
        let blob = try ActivationStatusBlob(
            opening: Sample.data("HL8o9m2yOz37lSg4KaUUOYhmu/5ZbSh4gOWAK7SCp2k="),
            challenge: challenge, nonce: nonce, transportKey: key)
        #expect(blob.state == .active)
        #expect(blob.counterByte == 13)
        #expect(blob.failedAttempts == 0)
        #expect(blob.maximumAttempts == 5)
        #expect(blob.lookAhead == 33)
        #expect(blob.attemptsLeft == 5)
        #expect(blob.counterHash.hex == "f2e70bef4a1842e405bfc851fd1d6834")
        let local = try Sample.counter(
            "GPkNk4HviJVcdLhydCQaqg==", byte: UInt8(truncatingIfNeeded: 13 - 30))
        #expect(try CounterSync(local: local, blob: blob, transportKey: key) == .serverAhead(30))
    }

    /// Of powerauth-crypto, `activation-status-blob-data.json` #6.
    @Test func `the vendor's status of a blocked one is read`() throws {
        let (key, challenge, nonce) = try (
            Sample.secret("abddUTRgKu4tRyCtWXVrhg=="), Sample.data("CIlHXaGx9tskubTBtQo27g=="),
            Sample.data("39VJXfdqe1mweCqJSf6SLg==")
        )
        let iv = try ActivationStatusBlob.vector(
            challenge: challenge, nonce: nonce, transportKey: key)
        #expect(Data(iv).base64EncodedString() == "bUjWHzr81H/RJkoUSpMPdQ==")
        let blob = try ActivationStatusBlob(
            opening: Sample.data("GvZ4fByaL0Lbsx3Mt4uyKxv3KqokEwkAIYvg+x1yni4="),
            challenge: challenge, nonce: nonce, transportKey: key)
        #expect(blob.state == .blocked)
        #expect(blob.counterByte == 128)
        #expect(blob.lookAhead == 20)
        let local = try Sample.counter("t8vgsV4vLhfgSuVj243bFw==", byte: 124)
        #expect(try CounterSync(local: local, blob: blob, transportKey: key) == .serverAhead(4))
    }

    private let server = SealedStatus()

    @Test func `every state has its number`() throws {
        let states: [ActivationStatusBlob.State] = [
            .created, .pendingCommit, .active, .blocked, .removed,
        ]
        for (index, state) in states.enumerated() {
            #expect(try server.opened { $0[4] = UInt8(index + 1) }.state == state)
        }
    }

    @Test func `each number stands in its place`() throws {
        let blob = try server.opened {
            $0.replaceSubrange(4..<16, with: [3, 4, 5, 9, 9, 9, 9, 9, 200, 2, 7, 64])
        }
        #expect(blob.counterByte == 200)
        #expect(blob.failedAttempts == 2 && blob.maximumAttempts == 7 && blob.lookAhead == 64)
        #expect(blob.attemptsLeft == 5)
        #expect(blob.counterHash.copy == Array(server.plain[16...]))
    }

    @Test func `more failures than allowed leave no attempt`() throws {
        #expect(try server.opened { $0[13] = 6 }.attemptsLeft == 0)
        #expect(try server.opened { $0[13] = 5 }.attemptsLeft == 0)
        #expect(try server.opened { $0[13] = 255 }.attemptsLeft == 0)
    }

    @Test func `later formats of the status are read, too`() throws {
        #expect(try server.opened { $0[3] = 0xDF }.state == .active)
    }

    @Test(
        arguments: [
            (0, 0xDF), (1, 0xC1), (2, 0xDF), (3, 0xD0), (3, 0xC1), (3, 0x01), (4, 0), (4, 6),
            (4, 255),
            (15, 0), (15, 65), (15, 255),
        ] as [(Int, UInt8)])
    func `what makes no sense is no status`(place: Int, value: UInt8) {
        #expect(Sample.refusal { _ = try server.opened { $0[place] = value } } == .untrusted)
    }

    @Test func `the bytes that a server sends of unknown activations are no status`() throws {
        let random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let bytes = Data(random.bytes(32).copy)
            #expect(Sample.refusal { _ = try server.open(bytes) } == .untrusted)
        }
    }

    @Test func `another challenge, nonce or key makes it unreadable`() throws {
        let sealed = try server.sealed(server.plain)
        let other = Sample.ascending(16)
        let (challenge, nonce, key) = (server.challenge, server.nonce, server.transportKey)
        for (challenge, nonce, key) in [
            (other, nonce, key), (challenge, other, key), (challenge, nonce, Secret(other)),
            (nonce, challenge, key),
        ] {
            #expect(
                Sample.refusal {
                    _ = try ActivationStatusBlob(
                        opening: sealed, challenge: challenge, nonce: nonce, transportKey: key)
                } == .untrusted)
        }
    }

    @Test func `wrong sizes are refused`() throws {
        let sealed = try server.sealed(server.plain)
        let (challenge, nonce) = (server.challenge, server.nonce)
        for (sealed, challenge, nonce) in [
            (Data(), challenge, nonce), (sealed.dropLast(), challenge, nonce),
            (sealed.prefix(16), challenge, nonce), (sealed + sealed, challenge, nonce),
            (sealed, challenge.dropLast(), nonce), (sealed, challenge, nonce + [0]),
            (sealed, challenge + nonce.prefix(1), Data(nonce.dropFirst())),
        ] {
            #expect(
                Sample.refusal {
                    _ = try ActivationStatusBlob(
                        opening: sealed, challenge: challenge, nonce: nonce,
                        transportKey: server.transportKey)
                } == .malformed)
        }
    }

    @Test func `slices are read like whole data`() throws {
        let sealed = try server.sealed(server.plain)
        let blob = try ActivationStatusBlob(
            opening: (Data([1]) + sealed)[1...],
            challenge: (Data([1, 2]) + server.challenge)[2...],
            nonce: (Data([1, 2, 3]) + server.nonce)[3...], transportKey: server.transportKey)
        #expect(blob.state == .active)
    }
}

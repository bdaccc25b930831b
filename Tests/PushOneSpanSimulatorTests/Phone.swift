import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

/// A device's side of OOC/1, as strict or as sloppy as a test wants it.
struct Phone {
    enum Method: UInt8 { case none, password, biometric }

    let user: String
    let domain: String
    var serverKey: P256.KeyAgreement.PublicKey
    let random: SeededRandom
    var ephemeral: P256.KeyAgreement.PrivateKey
    var signingKey = P256.Signing.PrivateKey()
    var instanceKeys: [[UInt8]]

    var counter: UInt64 = 0
    var id: [UInt8] = []
    var activationFlow: [UInt8]
    private(set) var shared: [UInt8] = []
    private(set) var transcript: [UInt8] = []
    private(set) var helloHash: [UInt8] = []
    private(set) var master = SymmetricKey(size: .bits256)
    private(set) var fromDevice = SymmetricKey(size: .bits256)
    private(set) var toDevice = SymmetricKey(size: .bits256)
    var challenge: [UInt8] = []

    init(
        _ user: String, at domain: String, serverKey: Data, random: SeededRandom,
        hasBiometry: Bool = true
    ) throws {
        self.user = user
        self.domain = domain
        self.serverKey = try P256.KeyAgreement.PublicKey(x963Representation: serverKey)
        self.random = random
        ephemeral = P256.KeyAgreement.PrivateKey()
        instanceKeys = (0..<(hasBiometry ? 3 : 2)).map { _ in random.array(32) }
        activationFlow = random.array(16)
    }

    // MARK: Handshake

    var handle: [UInt8] {
        Array(
            sha(joined(Array("OOC1 reg".utf8), [0], Array(domain.utf8), [0], Array(user.utf8)))
                .prefix(16))
    }

    /// Starts over with a fresh flow and a fresh ephemeral key.
    mutating func restart() {
        ephemeral = P256.KeyAgreement.PrivateKey()
        activationFlow = random.array(16)
        counter = 0
    }

    mutating func hello(_ body: [UInt8]? = nil, counter given: UInt64 = 1) throws -> [UInt8] {
        counter = given
        let start = sha(
            joined(
                Array("OOC1 transcript".utf8), [0], counted(domain), counted(user),
                Array(serverKey.x963Representation)))
        shared = try agree(ephemeral, serverKey)
        let body =
            body
            ?? tlv([
                1: [1], 2: Array(user.utf8), 3: Array(domain.utf8), 4: random.array(32),
            ])
        let header = header(0x01, flags: 2, handle, activationFlow, body.count)
        let command = try seal(
            body, header, clear: Array(ephemeral.publicKey.x963Representation),
            by: hkdf(shared, start, "OOC1 act C1".utf8 + header))
        transcript = sha(start + command)
        helloHash = sha(command)
        return command
    }

    mutating func read(challenge reply: [UInt8]) throws -> Opened {
        guard reply[5] == 0x02 else {
            return try open(
                reply,
                by: hkdf(shared, helloHash, "OOC1 act E1".utf8 + reply.prefix(52)))
        }
        let point = try P256.KeyAgreement.PublicKey(x963Representation: Array(reply[52..<117]))
        shared += try agree(ephemeral, point)
        let opened = try open(
            reply, keyed: true,
            by: hkdf(shared, transcript, "OOC1 act S1".utf8 + reply.prefix(52)))
        transcript = sha(transcript + reply)
        return opened
    }

    mutating func proof(
        _ password: String, body: [UInt8]? = nil, counter given: UInt64 = 2
    ) throws -> [UInt8] {
        counter = given
        let keys = instanceKeys.enumerated().flatMap { [UInt8($0)] + $1 }
        let body =
            body
            ?? tlv([
                6: Array(signingKey.publicKey.x963Representation),
                7: [UInt8(instanceKeys.count)] + keys,
            ])
        let header = header(0x03, flags: 0, handle, activationFlow, body.count)
        let material = joined(shared, [UInt8(password.utf8.count)], Array(password.utf8))
        master = hkdf(material, transcript, Array("OOC1 act master".utf8))
        let command = try seal(body, header, by: expand(master, "OOC1 act C2".utf8 + header))
        return command
    }

    /// Reads 04, or the error in its place. The proof is what was sent.
    mutating func read(instances reply: [UInt8], to proof: [UInt8]) throws -> Opened {
        let afterProof = sha(transcript + proof)
        guard reply[5] == 0x04 else {
            return try open(
                reply, by: hkdf(shared, afterProof, "OOC1 act E2".utf8 + reply.prefix(52)))
        }
        let opened = try open(reply, by: expand(master, "OOC1 act S2".utf8 + reply.prefix(52)))
        transcript = sha(afterProof + reply)
        id = try #require(opened.fields[0x0A])
        challenge = try #require(opened.fields[0x23])
        let root = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master, salt: transcript, info: "OOC1 root".utf8 + id,
            outputByteCount: 32)
        fromDevice = expand(root, "OOC1 d2s".utf8 + id + [1])
        toDevice = expand(root, "OOC1 s2d".utf8 + id + [1])
        return opened
    }

    // MARK: Session

    /// A command under the session's keys, with the next counter unless another is given.
    mutating func command(
        _ type: UInt8, _ body: [UInt8], flow: [UInt8], counter given: UInt64? = nil,
        from device: [UInt8]? = nil
    ) throws -> [UInt8] {
        if given == nil { counter += 1 }
        let isKeyed = [0x07, 0x23, 0x33, 0x40].contains(type)
        let header = header(
            type, flags: isKeyed ? 2 : 0, epoch: 1, device ?? id, flow, body.count,
            counter: given ?? counter)
        guard isKeyed else {
            return try seal(body, header, by: expand(fromDevice, "OOC1 msg".utf8 + header))
        }
        let fresh = P256.KeyAgreement.PrivateKey()
        let salt = fromDevice.withUnsafeBytes { Array($0) }
        let key = hkdf(try agree(fresh, serverKey), salt, "OOC1 msg".utf8 + header)
        return try seal(
            body, header, clear: Array(fresh.publicKey.x963Representation), by: key)
    }

    func read(_ reply: [UInt8]) throws -> Opened {
        try open(reply, by: expand(toDevice, "OOC1 msg".utf8 + reply.prefix(52)))
    }

    func code(_ method: Method, _ message: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: instanceKeys[Int(method.rawValue)])
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    func signature(_ message: [UInt8]) throws -> [UInt8] {
        Array(try signingKey.signature(for: message).rawRepresentation)
    }

    func confirmation(_ method: Method) -> [UInt8] {
        code(
            method,
            joined(Array("OOC1 confirm".utf8), [0], id, [method.rawValue], challenge))
    }

    var finalSignature: [UInt8] {
        get throws { try signature(joined(Array("OOC1 activate".utf8), [0], id, transcript)) }
    }

    // MARK: Pieces

    func header(
        _ type: UInt8, flags: UInt8, epoch: UInt8 = 0, _ principal: [UInt8], _ flow: [UInt8],
        _ count: Int, counter given: UInt64? = nil
    ) -> [UInt8] {
        joined(
            Array("OOC1".utf8), [1, type, flags, epoch], principal, flow,
            bigEndian(given ?? counter), bigEndian(UInt32(count)))
    }

    func agree(
        _ key: P256.KeyAgreement.PrivateKey, _ other: P256.KeyAgreement.PublicKey
    ) throws -> [UInt8] {
        try key.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { Array($0) }
    }

    func hkdf(_ material: [UInt8], _ salt: [UInt8], _ info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: material), salt: salt, info: info,
            outputByteCount: 32)
    }

    func expand(_ key: SymmetricKey, _ info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.expand(pseudoRandomKey: key, info: info, outputByteCount: 32)
    }

    func seal(
        _ body: [UInt8], _ header: [UInt8], clear: [UInt8] = [], by key: SymmetricKey
    ) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            body, using: key, nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)),
            authenticating: header + clear)
        return header + clear + box.ciphertext + box.tag
    }

    func open(_ reply: [UInt8], keyed: Bool = false, by key: SymmetricKey) throws -> Opened {
        let start = keyed ? 117 : 52
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)),
            ciphertext: reply[start...].dropLast(16), tag: reply.suffix(16))
        let body = try AES.GCM.open(box, using: key, authenticating: Array(reply.prefix(start)))
        return Opened(header: Array(reply.prefix(52)), body: Array(body))
    }

    private func counted(_ text: String) -> [UInt8] {
        bigEndian(UInt16(text.utf8.count)) + text.utf8
    }
}

/// Fields in their canonical order.
func tlv(_ fields: [UInt16: [UInt8]]) -> [UInt8] {
    fields.sorted { $0.key < $1.key }.flatMap { field($0.key, $0.value) }
}

func field(_ tag: UInt16, _ value: [UInt8]) -> [UInt8] {
    bigEndian(tag) + bigEndian(UInt16(value.count)) + value
}

/// One behind the other; a chain of `+` would take the compiler minutes.
func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

func sha(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

func + (text: String.UTF8View, bytes: some Sequence<UInt8>) -> [UInt8] { Array(text) + bytes }

extension RandomSource {
    func array(_ count: Int) -> [UInt8] { bytes(count).withBytes { Array($0) } }
}

import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The provider's half of an enrollment's record.
///
/// What isn't in it can't be read from it: the vault key, the master secret and the plain keys of
/// knowledge and biometry are never stored.
struct PowerAuthRecord: ProviderCredential {
    /// The activation, in the case the server wrote it in.
    let activationID: String

    /// What the user compares before the activation is committed.
    let fingerprint: String

    /// The key of possession, 16 bytes.
    private(set) var possession: Secret

    /// What protects the exchange about this activation, 16 bytes.
    private(set) var transport: Secret

    /// The counter of the next signature.
    var counter: SignatureCounter

    /// How many signatures were made since the server was last known to have followed.
    var ahead = 0

    /// How many of the counter's values the server tries, as its last status told: 1 to 64.
    var lookAhead = Self.usualLookAhead

    /// What only the user unlocks; `nil` once the server has removed the activation.
    var locked: Locked?

    /// The token `possession_universal`, if there is one.
    var token: AccessToken?

    /// The tokens that the app asked for, by its own names.
    var namedTokens: [String: AccessToken] = [:]

    /// Whether a token was refused as soon as it was made: another wouldn't do better, until a
    /// token is taken or the activation's state has changed.
    var refusesTokens = false

    /// The signature by which the server was to follow, and of which nobody knows whether it
    /// arrived.
    ///
    /// It is sent again as it was: a new one would use up another of the few values that the server
    /// still tries, and they end just when it can't be reached.
    var catchUp: CatchUp?

    /// A signature by which a server's counter follows.
    struct CatchUp: Sendable {
        /// The header's value.
        let header: String
        /// The byte that the server's counter has, or has passed, once it took this one.
        let byte: UInt8
    }

    /// Whether the counter's byte is the server's: of an activation that was moved in it may not be
    /// known before the first status.
    var knowsCounterByte = true

    private let serverKey: Data

    /// What servers do by default.
    private static let usualLookAhead = 20

    /// What only the user, or the server with the user, unlocks.
    struct Locked: Sendable {
        /// The key of knowledge.
        var knowledge: PINLock
        /// The key of biometry, if it was set up.
        var biometry: Secret?
        /// The device's private key, under the vault key.
        let deviceKey: Secret
    }

    /// The record of a new activation.
    init(
        activationID: String, fingerprint: String, server: (key: CurvePoint, counter: Secret),
        keys: ActivationKeys, locked: Locked
    ) throws(PushError) {
        self.activationID = activationID
        self.fingerprint = fingerprint
        serverKey = server.key.uncompressed
        counter = try SignatureCounter(data: server.counter)
        possession = keys.possession
        transport = keys.transport
        self.locked = locked
    }

    /// The record of an activation that the vendor's SDK has kept.
    init(
        _ stored: StoredActivation, locked: Locked, possession: Secret, transport: Secret
    ) {
        activationID = stored.activationID
        fingerprint = Fingerprint.digits(
            device: stored.devicePublicKey, activationID: stored.activationID,
            server: stored.serverPublicKey)
        serverKey = stored.serverPublicKey.uncompressed
        counter = stored.counter
        knowsCounterByte = stored.knowsCounterByte
        self.possession = possession
        self.transport = transport
        self.locked = locked
        // How far it is ahead nobody has kept, so the server is asked before the first signature.
        ahead = maximumLead
    }

    /// Reads a record.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's damaged.
    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        let (fields, secrets) = (record.fields, record.secrets)
        guard secrets.count >= Position.allCases.count,
            let activationID = fields["activation"]?.string,
            let fingerprint = fields["fingerprint"]?.string,
            let serverKey = fields["serverKey"]?.string,
            let byte = fields["counter"]?.integer.flatMap(UInt8.init(exactly:)),
            let ahead = fields["ahead"]?.integer.flatMap(Int.init(exactly:))
        else { throw Self.damaged }
        self.activationID = activationID
        self.fingerprint = fingerprint
        self.serverKey = try StrictBase64.decode(serverKey, count: 65)
        self.ahead = ahead
        if let told = fields["lookAhead"]?.integer {
            guard 1...64 ~= told else { throw Self.damaged }
            lookAhead = Int(told)
        }
        possession = secrets[Position.possession]
        transport = secrets[Position.transport]
        counter = try SignatureCounter(data: secrets[Position.counter], byte: byte)
        locked = try Self.locked(fields, secrets)
        if let id = fields["token"]?.string {
            token = try AccessToken(id: id, secret: secrets[Position.token])
        }
        namedTokens = try Self.namedTokens(
            fields["tokens"], Array(secrets[Position.allCases.count...]))
        refusesTokens = fields["refusesTokens"]?.bool ?? false
        knowsCounterByte = fields["knowsCounterByte"]?.bool ?? true
        if let kept = fields["catchUp"] {
            guard let header = kept["header"]?.string,
                let byte = kept["byte"]?.integer.flatMap(UInt8.init(exactly:))
            else { throw Self.damaged }
            catchUp = CatchUp(header: header, byte: byte)
        }
    }

    private static func namedTokens(
        _ names: JSON?, _ secrets: [Secret]
    ) throws(PushError) -> [String: AccessToken] {
        let members = names?.object?.members ?? []
        guard members.count == secrets.count else { throw damaged }
        var tokens: [String: AccessToken] = [:]
        for (member, secret) in zip(members, secrets) {
            guard let id = member.value.string else { throw damaged }
            tokens[member.name] = try AccessToken(id: id, secret: secret)
        }
        return tokens
    }

    private static func locked(
        _ fields: JSON.Object, _ secrets: [Secret]
    ) throws(PushError) -> Locked? {
        guard let text = fields["salt"]?.string else { return nil }
        guard let iterations = fields["iterations"]?.integer.flatMap(Int.init(exactly:)) else {
            throw damaged
        }
        let biometry = secrets[Position.biometry]
        return Locked(
            knowledge: PINLock(
                salt: try StrictBase64.decode(text, count: FactorLock.saltCount),
                iterations: iterations, locked: secrets[Position.knowledge]),
            biometry: biometry.count > 0 ? biometry : nil,
            deviceKey: secrets[Position.deviceKey])
    }

    /// The record as it is stored.
    var sealed: Secret {
        var fields: JSON.Object = [
            "activation": .string(activationID), "fingerprint": .string(fingerprint),
            "serverKey": .string(Base64.encode(serverKey)),
            "counter": .integer(counter.byte), "ahead": .integer(ahead),
            "lookAhead": .integer(lookAhead),
        ]
        if let lock = locked?.knowledge {
            fields["salt"] = .string(Base64.encode(lock.salt))
            fields["iterations"] = .integer(lock.iterations)
        }
        fields["token"] = token.map { .string($0.id) }
        if refusesTokens { fields["refusesTokens"] = true }
        if !knowsCounterByte { fields["knowsCounterByte"] = false }
        fields["catchUp"] = catchUp.map {
            ["header": .string($0.header), "byte": .integer($0.byte)]
        }
        let named = namedTokens.sorted { $0.key < $1.key }
        if !named.isEmpty {
            fields["tokens"] = .object(JSON.Object(named.map { ($0.key, .string($0.value.id)) }))
        }
        let none = Secret([])
        var secrets = Position.allCases.map { position in
            switch position {
            case .possession: possession
            case .transport: transport
            case .counter: counter.data
            case .knowledge: locked?.knowledge.locked ?? none
            case .biometry: locked?.biometry ?? none
            case .deviceKey: locked?.deviceKey ?? none
            case .token: token?.secret ?? none
            }
        }
        secrets += named.map(\.value.secret)
        return Secret.Record(fields: fields, secrets: secrets).sealed
    }

    /// The server's key for this activation.
    var serverPublicKey: CurvePoint {
        get throws(PushError) { try CurvePoint(serverKey) }
    }

    /// Where each secret is.
    fileprivate enum Position: Int, CaseIterable {
        case possession, transport, counter, knowledge, biometry, deviceKey, token
    }

    private static let damaged = PushError(.malformed, "The credential is damaged.")
}

extension [Secret] {
    fileprivate subscript(position: PowerAuthRecord.Position) -> Secret {
        self[position.rawValue]
    }
}

extension PowerAuthRecord {
    /// Whether another record is of this activation, whatever it knows of the counter and the keys.
    func isOfSameActivation(as other: PowerAuthRecord) -> Bool {
        activationID.utf8.elementsEqual(other.activationID.utf8) && serverKey == other.serverKey
            && fingerprint == other.fingerprint
    }

    /// The token of a name.
    subscript(token name: String) -> AccessToken? {
        get { name == AccessToken.universalName ? token : namedTokens[name] }
        set {
            if name == AccessToken.universalName {
                token = newValue
            } else {
                namedTokens[name] = newValue
            }
        }
    }

    /// Forgets what is of no use once the server has removed the activation.
    mutating func forgetKeys() {
        locked = nil
        token = nil
        namedTokens = [:]
        // A record always holds both; of these, nothing can be made.
        possession = Secret([UInt8](repeating: 0, count: 16))
        transport = Secret([UInt8](repeating: 0, count: 16))
    }

    /// The keys that sign, in their order; `nil` if the PIN was changed since it was stretched.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if they were forgotten,
    ///   `verificationFailed` if biometry wasn't set up.
    func keys(
        for factors: PowerAuthFactors, pin: PINLock.Stretched?
    ) throws(PushError) -> [Secret]? {
        guard let locked else {
            throw PushError(.unknownEnrollment, "The server has removed the activation.")
        }
        var keys = factors.factors.hasPossession ? [possession] : []
        if factors.factors.hasKnowledge {
            guard let pin, let knowledge = try locked.knowledge.key(under: pin) else { return nil }
            keys.append(knowledge)
        }
        if let secret = factors.biometricSecret {
            guard let biometry = locked.biometry else {
                throw PushError(.verificationFailed, "Biometry isn't set up for the activation.")
            }
            keys.append(try BiometricLock.unlock(biometry, with: secret))
        }
        return keys
    }
}

extension Account {
    /// The provider's half.
    var record: PowerAuthRecord {
        get throws(PushError) { try credential() }
    }
}

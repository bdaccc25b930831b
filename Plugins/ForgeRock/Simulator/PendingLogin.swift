import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    /// What is wrong with a push that AM itself would never send.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// A claim is replaced after signing.
        case tampered(claim: String, value: String)
        /// It is signed with a key of 32 zero bytes.
        case wrongKey
        /// It is signed with the key of another user's first device.
        case signedWithKey(of: String)
        /// Its header says `alg` `none`, and it has no signature.
        case unsigned
        /// It is correctly signed, by HMAC-SHA384.
        case signedWithHS384
        /// Its type `k` is this, correctly signed.
        case type(String)
        /// Its time `i` is so far back that it ended this long ago, correctly signed. The server
        /// still takes an answer.
        case expired(ago: Duration)
        /// Its list of numbers is empty, correctly signed.
        case noNumbers
        /// A claim is missing, correctly signed.
        case missing(claim: String)
        /// It is fine, but arrives twice.
        case repeated
    }
}

/// What the sender node decides about one push, and the claims it makes of that.
struct PendingLogin {
    let type: PushType
    let time: Date
    let challenge: Secret
    /// The number on the login page.
    let answer: Int32?
    let text: String
    private var claims: JSON.Object
    private let timeout: Duration

    init(
        user: String, type: PushType, mechanismUID: String,
        configuration: ForgeRockSimulator.Configuration
    ) throws(PushError) {
        self.type = type
        time = configuration.clock.now
        timeout = configuration.messageTimeout
        challenge = configuration.random.bytes(32)
        text = configuration.userMessage
            .replacing("{{user}}", with: user)
            .replacing("{{issuer}}", with: configuration.issuer)
        let numbers = type == .challenge ? Self.numbers(from: configuration.random) : []
        answer = numbers.isEmpty ? nil : numbers[configuration.random.index(below: numbers.count)]
        claims = Self.firstClaims(mechanismUID, challenge, configuration)
        let payload = JSON.object(configuration.customPayload).spacedText
        guard payload.utf8.count <= 3 * 1024 else {
            throw PushError(.invalidArgument, "A custom payload has at most 3 KiB.")
        }
        let isTyped = configuration.hasTypedPushes
        if isTyped {
            claims["m"] = .string(text)
            claims["k"] = .string(type.rawValue)
        }
        if isTyped || configuration.usesAuthenticationModule {
            claims["i"] = .string("\(time.milliseconds)")
        }
        claims["t"] = .string("\(timeout.inMilliseconds / 1000)")
        guard isTyped else { return }
        if configuration.generation >= .c { claims["d"] = .string(user) }
        claims["p"] = .string(payload)
        if configuration.sharesContextInfo {
            claims["x"] = .string(configuration.context.json.spacedText)
        }
        guard type == .challenge else { return }
        claims["n"] = .string(numbers.map { "\($0)" }.joined(separator: ","))
    }

    /// Three different numbers of two digits, ascending.
    private static func numbers(from random: any RandomSource) -> [Int32] {
        var pool = Array<Int32>(10...99)
        return (0..<3).map { _ in pool.remove(at: random.index(below: pool.count)) }.sorted()
    }

    private static func firstClaims(
        _ mechanismUID: String, _ challenge: Secret,
        _ configuration: ForgeRockSimulator.Configuration
    ) -> JSON.Object {
        var claims: JSON.Object = ["u": .string(mechanismUID)]
        if let cookie = configuration.loadBalancerCookie {
            claims["l"] = .string(Base64.standard(cookie.utf8))
        }
        claims["c"] = .string(challenge.withBytes { Base64.standard($0) })
        return claims
    }

    /// The signed claims.
    func token(by key: Secret, spoiledBy fault: ForgeRockSimulator.BadPush?) -> String {
        var claims = claims
        var algorithm = CompactToken.Algorithm.hs256
        switch fault {
        case .unsigned: algorithm = .none
        case .signedWithHS384: algorithm = .hs384
        case .type(let type): claims["k"] = .string(type)
        case .expired(let ago):
            let issued = time - timeout.inSeconds - ago.inSeconds
            claims["i"] = .string("\(issued.milliseconds)")
        case .noNumbers: claims["n"] = ""
        case .missing(let claim): claims[claim] = nil
        case .tampered(let claim, let value):
            let signed = CompactToken.text(of: claims, by: key)
            claims[claim] = .string(value)
            return Self.swapClaims(of: signed, for: claims)
        case .wrongKey, .signedWithKey, .repeated, nil: break
        }
        return CompactToken.text(of: claims, by: key, algorithm: algorithm)
    }

    /// A token with other claims and its old signature.
    private static func swapClaims(of token: String, for claims: JSON.Object) -> String {
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = Base64URL.encode(JSON.object(claims).utf8)
        return parts.joined(separator: ".")
    }
}

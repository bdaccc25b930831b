import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        claims["t"] = .string("\(timeout.milliseconds / 1000)")
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
            let issued = time - timeout.seconds - ago.seconds
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
        parts[1] = Base64.url(JSON.object(claims).utf8)
        return parts.joined(separator: ".")
    }
}

extension PushType {
    /// The type that asks for what a login wants.
    init(_ kind: SimulatedLogin.Kind) {
        switch kind {
        case .number: self = .challenge
        case .biometry: self = .biometric
        default: self = .default
        }
    }
}

extension ForgeRockSimulator.LoginContext {
    /// The members AM writes; what it doesn't know is left out.
    var json: JSON {
        var members: JSON.Object = [:]
        if let latitude = latitude.flatMap({ JSON.Number($0) }),
            let longitude = longitude.flatMap({ JSON.Number($0) })
        {
            members["location"] = [
                "latitude": .number(latitude), "longitude": .number(longitude),
            ]
        }
        members["remoteIp"] = remoteIP.map(JSON.string)
        members["userAgent"] = userAgent.map(JSON.string)
        return .object(members)
    }
}

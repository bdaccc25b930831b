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
        var numbers: [Int32] = []
        if type == .challenge {
            var pool = Array<Int32>(10...99)
            for _ in 0..<3 {
                numbers.append(pool.remove(at: configuration.random.index(below: pool.count)))
            }
            numbers.sort()
            answer = numbers[configuration.random.index(below: 3)]
        } else {
            answer = nil
        }
        claims = Self.basicClaims(mechanismUID, challenge, configuration)
        if configuration.usesAuthenticationModule {
            claims["i"] = .string("\(time.milliseconds)")
        }
        claims["t"] = .string("\(timeout.milliseconds / 1000)")
        if configuration.hasTypedPushes {
            try addTypedClaims(user: user, numbers: numbers, configuration)
        }
    }

    private static func basicClaims(
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

    private mutating func addTypedClaims(
        user: String, numbers: [Int32], _ configuration: ForgeRockSimulator.Configuration
    ) throws(PushError) {
        let payload = JSON.object(configuration.customPayload).spacedText
        guard payload.utf8.count <= 3 * 1024 else {
            throw PushError(.invalidArgument, "A custom payload has at most 3 KiB.")
        }
        let ttl = claims["t"]
        claims["t"] = nil
        claims["m"] = .string(text)
        claims["k"] = .string(type.rawValue)
        claims["i"] = .string("\(time.milliseconds)")
        claims["t"] = ttl
        if configuration.generation >= .c { claims["d"] = .string(user) }
        claims["p"] = .string(payload)
        if configuration.sharesContextInfo {
            claims["x"] = .string(configuration.context.json.spacedText)
        }
        if type == .challenge {
            claims["n"] = .string(numbers.map { "\($0)" }.joined(separator: ","))
        }
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

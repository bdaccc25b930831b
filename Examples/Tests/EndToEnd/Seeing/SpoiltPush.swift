import PushCore
import PushForgeRockSimulator
import PushOneSpanSimulator
import PushPlusAuthSimulator
import PushTesting
import PushXignInSimulator
import Testing

/// A push that is wrong in another way than by a bit of its signature.
struct SpoiltPush: Sendable, CustomTestStringConvertible {
    let vendor: String
    let what: String

    /// How what is recorded of it begins.
    let verdict: String

    /// Starts a login that sends it.
    let start: @Sendable (any VendorSimulator) async throws -> Void

    var testDescription: String { "\(vendor), \(what)" }

    static let all = forgeRock + plusAuth + xignIn + others

    private static let forgeRock: [SpoiltPush] = [
        ("HS384", "refused, untrusted", ForgeRockSimulator.BadPush.signedWithHS384),
        ("unsigned", "refused, malformed", .unsigned),
        ("without its challenge", "refused", .missing(claim: "c")),
        ("expired", "notice", .expired(ago: .seconds(600))),
    ].map { (what, verdict, fault) in
        SpoiltPush(vendor: "forgerock", what: what, verdict: verdict) {
            _ = try await ($0 as? ForgeRockSimulator)?
                .startLogin(of: "jane", asking: .confirm, spoiledBy: fault)
        }
    }

    private static let plusAuth: [SpoiltPush] = [
        ("HS256", "refused, untrusted", PlusAuthSimulator.BadPush.hs256),
        ("unsigned", "refused, untrusted", .algNone),
        ("without its context", "refused", .missing(claim: "context_token")),
        ("expired", "notice", .expired(ago: .seconds(600))),
    ].map { (what, verdict, fault) in
        SpoiltPush(vendor: "plusauth", what: what, verdict: verdict) {
            _ = try await ($0 as? PlusAuthSimulator)?
                .startLogin(of: "jane", asking: .confirm, spoiledBy: fault)
        }
    }

    private static let xignIn: [SpoiltPush] = [
        ("unsigned", "refused, untrusted", XignInSimulator.BadPush.unsigned),
        ("without its process", "refused", .missing(claim: "pid")),
        ("expired", "notice", .expired(ago: .seconds(600))),
    ].map { (what, verdict, fault) in
        SpoiltPush(vendor: "xignin", what: what, verdict: verdict) {
            _ = try await ($0 as? XignInSimulator)?
                .startLogin(of: "jane", asking: .confirm, spoiledBy: fault)
        }
    }

    private static let others = [
        SpoiltPush(vendor: "onespan", what: "expired", verdict: "notice") {
            _ = try await ($0 as? OneSpanSimulator)?
                .startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .expired(ago: .seconds(600)))
        }
    ]
}

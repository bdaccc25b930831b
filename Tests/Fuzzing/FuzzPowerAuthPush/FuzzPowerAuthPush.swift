import Foundation
import PushAuthFuzzing
import PushCore
import PushTesting

/// Feeds the registry with pushes of PowerAuth, which nothing signs: whatever comes, it's a hint at
/// an activation of this phone, on what others read in it, too, and nothing else.
@main
enum FuzzPowerAuthPush {
    private static let types = [
        "mtoken.operationInit", "mtoken.operationFinished", "mtoken.statusChange",
        "mtoken.inboxMessage.new",
    ]

    static func main() async throws {
        let phone = try await EnrolledPhone()
        fuzz { bytes in
            let input = phone.named(bytes)
            expectKept { await received(input, by: phone) }
        }
    }

    private static func received(_ push: Data, by phone: EnrolledPhone) async -> StaticString? {
        guard let message = try? PushMessage(json: push) else { return nil }
        let events: [PushEvent]
        do throws(PushError) {
            events = try await phone.registry.events(from: message, in: phone.environment)
        } catch {
            guard error.code == .unknownEnrollment, let named = extras(of: push)?["activationId"],
                !phone.activations.contains(named as? String ?? "")
            else { return "only what names another activation is refused" }
            return nil
        }
        guard (phone.provider.candidate(in: message) == nil) == events.isEmpty else {
            return "what is recognized is an event or an error"
        }
        for event in events {
            guard case .hint(let hint) = event else { return "a push is a hint" }
            if let broken = checked(hint, extras(of: push), phone) { return broken }
        }
        return nil
    }

    private static func checked(
        _ hint: PushEvent.Hint, _ extras: [String: Any]?, _ phone: EnrolledPhone
    ) -> StaticString? {
        guard let extras, let type = extras["messageType"] as? String, types.contains(type) else {
            return "only a documented message is a hint"
        }
        let names =
            if let named = extras["activationId"] { [named as? String ?? ""] } else {
                phone.activations
            }
        guard hint.enrollments == Set(names.map { Enrollment.ID($0, of: "powerauth") }) else {
            return "a hint is at the activation that is named, or at all"
        }
        // The activation is asked about, too, which the context says; else there is none.
        let asksForMore =
            extras["mtokenOperationResult"] as? String == "operation.methodNotAvailable"
        let isExpected =
            switch hint.topic {
            case .challenges where hint.context != nil: type == types[1] && asksForMore
            case .challenges: type == types[0]
            case .finished(let id):
                type == types[1] && !asksForMore && isEqual(id, extras["operationId"])
            case .enrollment: type == types[2]
            case .inbox: type == types[3]
            @unknown default: false
            }
        let isChallenges = hint.topic == .challenges
        guard isExpected, isChallenges || hint.context == nil else {
            return "others read the same topic"
        }
        return nil
    }

    /// The extras as others read them: at the top, or else in `aps`.
    private static func extras(of push: Data) -> [String: Any]? {
        let top = try? JSONSerialization.jsonObject(with: push) as? [String: Any]
        return top?["messageType"] != nil ? top : top?["aps"] as? [String: Any]
    }

    private static func isEqual(_ text: String, _ value: Any?) -> Bool {
        (value as? String)?.utf8.elementsEqual(text.utf8) == true
    }
}

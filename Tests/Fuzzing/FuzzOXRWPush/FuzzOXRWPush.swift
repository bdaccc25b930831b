import Foundation
import PushAuthFuzzing
import PushCore
import PushTesting
import PushXignIn

/// Feeds the registry with pushes of OXRW/1: nothing but what the manager signed for this activation
/// makes an event, and the event says what others read in it, too. And, as no mutation finds a right
/// signature, feeds the same bytes as the claims of a push that is signed.
@main
enum FuzzOXRWPush {
    static func main() async throws {
        let manager = try await EnrolledManager()
        fuzz { bytes in
            let input = Data(bytes)
            expectKept { await received(input, by: manager) }
            expectKept {
                guard let push = try? manager.push(signing: input) else {
                    return "whatever it is, it can be signed"
                }
                return await received(push, by: manager)
            }
        }
    }

    private static func received(_ push: Data, by manager: EnrolledManager) async -> StaticString? {
        guard let message = try? PushMessage(json: push) else { return nil }
        guard let phone = try? await manager.phone(),
            let registry = try? PluginRegistry([phone.provider])
        else { return "there is an activation" }
        let events: [PushEvent]
        do throws(PushError) {
            events = try await registry.events(from: message, in: phone.environment)
        } catch {
            let isExpected = [.untrusted, .malformed, .unknownEnrollment].contains(error.code)
            return isExpected
                ? nil : "what isn't taken is untrusted, malformed or not for this device"
        }
        guard (phone.provider.candidate(in: message) == nil) == events.isEmpty else {
            return "what is recognized is an event or an error"
        }
        for event in events {
            guard let claims = message["oxrw_msg"]?.string.flatMap(manager.claims) else {
                return "only what the manager signed for this activation makes an event"
            }
            if let broken = checked(event, claims) { return broken }
        }
        return nil
    }

    private static func checked(_ event: PushEvent, _ claims: [String: Any]) -> StaticString? {
        let id: Challenge.ID
        switch event {
        case .notice(let announcement):
            id = announcement.notice.id
            guard claims["msg"] as? String == "authentication" else {
                return "only an authentication is announced"
            }
            if let broken = checked(announcement.notice) { return broken }
        case .withdrawal(let withdrawal):
            id = withdrawal.id
            guard claims["msg"] as? String == "cancel" else { return "only a cancel withdraws" }
        case .incompatible(let incompatible):
            id = incompatible.id
            guard incompatible.withdraws == (claims["msg"] as? String == "cancel") else {
                return "of what isn't understood, only a cancel withdraws"
            }
        default:
            return "an event is a notice, a withdrawal, or isn't understood"
        }
        guard id.enrollment == Enrollment.ID(EnrolledManager.name, of: "xignin") else {
            return "an event is the manager's own"
        }
        guard id.name == claims["pid"] as? String, (1...128).contains(id.name.utf8.count) else {
            return "others read the same process"
        }
        return nil
    }

    private static func checked(_ notice: Notice) -> StaticString? {
        guard let issued = notice.issued, let expiry = notice.expiry, issued < expiry else {
            return "a process ends after it began"
        }
        guard notice.proof == .signature else { return "the manager's key proves it" }
        guard isShowable(notice.title, 120), isShowable(notice.body, 500) else {
            return "what is shown is short, and has no control characters"
        }
        return nil
    }

    private static func isShowable(_ text: String?, _ length: Int) -> Bool {
        guard let text else { return true }
        return text.unicodeScalars.count <= length
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

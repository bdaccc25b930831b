import Foundation
import PushAuthFuzzing
import PushCore
import PushPrivacyIDEA

/// Feeds a whole receive of privacyIDEA's challenges, by push and by poll: nothing but what the
/// token's server signed makes a notice, and what it signed doesn't lead elsewhere. As no mutation
/// finds a right signature, the same bytes are also fed as what the server signs.
@main
enum FuzzSignedChallenge {
    static func main() async throws {
        let token = try await EnrolledToken()
        fuzz { bytes in
            let input = Data(bytes)
            expectKept { await received(input, by: token) }
            expectKept { await listed(input, by: token) }
            guard let signed = token.signed(input) else { return }
            expectKept { await received(signed, by: token) }
            let list = #"{"result":{"status":true,"value":["#.utf8 + signed + "]}}".utf8
            expectKept { await listed(Data(list), by: token) }
        }
    }

    private static func received(_ push: Data, by token: EnrolledToken) async -> StaticString? {
        guard let message = try? PushMessage(json: push),
            let candidate = token.provider.candidate(in: message)
        else { return nil }
        do throws(PushError) {
            switch try await candidate.verified(with: token.accounts) {
            case .notice(let announcement):
                guard let fields = message.content.object, token.isSigned(fields) else {
                    return "only what the server signed is a notice"
                }
                let bars = ["question", "title", "require_presence"]
                guard bars.allSatisfy({ fields[$0]?.string?.contains("|") != true }) else {
                    return "a push with two readings is no notice"
                }
                return checked(announcement, fields["nonce"]?.string, token)
            case .hint(let hint):
                return hint.enrollments == [token.id] ? nil : "a hint is at the token"
            default: return "a push is a notice or a hint"
            }
        } catch {
            let isExpected = [.untrusted, .malformed, .unknownEnrollment].contains(error.code)
            return isExpected ? nil : "what isn't taken is untrusted, malformed or unknown"
        }
    }

    private static func listed(_ reply: Data, by token: EnrolledToken) async -> StaticString? {
        do throws(PushError) {
            let announcements = try await token.listed(in: reply)
            let signed =
                (try? JSON(parsing: reply))?["result"]?["value"]?.array?
                .compactMap(\.object).filter(token.isSigned).compactMap { $0["nonce"]?.string }
                ?? []
            for announcement in announcements {
                guard signed.contains(announcement.notice.id.name) else {
                    return "only what the server signed is listed"
                }
                if let broken = checked(announcement, nil, token) { return broken }
            }
        } catch {
            guard error.code == .interrupted else { return "what is no list is nobody's word" }
        }
        return nil
    }

    private static func checked(
        _ announcement: Announcement, _ nonce: String?, _ token: EnrolledToken
    ) -> StaticString? {
        let notice = announcement.notice
        guard notice.id.enrollment == token.id else { return "a notice is the token's" }
        guard nonce == nil || notice.id.name == nonce, (1...128).contains(notice.id.name.utf8.count)
        else { return "a notice has its nonce for a name" }
        guard isShowable(notice.title), isShowable(notice.body, mayBreak: true) else {
            return "what is shown has no control characters, and line breaks in the body alone"
        }
        return nil
    }

    private static func isShowable(_ text: String?, mayBreak: Bool = false) -> Bool {
        guard let text else { return true }
        return text.unicodeScalars.allSatisfy {
            mayBreak && $0 == "\n" || $0.properties.generalCategory != .control
        }
    }
}

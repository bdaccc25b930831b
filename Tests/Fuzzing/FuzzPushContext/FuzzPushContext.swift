import Foundation
import PushAuthFuzzing
import PushCore
import PushPlusAuth

/// Feeds a whole receive of PlusAuth's, from the bytes of a push to the opened challenge: nothing but
/// what an account's key signed makes an event, and only of that account. And, as no mutation finds a
/// right signature, feeds the same bytes as the claims of a push that is signed.
@main
enum FuzzPushContext {
    static func main() async throws {
        let accounts = try await EnrolledAccounts()
        let keys = try ExampleKeys()
        fuzz { bytes in
            let input = Data(bytes)
            expectKept { await received(input, by: accounts, keys) }
            expectKept {
                guard let push = try? keys.push(signing: input) else {
                    return "whatever it is, it can be signed"
                }
                return await received(push, by: accounts, keys)
            }
        }
    }

    private static func received(
        _ push: Data, by accounts: EnrolledAccounts, _ keys: ExampleKeys
    ) async -> StaticString? {
        guard let message = try? PushMessage(json: push) else { return nil }
        guard let phone = try? await accounts.phone(),
            let registry = try? PluginRegistry([phone.provider])
        else { return "there are accounts" }
        let events: [PushEvent]
        do throws(PushError) {
            events = try await registry.events(from: message, in: phone.environment)
        } catch {
            let isExpected = [.untrusted, .malformed].contains(error.code)
            return isExpected ? nil : "what isn't taken is untrusted or malformed"
        }
        guard (phone.provider.candidate(in: message) == nil) == events.isEmpty else {
            return "what is recognized is an event or an error"
        }
        for event in events {
            let texts = [message["context"], message["data"]?["context"]].map { $0?.string }
            guard let signer = texts.lazy.compactMap({ $0 }).first.flatMap(keys.signer) else {
                return "only what an account's key signed makes an event"
            }
            if let broken = await opened(event, of: signer, by: phone) { return broken }
        }
        return nil
    }

    private static func opened(
        _ event: PushEvent, of signer: String,
        by phone: (provider: PlusAuth, environment: PushEnvironment)
    ) async -> StaticString? {
        switch event {
        case .incompatible(let incompatible):
            let isOwn = incompatible.id.enrollment.name == signer
            return isOwn ? nil : "what isn't understood is the account's"
        case .notice(var announcement):
            let notice = announcement.notice
            guard notice.id.enrollment.name == signer else { return "the notice is the account's" }
            guard let issued = notice.issued, let expiry = notice.expiry, issued < expiry else {
                return "a challenge ends after it began"
            }
            let accounts = phone.environment.accounts(for: phone.provider.id)
            guard let account = try? await accounts.existing(notice.id.enrollment),
                let challenge = try? await phone.provider.resolver
                    .challenge(for: &announcement, of: account),
                let context = challenge.details(as: PushContext.self)
            else { return "what is announced can be opened" }
            return checked(notice, context)
        default:
            return "an event is a notice, or isn't understood"
        }
    }

    private static func checked(_ notice: Notice, _ context: PushContext) -> StaticString? {
        let texts = [
            notice.title, notice.body, context.info?.userIdentifier, context.info?.agent?.ua,
            context.info?.location?.country,
        ]
        guard texts.allSatisfy({ $0.map(isShowable) ?? true }) else {
            return "what is shown is short, and has no control characters"
        }
        if case .code(let values) = context.type {
            guard (2...10).contains(values.count), Set(values).count == values.count else {
                return "a code has two to ten different values"
            }
        }
        guard let text = context.resolveURL else { return nil }
        let url = URLComponents(string: text)
        guard url?.scheme?.lowercased() == "https", url?.user == nil,
            url?.host?.lowercased() == EnrolledAccounts.host, url?.port ?? 443 == 443
        else { return "others read the tenant's origin in resolve_url, too" }
        return nil
    }

    private static func isShowable(_ text: String) -> Bool {
        (1...200).contains(text.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

import Foundation
import PushAuthFuzzing
import PushCore
import PushForgeRock

/// Feeds a whole receive, from the bytes of a push to the opened challenge: nothing but what the
/// server signed makes an event. And, as no mutation finds a right authentication code, feeds the
/// same bytes as the claims of a push that is signed.
@main
enum FuzzPush {
    static func main() async throws {
        let device = try await EnrolledDevice()
        fuzz { bytes in
            let input = Data(bytes)
            expectKept { await received(input, by: device) }
            expectKept { await received(EnrolledDevice.push(signing: input), by: device) }
        }
    }

    private static func received(_ push: Data, by device: EnrolledDevice) async -> StaticString? {
        guard let message = try? PushMessage(json: push) else { return nil }
        guard
            let event = try? await device.provider.candidate(in: message)?
                .verified(with: device.accounts)
        else { return nil }
        let places = [message["aps"], message.content, message["data"]]
        let texts = places.flatMap { [$0?["message"]?.string, $0?["data"]?.string] }
        guard texts.contains(where: { $0.map(EnrolledDevice.isSigned) == true }) else {
            return "only what the server signed makes an event"
        }
        guard case .notice(var announcement) = event else { return "the event is a notice" }
        guard announcement.notice.id.enrollment == device.enrollment.id else {
            return "the notice is the enrollment's"
        }
        guard let account = try? await device.accounts.existing(device.enrollment.id) else {
            return "there is an enrollment"
        }
        _ = try? await device.provider.resolver.challenge(for: &announcement, of: account)
        return nil
    }
}

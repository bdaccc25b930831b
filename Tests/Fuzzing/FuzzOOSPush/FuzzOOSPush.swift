import Foundation
import PushAuthFuzzing
import PushCore
import PushOneSpan

/// Feeds the registry with pushes of commands in OOC/1: nothing but what the platform sealed for this
/// device makes an event. And, as no mutation finds a right tag, feeds the same bytes as the body of a
/// request that is sealed.
@main
enum FuzzOOSPush {
    static func main() async throws {
        let device = try await ActivatedDevice()
        fuzz { bytes in
            let input = Data(bytes)
            expectKept { await received(input, by: device) }
            for type in [0x20, 0x30] as [UInt8] {
                expectKept {
                    guard let push = try? device.push(sealing: input, type: type) else {
                        return "whatever it is, it can be sealed"
                    }
                    return await received(push, by: device)
                }
            }
        }
    }

    private static func received(_ push: Data, by device: ActivatedDevice) async -> StaticString? {
        guard let message = try? PushMessage(json: push) else { return nil }
        guard let phone = try? await device.phone(),
            let registry = try? PluginRegistry([phone.provider])
        else { return "there is a device" }
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
            guard let command = try? OneSpanNotification.parseOneSpanNotification(message),
                let body = device.opened(command.hex)
            else { return "only what the platform sealed for this device makes an event" }
            if let broken = checked(event, body, device) { return broken }
        }
        return nil
    }

    /// The body ends in the request's identifier, unless something follows that may be ignored.
    private static func checked(
        _ event: PushEvent, _ body: Data, _ device: ActivatedDevice
    ) -> StaticString? {
        guard case .notice(let announcement) = event else { return "a request is a notice" }
        let notice = announcement.notice
        guard notice.id.enrollment.name == device.name else { return "the notice is the device's" }
        guard let issued = notice.issued, let expiry = notice.expiry, issued <= expiry else {
            return "a request doesn't end before it began"
        }
        guard (1...64).contains(notice.id.name.utf8.count),
            body.range(of: Data(notice.id.name.utf8)) != nil
        else { return "the request is the one in the body" }
        guard notice.title == nil, notice.body == nil else { return "titles are nobody's word" }
        return nil
    }
}

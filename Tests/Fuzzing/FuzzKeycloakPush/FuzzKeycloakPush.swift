import Foundation
import PushAuthFuzzing
import PushCore
import PushKeycloak

/// Feeds a whole receive of a realm's challenges, by push, link and list, and the replies of its
/// token endpoint: nothing but what the realm signed makes a notice, and a list is asked with the
/// token that came. As no mutation finds a right signature, the same bytes are also fed as what the
/// realm signs.
@main
enum FuzzKeycloakPush {
    static func main() async throws {
        let device = try await EnrolledDevice()
        fuzz { bytes in
            let input = Data(bytes)
            let link = String(decoding: bytes, as: UTF8.self)
            expectKept { await received(try? PushMessage(json: input), by: device) }
            expectKept { await received(PushMessage(text: link, by: .link), by: device) }
            expectKept { await received(device.push(signing: input), by: device) }
            expectKept { await listed(input, by: device) }
            for status in [200, 400] {
                expectKept { await granted(status, input, by: device) }
            }
        }
    }

    private static func received(
        _ message: PushMessage?, by device: EnrolledDevice
    ) async -> StaticString? {
        guard let message, let candidate = device.provider.candidate(in: message) else {
            return nil
        }
        do throws(PushError) {
            let event = try await candidate.verified(with: device.accounts)
            guard device.isSigned(message) else { return "only what the realm signed is an event" }
            guard case .notice(let announcement) = event else { return "a push is a notice" }
            return checked(announcement.notice.id, device)
        } catch {
            let isExpected = [.untrusted, .malformed, .unknownEnrollment].contains(error.code)
            return isExpected ? nil : "what isn't taken is untrusted, malformed or unknown"
        }
    }

    private static func listed(_ reply: Data, by device: EnrolledDevice) async -> StaticString? {
        do throws(PushError) {
            let entries = (try? JSON(parsing: reply))?["challenges"]?.array ?? []
            let names = entries.filter { $0["userId"]?.string == EnrolledDevice.subject }
                .compactMap { $0["cid"]?.string }
            for announcement in try await device.listed(in: reply) {
                guard names.contains(announcement.notice.id.name) else {
                    return "what is listed is the user's own"
                }
                if let broken = checked(announcement.notice.id, device) { return broken }
                switch try? await device.opened(announcement)?.prompt {
                case .choose(let options)? where Set(options).count != 3:
                    return "there are three numbers to choose from"
                case .enter(let digits)? where !(1...12).contains(digits):
                    return "there are digits to enter"
                default: continue
                }
            }
        } catch {
            guard error.code == .interrupted else { return "what is no list is nobody's word" }
        }
        return nil
    }

    private static func granted(
        _ status: Int, _ reply: Data, by device: EnrolledDevice
    ) async -> StaticString? {
        do throws(PushError) {
            let sent = try await device.authorization(after: status, reply)
            let token = (try? JSON(parsing: reply))?["access_token"]?.string
            return status == 200 && token.map { "DPoP \($0)" } == sent
                ? nil : "a list is asked with the token that came"
        } catch {
            return error.code == .unreachable ? nil : "without a token nothing was sent"
        }
    }

    private static func checked(_ id: Challenge.ID, _ device: EnrolledDevice) -> StaticString? {
        id.enrollment == device.id && UUID(uuidString: id.name) != nil
            ? nil : "a challenge is the enrollment's, and its name is a UUID"
    }
}

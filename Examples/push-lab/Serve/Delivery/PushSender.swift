import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// Hands pushes to a push service, as a vendor's server hands them to Google or Apple.
///
/// The service's credentials are files of a directory, read for each push: the service may start
/// later than the console.
struct PushSender: Sendable {
    /// Where `pushauth listen --credentials` writes; `nil` to deliver nothing.
    let directory: URL?
    private let tokens = ProviderTokens()

    init(directory: URL?) {
        self.directory = directory
    }

    /// - Returns: What became of it.
    func send(_ push: SimulatedPush) async -> PushFate {
        guard let directory else {
            return .untaken(.noPushService, "not delivered: no push service is set")
        }
        do {
            let transport = SystemTransport(configuration(directory))
            let service: any PushService
            switch push.deviceToken {
            case .fcm(let token): service = try FCMService(directory, token: token)
            case .apns(let hex, _):
                service = try APNsService(directory, token: hex, tokens: tokens)
            @unknown default:
                return .untaken(.failed, "not delivered: an unknown kind of device token")
            }
            return try await service.deliver(push.payload, by: transport)
        } catch let error as PushError {
            let reason: PushFate.Reason =
                switch error.code {
                case .unreachable: .unreachable
                case .server: .refused
                default: .failed
                }
            return .untaken(reason, "not delivered: \(error.code)")
        } catch {
            return .untaken(
                .noCredentials, "not delivered: the push service's credentials can't be read")
        }
    }

    private func configuration(_ directory: URL) -> SystemTransport.Configuration {
        let authority = directory.appendingPathComponent("authority.pem").path
        let isThere = FileManager.default.fileExists(atPath: authority)
        return SystemTransport.Configuration(
            plainHTTP: .loopbackOnly, certificateAuthorities: isThere ? .file(authority) : .system)
    }
}

/// Google's or Apple's way to take a push.
protocol PushService {
    /// - Returns: What the service said.
    func deliver(_ payload: Data, by transport: SystemTransport) async throws -> PushFate
}

/// A compact JWT whose claims are `claims`.
func signedToken(
    header: JSON.Object, claims: JSON.Object, by sign: (Data) throws -> Data
) throws -> String {
    let text =
        JSON.object(header).data.base64URL + "." + JSON.object(claims).data.base64URL
    return text + "." + (try sign(Data(text.utf8))).base64URL
}

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
    private let wait: @Sendable (Duration) async throws -> Void
    private let tokens = ProviderTokens()

    /// How often a push is sent that the service can't take just now, as Google's and Apple's clients do.
    static let attempts = 4

    /// However long the service asks to be left alone.
    private static let longestPause = Duration.seconds(10)

    init(
        directory: URL?,
        waiting wait: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.directory = directory
        self.wait = wait
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
            return try await send(push.payload, to: service, by: transport)
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

    /// Sends a push again as long as the service says that it can't take it just now.
    private func send(
        _ payload: Data, to service: any PushService, by transport: SystemTransport
    ) async throws -> PushFate {
        var attempt = 1
        while true {
            let (status, reason, pause) = try await service.deliver(payload, by: transport)
            if status == 200 { return .taken("taken by \(service.name)") }
            let words = "refused by \(service.name): \(status) \(reason)"
            guard status == 503 else { return .untaken(.refused, words) }
            guard attempt < Self.attempts else { return .untaken(.unavailable, words) }
            try await wait(min(pause ?? .seconds(1 << (attempt - 1)), Self.longestPause))
            attempt += 1
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
    var name: String { get }

    /// - Returns: The status, the service's word for it, and how long it asks to wait.
    func deliver(
        _ payload: Data, by transport: SystemTransport
    ) async throws -> (status: Int, reason: String, pause: Duration?)
}

/// A compact JWT whose claims are `claims`.
func signedToken(
    header: JSON.Object, claims: JSON.Object, by sign: (Data) throws -> Data
) throws -> String {
    let text =
        JSON.object(header).data.base64URL + "." + JSON.object(claims).data.base64URL
    return text + "." + (try sign(Data(text.utf8))).base64URL
}

import Foundation  // for URLSession, which needs all of it
import HTTPTypes
import PushCore
import PushTransportRules

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange: what has arrived of its reply, and why it was ended, if it was.
///
/// Read and written under the lock of its session's delegate: that is why `@unchecked Sendable` is
/// safe.
final class SessionExchange: @unchecked Sendable {
    typealias Reply = Result<(response: HTTPResponse, body: Data), PushError>

    let authority: String
    let pins: Set<ServerPin>
    var completion: (@Sendable (Reply) -> Void)?
    var isCancelled = false
    /// Why the server isn't trusted, if it was looked at for pins.
    var fault: PushError.Code?
    private let limit: Int
    private let hasBody: Bool
    private var response: HTTPURLResponse?
    private var body = Data()
    private var isOversized = false

    init(authority: String, pins: Set<ServerPin>, limit: Int, hasBody: Bool) {
        self.authority = authority
        self.pins = pins
        self.limit = limit
        self.hasBody = hasBody
    }

    /// Takes the reply's head.
    ///
    /// - Returns: Whether the body it announces may come.
    func receive(_ response: URLResponse) -> Bool {
        self.response = response as? HTTPURLResponse
        body = Data()
        if hasBody, response.expectedContentLength > Int64(limit) { isOversized = true }
        return !isOversized
    }

    /// Takes a part of the reply's body.
    ///
    /// - Returns: Whether there was room for it.
    func receive(_ bytes: Data) -> Bool {
        if body.count + bytes.count > limit { isOversized = true }
        if !isOversized { body.append(bytes) }
        return !isOversized
    }

    /// What became of it, once URLSession is done with it.
    func outcome(_ error: (any Error)?) -> Reply {
        if isOversized {
            return .failure(
                PushError(.oversizedReply, "The reply of \(authority) is larger than allowed."))
        }
        if let fault {
            let reason =
                fault == .pinMismatch
                ? "No certificate of \(authority) has a pinned key."
                : "The certificate of \(authority) doesn't hold."
            return .failure(PushError(fault, reason))
        }
        if isCancelled {
            return .failure(
                PushError(.interrupted, "The exchange with \(authority) was cancelled midway."))
        }
        if let error {
            let code = (error as? URLError)?.code ?? .unknown
            return .failure(Self.failure(code, authority: authority))
        }
        guard let response, (0...999).contains(response.statusCode) else {
            return .failure(Self.failure(.badServerResponse, authority: authority))
        }
        return .success((Self.translate(response), body))
    }

    private static func translate(_ response: HTTPURLResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let name = HTTPField.Name(name),
                let value = value as? String
            else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(
            status: HTTPResponse.Status(code: response.statusCode), headerFields: fields)
    }
}

extension SessionExchange {
    /// Translates URLSession's code; what isn't known to come before the request counts as after.
    static func failure(_ code: URLError.Code, authority: String) -> PushError {
        let cause = URLSessionFailure(code: code.rawValue)
        switch code {
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid:
            return PushError(
                .untrustedServer, "The certificate of \(authority) doesn't hold.",
                underlying: cause)
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
            .secureConnectionFailed, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
            .clientCertificateRequired, .clientCertificateRejected:
            return PushError(
                .unreachable, "\(authority) can't be reached (URLError \(code.rawValue)).",
                underlying: cause)
        case .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection:
            return PushError(
                .insecureRequest, "URLSession refuses a request to \(authority).",
                underlying: cause)
        default:
            return PushError(
                .interrupted,
                "The exchange with \(authority) broke off (URLError \(code.rawValue)).",
                underlying: cause)
        }
    }
}

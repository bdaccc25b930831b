#if os(Linux)
import CPushCurl
import PushCore
import PushTransportRules

/// What libcurl said of a failed exchange.
public struct CurlFailure: Error, Hashable, Sendable {
    /// libcurl's number, a `CURLcode`; see the manual page libcurl-errors(3).
    public let code: Int32

    /// libcurl's fixed sentence for this number, in English, without a host or any content.
    public let message: String

    init(_ code: push_curl_code) {
        self.code = Int32(truncatingIfNeeded: code.rawValue)
        message = push_curl_message(code).map { String(cString: $0) } ?? ""
    }
}

extension CurlFailure: CustomStringConvertible {
    /// The number and the sentence, on one line.
    public var description: String { "\(message) (curl \(code))" }
}

extension CurlTransfer {
    /// Translates libcurl's code; what the server may have seen of the request decides first.
    func failure(_ code: push_curl_code) -> PushError {
        let authority = request.destination.authority
        let cause = CurlFailure(code)
        if isOversized || code == PUSH_CURLE_FILESIZE_EXCEEDED {
            return PushError(
                .oversizedReply, "The reply of \(authority) is larger than allowed.",
                underlying: cause)
        }
        if wasKeptFromRepeating {
            return PushError(
                .interrupted,
                "The connection to \(authority) broke before a reply. The request was not repeated."
            )
        }
        if mayHaveBeenSent {
            return PushError(
                .interrupted, "The exchange with \(authority) broke off: \(cause.message).",
                underlying: cause)
        }
        // After the line above: an earlier attempt of this exchange may have been taken.
        if hasPinMismatch {
            return PushError(
                .pinMismatch, "No certificate of \(authority) has a pinned key.",
                underlying: cause)
        }
        switch code {
        case PUSH_CURLE_PEER_FAILED_VERIFICATION, PUSH_CURLE_SSL_CACERT_BADFILE,
            PUSH_CURLE_SSL_ISSUER_ERROR,
            PUSH_CURLE_SSL_CRL_BADFILE, PUSH_CURLE_SSL_INVALIDCERTSTATUS,
            PUSH_CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            let lateness = push_curl_lateness(easy)
            let why =
                lateness == 0
                ? "doesn't hold"
                : (lateness < 0 ? "isn't valid yet" : "has expired") + " by this machine's clock"
            return PushError(
                .untrustedServer, "The certificate of \(authority) \(why).", underlying: cause)
        case PUSH_CURLE_SSL_CERTPROBLEM:
            return PushError(
                .unreachable,
                "The client certificate for \(authority) can't be used: its two files must be PEM, "
                    + "readable, and of one key that isn't encrypted.", underlying: cause)
        case PUSH_CURLE_NOT_BUILT_IN:
            return PushError(
                .unsupported, "This system's libcurl can't check pins, or lacks another option.",
                underlying: cause)
        case PUSH_CURLE_URL_MALFORMAT, PUSH_CURLE_UNSUPPORTED_PROTOCOL, PUSH_CURLE_LOGIN_DENIED:
            return PushError(
                .insecureRequest, "\(authority) isn't a host with an optional port.",
                underlying: cause)
        default:
            return PushError(
                .unreachable, "\(authority) can't be reached: \(cause.message).",
                underlying: cause)
        }
    }

    /// What to tell a caller who gave up while the exchange ran.
    var cancellation: PushError {
        mayHaveBeenSent
            ? PushError(
                .interrupted,
                "The exchange with \(request.destination.authority) was cancelled midway.")
            : .cancelledBeforeSending
    }

    /// What to tell a caller whose transport went away while the exchange ran.
    var shutdown: PushError {
        mayHaveBeenSent
            ? PushError(.interrupted, "The transport was released midway.")
            : .releasedBeforeSending
    }
}

extension PushError {
    static let cancelledBeforeSending = PushError(
        .cancelled, "The exchange was cancelled before anything was sent.")

    static let releasedBeforeSending = PushError(
        .unreachable, "The transport was released before anything was sent.")
}
#endif

#if os(Linux)
import CPushCurl

/// What libcurl said of a failed exchange.
public struct CurlFailure: Error, Hashable, Sendable {
    /// libcurl's number, a `CURLcode`; see the manual page libcurl-errors(3).
    public let code: Int32

    /// libcurl's fixed sentence for this number, in English, without a host or any content.
    public let message: String

    init(_ code: CURLcode) {
        self.code = Int32(truncatingIfNeeded: code.rawValue)
        message = curl_easy_strerror(code).map { String(cString: $0) } ?? ""
    }
}

extension CurlFailure: CustomStringConvertible {
    /// The number and the sentence, on one line.
    public var description: String { "\(message) (curl \(code))" }
}
#endif

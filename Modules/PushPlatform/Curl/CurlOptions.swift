#if os(Linux)
import CPushCurl
import PushCore
import PushTransportRules
import HTTPTypes

extension CurlTransfer {
    /// Sets every option of the exchange.
    ///
    /// - Returns: libcurl's first refusal, if any: an exchange with an option missing isn't run.
    func configure(
        fields: OpaquePointer?, pins: OpaquePointer?
    ) -> push_curl_code {
        var options = CurlOptions(easy)
        setSafety(&options)
        setTrust(&options)
        if let pins { options.take(push_curl_set_pins(easy, pins)) }
        setRequest(&options, fields: fields)
        setLimits(&options)
        options.take(
            push_curl_set_receivers(
                easy, Unmanaged.passUnretained(self).toOpaque(),
                { bytes, size, count, context in
                    transfer(context)?.receiveHead(buffer(bytes, size * count)) ?? 0
                },
                { bytes, size, count, context in
                    transfer(context)?.receiveBody(buffer(bytes, size * count)) ?? 0
                },
                { context, _, _, _, _ in
                    transfer(context)?.allowsAttempt() == true
                        ? PUSH_CURL_PREREQFUNC_OK : PUSH_CURL_PREREQFUNC_ABORT
                }))
        return options.firstRefusal
    }

    /// What a transport for credentials never does, whatever libcurl's defaults become.
    private func setSafety(_ options: inout CurlOptions) {
        options.take(push_curl_allow_http_only(easy))
        options.take(push_curl_abandon_lookups(easy))
        options[PUSH_CURLOPT_NOSIGNAL] = 1
        options[PUSH_CURLOPT_FOLLOWLOCATION] = 0
        options[PUSH_CURLOPT_NETRC] = 0
        options[PUSH_CURLOPT_DISALLOW_USERNAME_IN_URL] = 1
        options[PUSH_CURLOPT_SUPPRESS_CONNECT_HEADERS] = 1
        options[PUSH_CURLOPT_HTTP09_ALLOWED] = 0
        if request.destination.isPlainLoopback { options.set(PUSH_CURLOPT_PROXY, "") }
    }

    /// Who must be at the other end.
    private func setTrust(_ options: inout CurlOptions) {
        options[PUSH_CURLOPT_SSL_VERIFYPEER] = 1
        options[PUSH_CURLOPT_SSL_VERIFYHOST] = 2
        options[PUSH_CURLOPT_SSLVERSION] = PUSH_CURL_SSLVERSION_TLSv1_2
        options[PUSH_CURLOPT_HTTP_VERSION] = PUSH_CURL_HTTP_VERSION_2TLS
        if case .file(let path) = request.configuration.certificateAuthorities {
            options.set(PUSH_CURLOPT_CAINFO, path)
            // Else the system's directory of authorities would still count.
            options.set(PUSH_CURLOPT_CAPATH, nil)
        }
        if case .files(let certificate, let key) = request.configuration.clientCertificate {
            options.set(PUSH_CURLOPT_SSLCERT, certificate)
            options.set(PUSH_CURLOPT_SSLKEY, key)
        }
    }

    private func setRequest(
        _ options: inout CurlOptions, fields: OpaquePointer?
    ) {
        options.set(PUSH_CURLOPT_URL, request.destination.url)
        // Nothing packed is asked for. What a server packs all the same libcurl unpacks with this option
        // set, so that the limit is one of what is read.
        options.set(PUSH_CURLOPT_ACCEPT_ENCODING, "identity")
        options[PUSH_CURLOPT_PATH_AS_IS] = 1
        let body = request.body
        let framesEmptyBody: Set<HTTPRequest.Method> = [.post, .put, .patch]
        if body.count > 0 || framesEmptyBody.contains(request.method) {
            options.take(push_curl_set_body(easy, body.start, body.count))
        } else if request.method == .head {
            options[PUSH_CURLOPT_NOBODY] = 1
        }
        options.set(PUSH_CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        options.take(push_curl_set_fields(easy, fields))
    }

    private func setLimits(_ options: inout CurlOptions) {
        let configuration = request.configuration
        options[PUSH_CURLOPT_CONNECTTIMEOUT_MS] = configuration.connectTimeout.timeoutMilliseconds
        options[PUSH_CURLOPT_TIMEOUT_MS] = configuration.timeout.timeoutMilliseconds
        // Ends a reply that announces too much before any of it comes. One to HEAD may announce
        // any size.
        if request.method != .head, configuration.maximumBodySize > 0 {
            let size = Int64(configuration.maximumBodySize)
            options.take(push_curl_set_size(easy, PUSH_CURLOPT_MAXFILESIZE_LARGE, size))
        }
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes, count: count)
}

/// An easy handle's options, set one after the other, and libcurl's first refusal.
private struct CurlOptions {
    private let easy: UnsafeMutableRawPointer
    private(set) var firstRefusal = PUSH_CURLE_OK

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    subscript(option: push_curl_option) -> Int {
        @available(*, unavailable) get { 0 }
        set { take(push_curl_set_number(easy, option, newValue)) }
    }

    mutating func set(_ option: push_curl_option, _ value: String?) {
        take(push_curl_set_string(easy, option, value))
    }

    mutating func take(_ code: push_curl_code) {
        if firstRefusal == PUSH_CURLE_OK { firstRefusal = code }
    }
}
#endif

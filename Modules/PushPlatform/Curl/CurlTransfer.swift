#if os(Linux)
import CPushCurl
import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One exchange in libcurl's hands.
///
/// It is made, used and released on the event thread alone.
///
/// libcurl calls back into it without retaining it, so its handle is removed from every multi
/// handle before it is released.
final class CurlTransfer {
    typealias Reply = (response: HTTPResponse, body: Data)

    let request: CurlRequest
    let easy: UnsafeMutableRawPointer
    private var lines: OpaquePointer?
    private let pins: OpaquePointer?

    private var head = ReplyHead()
    private var received = Data()
    private(set) var isOversized = false
    private var attempts = 0
    private var sizeBefore = 0

    /// Prepares an exchange, unless memory is short or libcurl refuses an option.
    init(_ request: CurlRequest) throws(PushError) {
        guard let easy = push_curl_easy_init() else {
            throw PushError(.unreachable, "There is no memory for a transfer.")
        }
        self.request = request
        self.easy = easy
        let digests = request.pins.reduce(into: Data()) { $0 += $1.digest }
        pins = digests.withUnsafeBytes {
            push_curl_pins_create($0.baseAddress, request.pins.count)
        }
        guard pins != nil || request.pins.isEmpty else {
            throw PushError(.unreachable, "There is no memory for a transfer.")
        }
        for line in request.lines {
            guard let longer = push_curl_lines_append(lines, line) else {
                throw PushError(.unreachable, "There is no memory for a transfer.")
            }
            lines = longer
        }
        let code = configure(fields: lines, pins: pins)
        guard code == PUSH_CURLE_OK else { throw failure(code) }
    }

    deinit {
        push_curl_easy_cleanup(easy)
        push_curl_lines_free(lines)
        push_curl_pins_release(pins)
    }

    /// Whether a server proved who it is, but has no pinned key.
    var hasPinMismatch: Bool {
        pins.map { push_curl_pins_is_mismatch($0) != 0 } ?? false
    }

    /// Whether any of the request may have left this process.
    ///
    /// The size also counts what was said to a proxy first, so it is compared with the one before
    /// the first attempt.
    var mayHaveBeenSent: Bool {
        attempts > 1 || (attempts == 1 && push_curl_request_size(easy) > sizeBefore)
    }

    /// Whether libcurl wanted to send a request again that may be sent only once.
    var wasKeptFromRepeating: Bool {
        attempts > 1 && !request.isSafe
    }

    /// What became of the exchange, once libcurl is done with it.
    func outcome(_ code: push_curl_code) -> Result<Reply, PushError> {
        guard code == PUSH_CURLE_OK else { return .failure(failure(code)) }
        let status = push_curl_status(easy)
        // libcurl is content with a head that a closed connection cut short.
        guard (200...999).contains(status) || status == 101, head.isComplete else {
            return .failure(failure(PUSH_CURLE_PARTIAL_FILE))
        }
        // Where a reply ends that names two lengths nobody knows (RFC 9112 section 6.3).
        guard head.hasOneLength else { return .failure(failure(PUSH_CURLE_WEIRD_SERVER_REPLY)) }
        let response = HTTPResponse(
            status: HTTPResponse.Status(code: status), headerFields: head.fields)
        return .success((response, received))
    }

    // MARK: libcurl's calls

    /// Takes a line of the reply's head; anything but its size ends the exchange.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        guard head.take(line) else {
            isOversized = true
            return 0
        }
        return line.count
    }

    /// Takes a part of the reply's body; anything but its size ends the exchange.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count + bytes.count <= request.configuration.maximumBodySize else {
            isOversized = true
            return 0
        }
        received.append(contentsOf: bytes)
        return bytes.count
    }

    /// Says whether the request may be sent, now that a connection is open.
    func allowsAttempt() -> Bool {
        attempts += 1
        if attempts == 1 { sizeBefore = push_curl_request_size(easy) }
        return attempts == 1 || request.isSafe
    }
}
#endif

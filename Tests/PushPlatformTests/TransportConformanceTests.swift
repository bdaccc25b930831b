#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import Testing

/// The check itself: it finds what a transport does wrong.
@Suite(.timeLimit(.minutes(10))) struct TransportConformanceTests {
    @Test(arguments: FlawedTransport.Flaw.allCases)
    func `each flaw of a transport is found`(flaw: FlawedTransport.Flaw) async {
        let found = await TransportConformance(FlawedTransport(flaw), maximumBodySize: 1000).check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }

    @Test func `a transport that never gets through breaks every promise`() async {
        struct Deaf: Transport {
            func send(
                _ request: HTTPRequest, body: Data
            ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
                throw PushError(.malformed, "Not this one.")
            }
        }
        let found = await TransportConformance(Deaf()).check()
        for topic in [
            "statuses", "a request", "a reply", "cookies", "redirects", "many at a time",
            "refused requests", "nobody there", "a broken reply", "cancellation before",
        ] {
            #expect(found.contains { $0.hasPrefix(topic + ": ") }, "\(topic)")
        }
    }
}

/// A transport over curl with one flaw; the raw value is what must be found.
struct FlawedTransport: Transport {
    enum Flaw: String, CaseIterable {
        case hidesErrors = "404 isn't returned as it came"
        case forgetsFields = "Authorization doesn't arrive as given"
        case cutsBodies = "the body doesn't arrive as given"
        case keepsCookies = "a server's cookie is sent back to it"
        case followsRedirects = "a redirect with 302 is followed"
        case mixesReplies = "one exchange gets the reply to another"
        case mendsRequests = "Host, which is the transport's own, isn't refused"
        case guesses = "a reply that was cut off isn't interrupted"
        case repeatsRequests = "a request whose reply was cut off is sent twice"
        case isGreedy = "too large a body isn't refused"
        case hangsOn = "a request that was sent isn't interrupted"
        case ignoresCancellation = "a cancelled task opens a connection"
    }

    private let flaw: Flaw
    private let curl: CurlTransport
    private let memory = Memory()

    init(_ flaw: Flaw) {
        self.flaw = flaw
        curl = CurlTransport(
            flaw == .isGreedy
                ? .init(plainHTTP: .loopbackOnly)
                : .init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
    }

    /// What one exchange leaves for the next.
    private actor Memory {
        private(set) var cookie: String?
        private(set) var body: Data?

        func keep(_ response: HTTPResponse) {
            cookie = response.headerFields[.setCookie] ?? cookie
        }

        /// The body that came before this one, or this one.
        func swap(_ body: Data) -> Data {
            defer { self.body = body }
            return self.body ?? body
        }
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        var request = request
        switch flaw {
        case .forgetsFields: request.headerFields[.authorization] = nil
        case .keepsCookies: request.headerFields[.cookie] = await memory.cookie
        case .mendsRequests: request.headerFields[.custom("Host")] = nil
        default: break
        }
        do throws(PushError) {
            return try await finished(exchange(request, body), request)
        } catch {
            switch (flaw, error.code) {
            case (.guesses, .interrupted): throw PushError(.unreachable, error.reason)
            case (.hangsOn, .interrupted) where Task.isCancelled:
                throw PushError(.cancelled, error.reason)
            case (.repeatsRequests, .interrupted): return try await curl.send(request, body: body)
            default: throw error
            }
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let sent = flaw == .cutsBodies ? body.dropLast() : body
        guard flaw == .ignoresCancellation, !body.isEmpty else {
            return try await curl.send(request, body: Data(sent))
        }
        let exchange = Task { [curl] in
            await Result { () async throws(PushError) in
                try await curl.send(request, body: Data(sent))
            }
        }
        return try await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            // Not at once: what was cancelled before is sent all the same.
            Task {
                try? await Task.sleep(for: .seconds(1))
                exchange.cancel()
            }
        }.get()
    }

    private func finished(
        _ reply: (response: HTTPResponse, body: Data), _ request: HTTPRequest
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        var (response, body) = reply
        await memory.keep(response)
        switch flaw {
        case .hidesErrors where response.status.kind == .clientError: response.status = .ok
        case .mixesReplies where !body.isEmpty: body = await memory.swap(body)
        case .followsRedirects:
            guard let path = response.headerFields[.location] else { break }
            var next = request
            (next.method, next.path) = (.get, path)
            return try await curl.send(next, body: Data())
        default: break
        }
        return (response, body)
    }
}
#endif

import Foundation
import LocalServer
import PushCore
import Testing

@testable import PushAuthCommand

/// The APNs intake, by bytes that no client of this project made.
@Suite(.timeLimit(.minutes(2)))
struct APNsWireTests {
    /// A push by a token, as it is sent on a stream.
    private func push(
        _ site: APNsSite, on stream: Int, token: String? = nil, method: String = "POST"
    ) throws -> [UInt8] {
        try frames(site, on: stream, token: token, method: method).flatMap(\.bytes)
    }

    private func frames(
        _ site: APNsSite, on stream: Int, token: String? = nil, method: String = "POST"
    ) throws -> [WireFrame] {
        let headers = [
            (":method", method), (":scheme", "https"), (":authority", "127.0.0.1"),
            (":path", "/3/device/\(APNsSite.token)"),
            ("authorization", "bearer \(try token ?? site.token())"),
            ("apns-topic", ProviderKey.usualTopic),
        ]
        return WireFrame.request(on: stream, headers, #"{"aps":{},"n":\#(stream)}"#)
    }

    private func connect(
        _ site: APNsSite, protocols: [String] = []
    ) async throws -> FrameClient {
        try await FrameClient(
            port: site.port, authority: site.credentials.path(.authority), protocols: protocols)
    }

    // MARK: Without ALPN

    @Test func `a client without ALPN is served HTTP/2, as it begins with that`() async throws {
        try await APNsSite.listen { site in
            let client = try await connect(site)
            try await client.send(FrameClient.opening + push(site, on: 1))
            let reply = try await client.frames(untilEndOf: [1]).filter { $0.stream == 1 }
            // Status 200, as HPACK's static table has it.
            #expect(reply.first?.payload.first == 0x88)
            #expect(await site.pushes.next()?.message.content == ["aps": [:], "n": 1])
            await client.close()
        }
    }

    @Test func `the preface may come in pieces`() async throws {
        try await APNsSite.listen { site in
            let client = try await connect(site)
            let bytes = try FrameClient.opening + push(site, on: 1)
            for byte in bytes.prefix(30) { try await client.send([byte]) }
            try await client.send(Array(bytes.dropFirst(30)))
            let reply = try await client.frames(untilEndOf: [1]).filter { $0.stream == 1 }
            #expect(reply.first?.payload.first == 0x88)
            await client.close()
        }
    }

    @Test(arguments: ["POST /3/device/x HTTP/1.1", "PRI * HTTP/1.1", "P /"])
    func `a client without ALPN that doesn't speak HTTP/2 is told so`(_ line: String) async throws {
        try await APNsSite.listen { site in
            let client = try await connect(site)
            let head = line + "\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
            try await client.send(Array(head.utf8))
            let reply = await client.text()
            let isRequest = line.hasPrefix("POST")
            #expect(reply.hasPrefix("HTTP/1.1 \(isRequest ? 505 : 400)"), "\(reply)")
        }
    }

    @Test(arguments: ["", "PRI * HT"])
    func `a client that doesn't say what it speaks is cut off`(_ start: String) async throws {
        try await APNsSite.listen(patience: .milliseconds(200)) { site in
            let client = try await connect(site)
            // On a slow machine it may be over before all is sent.
            try? await client.send(Array(start.utf8))
            #expect(await client.text() == "")
        }
    }

    // MARK: Frames

    @Test func `a stream beyond what is kept is refused alone, and the others go on`()
        async throws
    {
        var limits = ConnectionLimits(proved: 8, unproved: 8)
        limits.unprovedStreams = 2
        try await APNsSite.listen(keeping: limits) { site in
            let client = try await connect(site, protocols: ["h2"])
            let token = try site.token()
            let requests = try [1, 3, 5, 7].map { try frames(site, on: $0, token: token) }
            try await client.send(FrameClient.opening + requests.flatMap { $0[0].bytes })
            let refused = try await client.frames(untilEndOf: [5, 7])
            for stream in [5, 7] {
                let reply = refused.filter { $0.stream == stream }
                // REFUSED_STREAM (RFC 9113, section 7).
                #expect(reply.map(\.kind) == [WireFrame.Kind.reset])
                #expect(reply.first?.payload == [0, 0, 0, 7])
            }
            try await client.send(requests[0][1].bytes + requests[1][1].bytes)
            let replies = try await client.frames(untilEndOf: [1, 3])
            for stream in [1, 3] {
                #expect(replies.first { $0.stream == stream }?.payload.first == 0x88)
            }
            await client.close()
        }
    }

    @Test(arguments: [[], ["h2"]])
    func `concurrent replies have no empty frame, and those without a body end with the head`(
        _ protocols: [String]
    ) async throws {
        try await APNsSite.listen { site in
            let client = try await connect(site, protocols: protocols)
            let good = Array(stride(from: 1, to: 41, by: 2))
            let bad = Array(stride(from: 41, to: 61, by: 2))
            let head = 61
            let token = try site.token()
            var bytes = FrameClient.opening
            for stream in good { bytes += try push(site, on: stream, token: token) }
            for stream in bad { bytes += try push(site, on: stream, token: "x") }
            bytes += try push(site, on: head, token: token, method: "HEAD")
            try await client.send(bytes)
            let frames = try await client.frames(untilEndOf: Set(good + bad + [head]))
            let replies = Dictionary(grouping: frames, by: \.stream)
            for stream in good {
                let reply = replies[stream] ?? []
                #expect(reply.map(\.kind) == [WireFrame.Kind.headers])
                #expect(reply.first?.endsStream == true && reply.first?.payload.first == 0x88)
            }
            for stream in bad {
                let reply = replies[stream] ?? []
                #expect(reply.map(\.kind) == [WireFrame.Kind.headers, WireFrame.Kind.data])
                #expect(reply.map(\.endsStream) == [false, true])
                #expect(
                    String(decoding: reply.last?.payload ?? [], as: UTF8.self)
                        == #"{"reason":"InvalidProviderToken"}"#)
            }
            #expect(replies[head]?.map(\.kind) == [WireFrame.Kind.headers])
            #expect(frames.allSatisfy { $0.kind != WireFrame.Kind.goAway })
            await client.close()
        }
    }

    @Test func `as many requests as Apple takes may come before the settings are read`()
        async throws
    {
        try await APNsSite.listen { site in
            let client = try await connect(site, protocols: ["h2"])
            let streams = Array(stride(from: 1, to: 1401, by: 2))
            let token = try site.token()
            var bytes = FrameClient.opening
            for stream in streams { bytes += try push(site, on: stream, token: token) }
            try await client.send(bytes)
            let frames = try await client.frames(untilEndOf: Set(streams))
            let heads = frames.filter { $0.kind == WireFrame.Kind.headers }
            #expect(heads.count == streams.count)
            #expect(heads.allSatisfy { $0.payload.first == 0x88 })
            let settings = try #require(frames.first { $0.kind == WireFrame.Kind.settings })
            // SETTINGS_MAX_CONCURRENT_STREAMS is 1000 (RFC 9113, section 6.5.2).
            #expect(settings.payload.starts(with: [0, 3, 0, 0, 3, 0xE8]))
            await client.close()
        }
    }

    @Test func `a head that has begun must come to its end, whatever was proved`() async throws {
        try await APNsSite.listen(patience: .seconds(4)) { site in
            let client = try await connect(site, protocols: ["h2"])
            try await client.send(FrameClient.opening + push(site, on: 1))
            let reply = try await client.frames(untilEndOf: [1]).filter { $0.stream == 1 }
            #expect(reply.first?.payload.first == 0x88)
            try await client.send(Array(push(site, on: 3).prefix(30)))
            _ = await client.text()
            #expect(client.isClosed)
        }
    }

    @Test func `a client that waits with its body is told to send it, over HTTP/2 as well`()
        async throws
    {
        try await APNsSite.listen { site in
            let client = try await connect(site, protocols: ["h2"])
            let headers = [
                (":method", "POST"), (":scheme", "https"), (":authority", "127.0.0.1"),
                (":path", "/3/device/\(APNsSite.token)"), ("expect", "100-continue"),
                ("authorization", "bearer \(try site.token())"),
                ("apns-topic", ProviderKey.usualTopic),
            ]
            let request = WireFrame.request(on: 1, headers, #"{"aps":{}}"#)
            try await client.send(FrameClient.opening + request[0].bytes)
            let before = try await client.frames(untilEndOf: [1], orHead: true)
            #expect(before.last?.kind == WireFrame.Kind.headers)
            #expect(before.last?.endsStream == false)
            try await client.send(request[1].bytes)
            let reply = try await client.frames(untilEndOf: [1]).filter { $0.stream == 1 }
            #expect(reply.first?.payload.first == 0x88)
            await client.close()
        }
    }

    // MARK: Tokens

    @Test func `a token's moment may have a fraction, or be digits as text`() async throws {
        try await APNsSite.listen { site in
            let forms: [((Int64) -> JSON, String)] = [
                ({ .number(JSON.Number(Double($0) + 0.25) ?? .init($0)) }, "200"),
                ({ .string("\($0)") }, "200"),
                ({ .string("\($0).25") }, "403 InvalidProviderToken"),
                ({ .string("now, which is \($0)") }, "403 InvalidProviderToken"),
                ({ .array([.number(.init($0))]) }, "403 InvalidProviderToken"),
            ]
            for (form, expected) in forms {
                // Each by a connection of its own, as tokens mustn't change often.
                let token = try site.token(issued: form)
                let reply = try await site.curl.push(
                    "--header", "authorization: bearer \(token)", "--header",
                    "apns-topic: \(ProviderKey.usualTopic)")
                #expect(reply == expected)
            }
        }
    }
}

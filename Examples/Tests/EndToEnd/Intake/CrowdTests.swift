import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// A listener to which several times as many clients connect as it has descriptors, and say nothing.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CrowdTests {
    private static let descriptors = 160

    enum Kind: CaseIterable {
        case silence, halfHead, handshake, preface, halfFrame
    }

    /// A client that is connected and waits, until it is closed.
    private enum Client {
        case socket(Int32)
        case frames(FrameClient)

        func close() async {
            switch self {
            case .socket(let descriptor): Foundation.close(descriptor)
            case .frames(let client): await client.close()
            }
        }
    }

    private func port(_ event: JSON, _ intake: String) throws -> Int {
        let url = event["intakes"]?[intake]?["url"]?.string ?? ""
        return try #require(URL(string: url)?.port)
    }

    private func connect(
        _ kind: Kind, _ event: JSON, trusting authority: String
    ) async throws -> Client? {
        switch kind {
        case .silence, .halfHead:
            guard let socket = LoopbackSocket.connect(to: try port(event, "http")) else {
                return nil
            }
            if kind == .halfHead {
                let text = Array("POST /push HTTP/1.1\r\nHost: a\r\nAuthoriz".utf8)
                _ = text.withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            return .socket(socket)
        case .handshake, .preface, .halfFrame:
            // The listener may be faster than its client, and close what is still being set up.
            guard
                let client = try? await FrameClient(
                    port: try port(event, "apns"), authority: authority, protocols: ["h2"])
            else { return nil }
            if kind != .handshake { try? await client.send(FrameClient.opening) }
            if kind == .halfFrame {
                let head = WireFrame.request(on: 1, [(":method", "POST")], "{}")[0].bytes
                try? await client.send(Array(head.prefix(12)))
            }
            return .frames(client)
        }
    }

    @Test(arguments: Kind.allCases)
    func `honest senders are served beside idle connections of each kind`(kind: Kind) async throws {
        try await PushAuthSite.run { site in
            let credentials = site.directory.path + "/push"
            let listening = try ListeningProcess(
                ["--http", "127.0.0.1:0", "--apns", "127.0.0.1:0", "--credentials", credentials],
                environment: site.environment, descriptors: Self.descriptors)
            let event = try await listening.event("listening")
            var crowd: [Client] = []
            for number in 0..<Self.descriptors * 3 {
                if let client = try await connect(
                    kind, event, trusting: credentials + "/authority.pem")
                {
                    crowd.append(client)
                }
                if number.isMultiple(of: 80) { try await serve(site, event, credentials) }
            }
            try await serve(site, event, credentials)
            for client in crowd { await client.close() }
            #expect(await listening.stop().code == 130)
        }
    }

    /// Sends a push by each of the two ways.
    private func serve(_ site: PushAuthSite, _ event: JSON, _ credentials: String) async throws {
        let secret = try String(contentsOfFile: credentials + "/http-secret", encoding: .utf8)
        let url = try #require(event["intakes"]?["http"]?["url"]?.string)
        let posted = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run([
            "curl", "--silent", "--show-error", "--write-out", "%{http_code}", "--output",
            "/dev/null", "--header",
            "Authorization: Bearer " + secret.trimmingCharacters(in: .whitespacesAndNewlines),
            "--json", #"{"a":1}"#, url,
        ])
        // No vendor is linked to it: it was looked at.
        #expect(posted.output == "422", "\(posted.errors)")
        let token = try #require(try DeviceTokenFile(besides: site.store.path).read().apns)
        let fate = await PushSender(directory: URL(fileURLWithPath: credentials))
            .send(SimulatedPush(to: .apns(hex: token, isSandbox: false), payload: Data("{}".utf8)))
        #expect(fate.words == "taken by APNs")
    }
}

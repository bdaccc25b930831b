import Foundation
import PushCore
import PushTesting

@testable import push_lab

/// Google's own client for servers, in a process that sends each push until it is taken.
final class SteadySender: Sendable {
    /// What it said of a push.
    enum Event: Sendable {
        case accepted(String)
        case refused(status: Int)
        case failed(String, error: String)
    }

    let events: AsyncStream<Event>
    private let child: ChildProcess
    private let input = Pipe()

    /// - Parameters:
    ///   - account: The file of the service account.
    ///   - url: Where FCM is.
    ///   - authority: The file with the certificate to trust.
    /// - Throws: What keeps it from starting.
    init(account: String, url: String, trusting authority: String) throws {
        signal(SIGPIPE, SIG_IGN)
        let output = Pipe()
        let (python, arguments) = try PythonClient("fcm_steady").command([account, url])
        child = try ChildProcess(
            python, arguments, environment: ["REQUESTS_CA_BUNDLE": authority],
            streams: (input.fileHandleForReading, output.fileHandleForWriting, .standardError))
        let lines = output.fileHandleForReading
        let (events, source) = AsyncStream<Event>.makeStream()
        self.events = events
        Task {
            for await line in Lines.stream(from: lines) {
                if let event = Event(reading: line) { source.yield(event) }
            }
            source.finish()
        }
    }

    deinit { child.kill() }

    func send(_ push: SimulatedPush, as id: String) throws {
        guard case .fcm(let token) = push.deviceToken else {
            throw PythonClient.Failure("The vendor has another token: \(push)")
        }
        let members = try JSON(parsing: push.payload).object?.members ?? []
        let data = JSON.Object(members.map { ($0.name, .string($0.value.string ?? $0.value.text)) })
        let line: JSON = ["id": .string(id), "token": .string(token), "data": .object(data)]
        try input.fileHandleForWriting.write(contentsOf: Data((line.text + "\n").utf8))
    }

    /// Ends it, once all is sent.
    func stop() async {
        try? input.fileHandleForWriting.close()
        _ = await child.ended()
    }

    func kill() async {
        child.kill()
        _ = await child.ended()
    }
}

extension SteadySender.Event {
    fileprivate init?(reading line: String) {
        guard let event = try? JSON(parsing: line) else { return nil }
        if let id = event["accepted"]?.string {
            self = .accepted(id)
        } else if let status = event["refused"]?.integer {
            self = .refused(status: Int(status))
        } else if let id = event["failed"]?.string {
            self = .failed(id, error: event["error"]?.string ?? "")
        } else {
            return nil
        }
    }
}

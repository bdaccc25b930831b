import Foundation
import PushCore
import PushPlatform
import PushPrivacyIDEA
import PushTesting
import Testing

@testable import push_lab

/// A device with privacyIDEA's plugin, the system's transport and a store of its own, which notes what it
/// sees.
struct TokenDevice: Sendable {
    let name: String
    let authenticator: PushAuthenticator
    let directory: URL
    private let transcript: Transcript

    /// - Parameters:
    ///   - name: What it is called in the transcript.
    ///   - directory: Where its store is; made if it isn't there.
    ///   - authorities: Who vouches for servers, as a PEM file.
    ///   - transcript: Where it notes what it sees.
    ///   - ahead: By how many seconds its clock is ahead.
    /// - Throws: What opening the store throws.
    init(
        _ name: String, in directory: URL, trusting authorities: String,
        noting transcript: Transcript, ahead: TimeInterval = 0
    ) async throws {
        self.name = name
        self.directory = directory
        self.transcript = transcript
        let place = SoakStore(in: directory)
        if !FileManager.default.fileExists(atPath: directory.path) {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            try await place.prepare()
        }
        let transport = SystemTransport(.init(certificateAuthorities: .file(authorities)))
        let environment = PushEnvironment(
            transport: NotedTransport(
                transport: transport, transcript: transcript, device: name),
            store: try await place.open(), verifier: ScriptedVerifier.willing(),
            clock: ShiftedClock(ahead: ahead), device: Device(name: name))
        var configuration = PrivacyIDEA.Configuration()
        configuration.allowsLocalHosts = true
        var policies = PushConfiguration()
        policies.instance = "tests"
        // Nothing happens in the background: each step shows what it asked for itself.
        policies.backoff.tries = 0
        policies.asksAfterPush = false
        policies.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([PrivacyIDEA(configuration: configuration, in: environment)]),
            in: environment, configuration: policies)
    }

    // MARK: What a user does

    /// Enrolls, and notes what came of it.
    @discardableResult
    func enroll(
        _ code: String, is expected: String = "active",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Enrollment? {
        var enrolled: Enrollment?
        try await see("enrolls", is: expected, sourceLocation) {
            let offer = try #require(try authenticator.offers(for: .scanned(text: code)).first)
            let enrollment = try await authenticator.enroll(offer)
            enrolled = enrollment
            return "\(enrollment.state)"
        }
        return enrolled
    }

    /// Asks what waits, and notes it.
    ///
    /// - Returns: What is open, oldest first.
    @discardableResult
    func poll(
        _ enrollment: Enrollment, is expected: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Challenge.ID] {
        var open: [Challenge.ID] = []
        try await see("polls", is: expected, sourceLocation) {
            let found = try await authenticator.pending(for: enrollment.id)
            open = found.compactMap { reception in
                if case .notice(let notice, _) = reception.kind { notice.id } else { nil }
            }
            return found.map(\.seen).joined(separator: ", ")
        }
        return open
    }

    /// Opens a challenge, and answers it.
    func answer(
        _ id: Challenge.ID, _ resolution: Resolution, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await see("answers \(resolution.seen)", is: expected, sourceLocation) {
            let challenge = try await authenticator.challenge(id)
            return try await authenticator.resolve(challenge, with: resolution).seen
        }
    }

    /// Answers a challenge that was opened before.
    func resolve(
        _ challenge: Challenge, _ resolution: Resolution, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await see("answers \(resolution.seen)", is: expected, sourceLocation) {
            try await authenticator.resolve(challenge, with: resolution).seen
        }
    }

    /// Opens a challenge, and notes what it asks for.
    func open(
        _ id: Challenge.ID, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Challenge {
        let challenge = try await authenticator.challenge(id)
        try await see("is asked", is: expected, sourceLocation) { challenge.seen }
        return challenge
    }

    /// Takes a push, and notes what came of it.
    @discardableResult
    func receive(
        _ push: Data, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Challenge.ID? {
        var id: Challenge.ID?
        try await see("gets a push", is: expected, sourceLocation) {
            let receptions = try await authenticator.receive(PushMessage(json: push))
            id = receptions.first?.challenge
            return receptions.map(\.seen).joined(separator: ", ")
        }
        return id
    }

    /// Goes on with what an earlier process left.
    func resume(
        is expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await see("goes on", is: expected, sourceLocation) {
            try await authenticator.resume().values.map(\.seen).joined(separator: ", ")
        }
    }

    /// Goes on with what an earlier process left, whose challenge the server's list lacks: one list ends
    /// nothing, and a second one some seconds later does.
    func resumeTwice(
        _ id: Challenge.ID, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await resume(is: "unknown", sourceLocation: sourceLocation)
        try await Task.sleep(for: .seconds(6))
        _ = try await authenticator.resume()
        try await see("goes on later", is: "ended", sourceLocation) {
            guard case .answered(_, let outcome) = try await authenticator.record(of: id)?.state
            else { return "nothing" }
            return outcome.seen
        }
    }

    /// Notes the state of an enrollment.
    func state(
        of enrollment: Enrollment, is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await see("has an enrollment", is: expected, sourceLocation) {
            try await authenticator.enrollment(enrollment.id).map { "\($0.state)" } ?? "none"
        }
    }

    /// Notes what comes of something, or the code of its error.
    func see(
        _ what: String, is expected: String? = nil,
        _ sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> String
    ) async throws {
        let seen: String
        do {
            seen = try await body()
        } catch let error as PushError {
            seen = "\(error.code)"
        }
        await transcript.note("\(name) \(what): \(seen)")
        if let expected {
            #expect(seen == expected, "\(name) \(what)", sourceLocation: sourceLocation)
        }
    }
}

/// A clock that is wrong, and shares nothing with others.
private struct ShiftedClock: PushClock {
    private let clock = SystemClock()
    let ahead: TimeInterval

    var now: Date { clock.now + ahead }
    var elapsed: Duration { clock.elapsed }
    var serverTime: ServerTime { clock.serverTime }
    func sleep(for duration: Duration) async { await clock.sleep(for: duration) }
}

extension Reception {
    /// What it says, without what differs from run to run.
    fileprivate var seen: String {
        switch kind {
        case .notice(let notice, _):
            "\(isNew ? "new" : "known"): \(notice.title ?? "-"), \(notice.body ?? "-")"
        case .answered(_, let resolution): "answered: \(resolution.seen)"
        case .over(let withdrawal): "over: \(withdrawal.reason.rawValue)"
        case .incompatible, .enrollment, .inbox: "other"
        @unknown default: "other"
        }
    }
}

extension Challenge {
    /// What it asks for, without what differs from run to run.
    fileprivate var seen: String {
        let reasons = details(as: PrivacyIDEAChallenge.self)?.declineReasons ?? []
        let asked =
            switch prompt {
            case .choose(let options): "for one of \(options.map(\.count))"
            case .denyOnly: "for a no"
            case .approve, .enter: "\(prompt)"
            @unknown default: "\(prompt)"
            }
        return ([asked] + reasons.map(\.rawValue).sorted() + verification.map { "\($0)" })
            .joined(separator: ", ")
    }

    /// The options that the user chooses from.
    var options: [String] {
        if case .choose(let options) = prompt { options } else { [] }
    }
}

extension Resolution {
    fileprivate var seen: String {
        switch self {
        case .choose: "with a choice"
        case .deny(.custom): "no, with a text"
        case .deny(let reason): "no, \(reason)"
        case .approve, .enter: "\(self)"
        }
    }
}

extension Outcome {
    /// The outcome in words, without what differs from run to run.
    var seen: String {
        switch self {
        case .code(let code, _): "code of \(code.count)"
        case .notTaken(let refusal):
            "not taken: \(refusal.reason.rawValue)" + (refusal.mayRetry ? ", may retry" : "")
                + (refusal.attemptsLeft.map { ", \($0) left" } ?? "")
        case .unknown: "unknown"
        case .delivered, .expired, .answeredElsewhere, .cancelled, .ended, .verifyAgain: "\(self)"
        @unknown default: "\(self)"
        }
    }
}

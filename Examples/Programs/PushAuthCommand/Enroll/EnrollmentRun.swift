import Foundation
import PushCore
import TerminalIO

/// Enrolls by a file of invitations, a few at a time, and says of each line what came of it.
actor EnrollmentRun {
    /// A line with an invitation.
    struct Line: Sendable {
        let number: Int
        let text: String

        /// The lines of a file that aren't blank, nor comments.
        static func all(in bytes: Data) -> [Line] {
            bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .enumerated().compactMap { index, bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                        .trimmingCharacters(in: .whitespacesAndNewlines)
                    guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
                    return Line(number: index + 1, text: text)
                }
        }
    }

    private let session: Session
    private let policy: GuardPolicy?
    private let offer: @Sendable (String) throws -> Invitation.Offer
    private let lines: [Line]
    private var next = 0

    /// The first line with each text.
    private var first: [String: Int] = [:]
    private var counts: [EnrolledLine.Status: Int] = [:]
    private var isGood = true

    /// - Parameters:
    ///   - lines: The invitations.
    ///   - session: Whose store keeps the journal (``JournalingStore``).
    ///   - policy: What opens the keys that answers need.
    ///   - offer: What an invitation would join.
    init(
        _ lines: [Line], in session: Session, guardedBy policy: GuardPolicy?,
        offer: @escaping @Sendable (String) throws -> Invitation.Offer
    ) {
        self.lines = lines
        self.session = session
        self.policy = policy
        self.offer = offer
    }

    /// Enrolls. Once it is cancelled, it begins no more, and ends what it has begun.
    ///
    /// - Returns: `failed` unless every line is enrolled.
    func run(width: Int) async -> ExitStatus {
        await withTaskGroup { group in
            for _ in 1...width {
                group.addTask { while let line = await self.take() { await self.follow(line) } }
            }
        }
        showProgress(isLast: true)
        let done = Task.isCancelled ? "\(counts.values.reduce(0, +)) of \(lines.count) lines" : ""
        let words = EnrolledLine.Status.allCases.compactMap { status in
            counts[status].map { "\($0) \(status.rawValue)" }
        }
        let summary = ([done] + words).filter { !$0.isEmpty }.joined(separator: ", ")
        Terminal.error.write((summary.isEmpty ? "There are no invitations" : summary) + ".\n")
        return isGood ? .done : .failed
    }

    private func take() -> Line? {
        guard !Task.isCancelled, next < lines.count else { return nil }
        next += 1
        return lines[next - 1]
    }

    private func follow(_ line: Line) async {
        let name = InvitationJournal.name(of: line.text)
        if let first = first[name] {
            return show(EnrolledLine(line.number, duplicateOf: first))
        }
        first[name] = line.number
        // A task of its own: what has begun isn't called off.
        show(await Task { await self.enroll(line, name) }.value)
    }

    private func enroll(_ line: Line, _ name: String) async -> EnrolledLine {
        let journal = InvitationJournal(store: session.environment.store)
        var halves: [Enrollment] = []
        var joined: Invitation.Offer?
        do {
            for id in try await journal.enrollments(of: name) {
                guard let known = try await session.authenticator.enrollment(id) else { continue }
                guard known.state == .pending(.unconfirmed) else {
                    return EnrolledLine(line.number, .already, known)
                }
                halves.append(known)
            }
            let offer = try offer(line.text)
            joined = offer
            let enrollment = try await journal.following(name) { [session, policy] in
                try await session.authenticator.enroll(offer, guardedBy: policy)
            }
            guard enrollment.state != .pending(.unconfirmed) else {
                return EnrolledLine(line.number, .unconfirmed, enrollment)
            }
            // The invitation was still good, so the vendor had taken none of these.
            for half in halves where half.id != enrollment.id {
                try? await session.authenticator.remove(half.id, from: .device)
            }
            return EnrolledLine(line.number, .enrolled, enrollment)
        } catch {
            guard let half = halves.last else {
                return EnrolledLine(line.number, error, of: joined)
            }
            // Perhaps it is no longer good because the vendor took it then.
            var result = EnrolledLine(line.number, .unconfirmed, half)
            result.add(error)
            return result
        }
    }

    private func show(_ result: EnrolledLine) {
        counts[result.status, default: 0] += 1
        if !result.isGood { isGood = false }
        clearProgress()
        Reporter(isJSON: true).show(result)
        showProgress()
    }

    // MARK: Progress

    private func clearProgress() {
        if Terminal.error.isInteractive { Terminal.error.write("\r\u{1B}[K") }
    }

    private func showProgress(isLast: Bool = false) {
        guard Terminal.error.isInteractive else { return }
        clearProgress()
        guard !isLast else { return }
        let done = counts.values.reduce(0, +)
        let bad = (counts[.failed] ?? 0) + (counts[.unconfirmed] ?? 0)
        Terminal.error.write("\(done) of \(lines.count)" + (bad > 0 ? ", \(bad) not enrolled" : ""))
    }
}

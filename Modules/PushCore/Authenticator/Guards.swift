/// How guards are opened: for the step that needs it, by the user who decides it.
extension AuthenticatorCore {
    /// Opens what is sealed of enrollments, with one question to the user, and runs a step. Nothing
    /// stays open after it.
    nonisolated(nonsending) func opening<Value: Sendable>(
        _ hands: [DocumentInHand], for purpose: VerificationRequest.Purpose, title: String? = nil,
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let opened = try await documents.sealing.open(
            hands.compactMap(\.document.guarded), for: purpose, title: title)
        return try await OpenParts.lending(opened, body)
    }

    /// What the user has proved for a step, and what is open for it.
    struct Proof: Sendable {
        var evidence: [Evidence] = []
        var opened: [OpenParts.Opened] = []
    }

    /// Verifies the user, and opens what a step needs. Opening a guard is a proof of its own, so
    /// the app's verifier is asked for the rest alone.
    func proof(
        for purpose: VerificationRequest.Purpose, in hand: DocumentInHand,
        to uses: Capabilities.GuardedPart.Uses, _ asked: [[Factor]], _ style: VerificationStyle
    ) async throws(PushError) -> Proof {
        let alternatives = try style.narrowed(asked)
        let others = alternatives.filter { !$0.contains(.biometry) }
        guard let part = registry[hand.id.provider]?.guarded, let sealed = hand.document.guarded,
            part.isBiometry ? others != alternatives : !part.uses.isDisjoint(with: uses)
        else { return Proof(evidence: try await verify(purpose, asked, style)) }
        let opened: [OpenParts.Opened]
        do throws(PushError) {
            opened = try await documents.sealing.open([sealed], for: purpose, title: style.title)
        } catch  where part.isBiometry && !others.isEmpty && error.mayUseAnotherFactor {
            return Proof(evidence: try await verify(purpose, others, style))
        }
        let secret = part.isBiometry ? opened.first?.secrets.first : nil
        let proved = secret.map { [.presence, .biometry($0)] } ?? sealed.policy.evidence
        let rest = alternatives.map { alternative in
            alternative.filter { factor in !proved.contains { $0.proves(factor) } }
        }
        let verified = rest.contains([]) ? [] : try await verify(purpose, rest, style)
        return Proof(evidence: proved + verified, opened: opened)
    }
}

extension PushError {
    /// Whether the user may prove themselves another way, where the vendor takes it.
    fileprivate var mayUseAnotherFactor: Bool {
        code == .guardLost || code == .verificationFailed || code == .locked
    }
}

extension AuthenticatorCore {
    /// Whether nobody can ask an enrollment's vendor anything while its guard is locked.
    func asksForQuestions(_ id: Enrollment.ID) -> Bool {
        registry[id.provider]?.guarded?.uses.contains(.questions) == true
    }
}

extension Capabilities.GuardedPart {
    /// What a guard seals of an enrollment, as far as it is open or needs no opening; and the
    /// provider's half with it, if it is a part of that.
    func open(
        in document: inout EnrollmentDocument
    ) throws(PushError) -> (secrets: [Secret], half: (any GuardedCredential)?) {
        guard let credential else { return (document.guarded?.opened ?? [], nil) }
        let half = try document.readCredential(as: credential)
        return (half.answerSecrets, half)
    }
}

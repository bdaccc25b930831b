import Foundation
import PushCapture
import PushCore

/// Asks every provider what it makes of a message, without a trace: nothing is sent or stored.
struct Inspector {
    private let store: (any CredentialStore)?
    private let linked: LinkedProviders
    private let keys: TokenKeys?
    private let redaction: Redaction

    /// - Parameters:
    ///   - options: Where the store and the configuration are. No store is made.
    ///   - keys: Keys to check tokens with, beside those of the store.
    ///   - redaction: What is taken out of the reports.
    ///   - usesStore: Whether the store's enrollments count.
    /// - Throws: `Failure` if the store or the configuration can't be read.
    init(
        _ options: GlobalOptions, keys: TokenKeys?, redaction: Redaction, usesStore: Bool
    ) async throws(Failure) {
        linked = try options.linkedProviders()
        store = usesStore ? try await Self.store(options, linked) : nil
        self.keys = keys
        self.redaction = redaction
        // What is wrong with the configuration is said before the first line.
        _ = try linked.make(in: Self.environment(store: DryStore(over: nil), NoNetwork()))
    }

    /// The records that count; `nil` if there are none yet.
    private static func store(
        _ options: GlobalOptions, _ linked: LinkedProviders
    ) async throws(Failure) -> (any CredentialStore)? {
        let access = try StoreAccess(options: options, configuration: linked.configuration)
        if case .directory(let path) = access.location,
            !FileManager.default.fileExists(atPath: path)
        {
            guard options.store != nil else { return nil }
            throw Failure(
                .store, "There is no store \(path).",
                advice: "--no-store inspects without one.")
        }
        let ground = try await Ground(options, linked: linked)
        return ground.records(of: try await ground.device())
    }

    /// What is made of one thing.
    func report(on input: InspectInput) async -> Inspection {
        switch input.message {
        case nil: return Inspection(line: input.line, form: input.form, error: nil)
        case .failure(let error):
            return Inspection(line: input.line, form: input.form, error: error.reason)
        case .success(let message):
            var inspection = Inspection(line: input.line, form: input.form, error: nil)
            inspection.message = redaction(message.content)
            inspection.tokens = FoundToken.all(in: message.content).map(token)
            // Each line in a world of its own: what one tells must not change the next.
            let network = NoNetwork()
            let environment = Self.environment(store: DryStore(over: store), network)
            let providers = (try? linked.make(in: environment)) ?? []
            for id in linked.names.map(ProviderID.init(rawValue:)) {
                guard let provider = providers.first(where: { $0.id == id }) else {
                    inspection.providers.append(.init(provider: id, why: linked.absence(of: id)))
                    continue
                }
                inspection.providers.append(
                    await view(of: provider, on: message, in: environment, network))
            }
            return inspection
        }
    }

    private static func environment(store: DryStore, _ network: NoNetwork) -> PushEnvironment {
        PushEnvironment(
            transport: network, store: store, verifier: NobodyThere(),
            device: Device(name: "pushauth"))
    }

    private func token(_ place: String, _ token: FoundToken) -> Inspection.Token {
        Inspection.Token(
            place: place, header: redaction(token.header),
            claims: token.claims.map { redaction($0) },
            verdict: token.flaw.map { .refused($0) } ?? keys?.verdict(on: token))
    }

    private func view(
        of provider: any PushProvider, on message: PushMessage, in environment: PushEnvironment,
        _ network: NoNetwork
    ) async -> Inspection.View {
        var view = Inspection.View(provider: provider.id)
        view.offer = offer(of: provider, for: message)
        guard let candidate = provider.candidate(in: message) else {
            view.why = "not its shape: it wants \(linked.messages(of: provider.id))"
            return view
        }
        view.isRecognized = true
        do throws(PushError) {
            let event = try await candidate.verified(with: environment.accounts(for: provider.id))
            view.read(event, redaction)
        } catch {
            view.refusal = error.code
            view.why = "\(error.code): \(error.reason)"
            await explain(&view, of: provider, in: environment)
        }
        view.asks = await network.take()
        return view
    }

    /// Tells a refusal from having nothing to judge with.
    private func explain(
        _ view: inout Inspection.View, of provider: any PushProvider,
        in environment: PushEnvironment
    ) async {
        // A message that isn't even well-formed needs no key to be refused.
        guard view.refusal == .untrusted || view.refusal == .unknownEnrollment,
            let known = try? await environment.accounts(for: provider.id).enrollments(),
            known.isEmpty
        else { return }
        view.refusal = .unknownEnrollment
        view.why =
            store == nil
            ? "no enrollment, so nothing to verify with"
            : "no enrollment of \(provider.id.rawValue) in the store, so nothing to verify with"
    }

    private func offer(of provider: any PushProvider, for message: PushMessage) -> JSON.Object? {
        guard [.scanned, .link].contains(message.channel), let text = message.content.string else {
            return nil
        }
        do throws(PushError) {
            guard let offer = try provider.enroller.offer(.scanned(text: text)) else { return nil }
            var object: JSON.Object = [:]
            for (name, value) in [
                ("issuer", offer.issuer), ("account", offer.account), ("host", offer.host),
            ] {
                object[name] = value.map { redaction($0, named: name) }
            }
            return object
        } catch {
            return ["error": .string("\(error.code): \(error.reason)")]
        }
    }
}

/// Nobody is asked while a message is inspected.
private struct NobodyThere: UserVerifier {
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        throw PushError(.cancelled, "Nobody is asked while a message is inspected.")
    }
}

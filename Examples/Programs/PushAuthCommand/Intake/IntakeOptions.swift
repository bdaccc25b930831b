import ArgumentParser
import Foundation
import LocalServer
import PushCore

/// Which ways in there are.
struct IntakeOptions: ParsableArguments {
    @Flag(help: "Read pushes from standard input: a JSON object on each line.")
    var stdin = false

    @Option(
        help: ArgumentHelp(
            "Take pushes by POST /push with a shared secret.", valueName: "address:port"))
    var http: IntakeAddress?

    @Option(
        help: ArgumentHelp(
            """
            The file with that secret, mode 0600, 16 characters or more. Default: \
            $PUSHAUTH_SECRET_FILE, else http-secret in the credentials' directory, made at the \
            first use.
            """, valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Option(
        help: ArgumentHelp(
            "Take pushes as Firebase Cloud Messaging does (HTTP v1).", valueName: "address:port"))
    var fcm: IntakeAddress?

    @Option(
        help: ArgumentHelp(
            """
            Take pushes as Apple's provider API does (HTTP/2, provider tokens or a client certificate).
            """, valueName: "address:port"))
    var apns: IntakeAddress?

    @Option(
        help: ArgumentHelp(
            "Serve counters and times at /metrics, in Prometheus' text format.",
            valueName: "address:port"))
    var metrics: IntakeAddress?

    @Option(
        help: ArgumentHelp(
            """
            Where what senders need is written (0600): keys, URLs, a certificate to trust. \
            Default: $PUSHAUTH_CREDENTIALS.
            """,
            valueName: "directory"),
        completion: .directory)
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "The server's certificate and its chain (PEM). Default: $PUSHAUTH_TLS_CERT.",
            valueName: "file"),
        completion: .file())
    var tlsCert: String?

    @Option(
        help: ArgumentHelp(
            "The certificate's key (PEM), mode 0600. Default: $PUSHAUTH_TLS_KEY.",
            valueName: "file"),
        completion: .file())
    var tlsKey: String?

    mutating func validate() {
        PathVariable.resolve(&secretFile, by: .secretFile)
        PathVariable.resolve(&credentials, by: .credentials)
        PathVariable.resolve(&tlsCert, by: .tlsCertificate)
        PathVariable.resolve(&tlsKey, by: .tlsKey)
    }

    /// - Parameters:
    ///   - isPolling: Whether the vendors are asked instead, or as well.
    ///   - isFleet: Whether the store has what the intakes of a fleet need.
    /// - Throws: What is wrong with the options.
    func check(isPolling: Bool, isFleet: Bool) throws {
        guard isPolling || stdin || http != nil || fcm != nil || apns != nil else {
            throw ValidationError(
                """
                Say how pushes come in: --stdin, --http, --fcm or --apns; or --poll SECONDS. To begin \
                with, `pushauth listen --fcm 127.0.0.1:0 --credentials push`.
                """)
        }
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
        guard !isFleet else {
            guard credentials == nil, secretFile == nil else {
                throw ValidationError(
                    """
                    A fleet's credentials are in its store: `pushauth fleet credentials DIRECTORY` \
                    writes them.
                    """)
            }
            return
        }
        guard credentials != nil || (fcm == nil && apns == nil) else {
            throw ValidationError(
                """
                --fcm and --apns need --credentials, a directory that is made, such as \
                --credentials push.
                """)
        }
        guard http == nil || secretFile != nil || credentials != nil else {
            throw ValidationError("--http needs --secret-file or --credentials.")
        }
        for address in [http, fcm, apns, metrics].compactMap(\.self)
        where !address.isLoopback && tlsCert == nil {
            throw ValidationError(
                "\(address.host) is reached by others: it needs --tls-cert and --tls-key.")
        }
    }

    /// The names of those that take what senders push over a network.
    var services: [String] {
        [("http", http), ("fcm", fcm), ("apns", apns)].filter { $0.1 != nil }.map(\.0)
    }

    /// The intakes that were asked for.
    func intakes(
        for session: Session, keeping connections: ConnectionGate,
        reports: @escaping @Sendable (Failure) -> Void, finished: @escaping @Sendable () -> Void
    ) async throws(Failure) -> [any Intake] {
        var intakes: [any Intake] = []
        if stdin { intakes.append(StandardInputIntake(reports: reports, finished: finished)) }
        guard http != nil || fcm != nil || apns != nil else { return intakes }
        let setup = try IntakeSetup(self, for: session, connections)
        if let http { intakes.append(try setup.httpIntake(at: http)) }
        if let fcm { intakes.append(try await setup.fcmIntake(at: fcm)) }
        if let apns { intakes.append(try await setup.apnsIntake(at: apns)) }
        return intakes
    }

    /// Serves the counters, if that was asked for. It comes before the intakes take anything: a port
    /// that is taken must lose no push.
    func metricsServer(
        for session: Session, beside intakes: [any Intake], keeping connections: ConnectionGate
    ) async throws(Failure) -> LocalServer? {
        guard let metrics, let meter = session.ground.options.meter else { return nil }
        let setup = try IntakeSetup(self, for: session, connections)
        return try await setup.metricsServer(at: metrics, of: meter, session.ground.questions)
            .start(beside: intakes) { await MetricsServer.unfinished(of: session.authenticator) }
    }

    /// The server's identity, if one was named.
    func identity() throws(Failure) -> LocalIdentity? {
        guard let tlsCert, let tlsKey else { return nil }
        return try IntakeSetup.identity(tlsCert, tlsKey)
    }

    /// Tells the vendors where pushes reach this process.
    ///
    /// - Returns: Why some don't know it yet.
    func tellToken(
        _ session: Session
    ) async throws(Failure) -> [Enrollment.ID: PushError] {
        guard let tokens = try session.tokenFile?.read(), tokens.chosen.isEmpty else { return [:] }
        var own: [DeviceToken] = []
        if fcm != nil, let token = tokens.fcm { own.append(.fcm(token)) }
        if apns != nil, let token = tokens.apns { own.append(.apns(hex: token, isSandbox: false)) }
        guard !own.isEmpty else { return [:] }
        do {
            return try await session.authenticator.tellOnly(own)
        } catch {
            throw Failure(error)
        }
    }
}

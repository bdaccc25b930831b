public import PushCore
public import PushTesting

/// The face that the simulator shows a relying party.
extension OneSpanSimulator {
    /// Registers a user, or gives a known one another activation password, for typing in.
    ///
    /// - Throws: `PushError` with the code `blocked` if the user is locked or disabled, or
    ///   `invalidArgument` for a name of no or more than 255 bytes.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        do throws(ServiceRefusal) {
            return .credentials(
                user: user, password: Secret(try openRegistration(of: user).password))
        } catch {
            throw error.pushError
        }
    }

    /// Starts a login, and pushes it to all devices of the user.
    ///
    /// `confirm` asks for ``Configuration/confirmMethod``, `biometry` for biometry. If a fault
    /// makes the push bad, the server side of it is genuine.
    ///
    /// - Throws: `PushError` with the code `unsupported` for a number, `notFound` if the user has
    ///   no device that pushes reach, or `blocked` if the user is locked or disabled.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        let method: AuthenticationMethod =
            switch kind {
            case .confirm: configuration.confirmMethod
            case .biometry: .biometric
            case .number: throw PushError(.unsupported, "OneSpan asks for no number.")
            }
        return try start(
            showing: configuration.loginDisplay,
            Order(
                user: user, isTransaction: false, method: method,
                display: configuration.loginDisplay, fault: fault))
    }

    /// Starts a transaction, and pushes it to all devices of the user.
    ///
    /// - Parameters:
    ///   - user: Whose transaction it is.
    ///   - fields: What the device shows and signs: 1 to 16 fields.
    ///   - method: How the user authenticates.
    ///   - fault: What is wrong with its push.
    /// - Returns: The transaction.
    /// - Throws: `PushError` as ``startLogin(of:asking:spoiledBy:)`` does, or with the code
    ///   `invalidArgument` if there are too many fields or too long ones.
    public func startTransaction(
        of user: String, fields: [Field], method: AuthenticationMethod = .password,
        spoiledBy fault: BadPush? = nil
    ) throws(PushError) -> SimulatedLogin {
        try startTransaction(of: user, showing: .fields(fields), method: method, spoiledBy: fault)
    }

    /// Starts a transaction that shows something else than proper fields, such as
    /// ``DisplayContent/raw(form:data:)``, and pushes it to all devices of the user.
    ///
    /// - Throws: `PushError` as ``startTransaction(of:fields:method:spoiledBy:)`` does.
    public func startTransaction(
        of user: String, showing display: DisplayContent,
        method: AuthenticationMethod = .password, spoiledBy fault: BadPush? = nil
    ) throws(PushError) -> SimulatedLogin {
        try start(
            showing: display,
            Order(
                user: user, isTransaction: true, method: method, display: display, fault: fault))
    }

    /// Where a login or a transaction stands, by its request identifier.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is none.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        switch session(login)?.status {
        case .pending: return .waiting
        case .accepted: return .approved
        case .refused: return .denied
        case .failed: return .failed
        case .timeout: return .expired
        case .unknown, nil: throw PushError(.notFound, "There is no such login.")
        }
    }

    private func start(
        showing display: DisplayContent, _ order: Order
    ) throws(PushError) -> SimulatedLogin {
        guard display.isValid(forTransaction: order.isTransaction) else {
            throw PushError(.invalidArgument, "What is to be shown is too long or missing.")
        }
        do throws(ServiceRefusal) {
            return SimulatedLogin(id: try start(order).request.id)
        } catch {
            throw error.pushError
        }
    }
}

extension ServiceRefusal {
    /// The refusal as whoever calls in process gets it.
    fileprivate var pushError: PushError {
        switch message {
        case Self.userLocked.message, Self.userDisabled.message: PushError(.blocked, message)
        case Self.unknownUser.message, Self.noApplicableDevice.message:
            PushError(.notFound, message)
        default:
            status == 400
                ? PushError(.invalidArgument, message) : PushError(.server(status: status), message)
        }
    }
}

import PushCore

/// An operation, as the server keeps it.
struct Operation: Sendable {
    let id: String
    /// `nil` until somebody claims it.
    var user: String?
    /// The only activation that may see it; any of the user's if `nil`.
    let activation: String?
    let template: PowerAuthSimulator.OperationTemplate
    let created: Int64
    let expiry: Int64
    /// What its proximity passwords are made of.
    let seed: Secret
    let fault: PowerAuthSimulator.BadPush?

    var status = PowerAuthSimulator.OperationStatus.pending
    var reason: String?
    var failures = 0

    func isFor(_ activation: Activation) -> Bool {
        user == activation.user && (self.activation ?? activation.id) == activation.id
    }

    var json: JSON {
        var members: JSON.Object = [
            "id": .string(id), "name": .string(template.name), "data": .string(template.data),
            "status": .string(status.rawValue),
        ]
        members["statusReason"] = reason.map { .string(String($0.prefix(32))) }
        members["operationCreated"] = .string(Moment.operation(created))
        members["operationExpires"] = .string(Moment.operation(expiry))
        members["allowedSignatureType"] = template.approval.json
        members["formData"] = form
        members["ui"] = ui
        for member in template.replacedMembers.members {
            members[member.name] = member.value == .null ? JSON?.none : member.value
        }
        return .object(members)
    }

    private var form: JSON {
        var form: JSON.Object = [
            "title": .string(template.title), "message": .string(template.message),
            "attributes": .array(template.attributes.map { $0.json }),
        ]
        if !template.resultTexts.isEmpty { form["resultTexts"] = .object(template.resultTexts) }
        return .object(form)
    }

    private var ui: JSON? {
        var ui = template.ui
        if let screen = template.preApprovalScreen {
            ui["preApprovalScreen"] = screen.json
        } else if template.needsProximity {
            ui["preApprovalScreen"] =
                PowerAuthSimulator.PreApprovalScreen(
                    "QR_SCAN", heading: "Scan the code", message: "It is on the screen."
                ).json
        }
        ui["postApprovalScreen"] = template.postApprovalScreen
        return ui.isEmpty ? JSON?.none : .object(ui)
    }
}

extension PowerAuthSimulator {
    /// How an operation stands, by the protocol's names.
    public enum OperationStatus: String, Hashable, Sendable, CaseIterable {
        /// It waits for its user.
        case pending = "PENDING"
        /// Its user approved it.
        case approved = "APPROVED"
        /// Its user rejected it.
        case rejected = "REJECTED"
        /// The back office took it back.
        case canceled = "CANCELED"
        /// Nobody answered in time.
        case expired = "EXPIRED"
        /// It was tried too often, or can't be done any more.
        case failed = "FAILED"
    }

    /// What a push says of an operation that is over, by the protocol's names.
    public enum OperationResult: String, Hashable, Sendable, CaseIterable {
        /// It was confirmed.
        case success = "authentication.success"
        /// Its confirmation failed.
        case failure = "authentication.fail"
        /// It has expired.
        case timeout = "operation.timeout"
        /// It was cancelled.
        case canceled = "operation.canceled"
        /// Its user may not use mobile tokens any more.
        case methodNotAvailable = "operation.methodNotAvailable"
    }

    /// An operation as a back office sees it at one moment.
    public struct OperationRecord: Hashable, Sendable, Identifiable {
        /// Its identifier, a UUID in lower case.
        public let id: String

        /// Whose it is; `nil` if nobody has claimed it.
        public let user: String?

        /// How it stands.
        public let status: OperationStatus

        /// Why, if somebody said so, such as the reason of a rejection; complete.
        public let reason: String?

        /// How many approvals were wrong.
        public let failures: Int

        init(_ operation: Operation) {
            id = operation.id
            user = operation.user
            status = operation.status
            reason = operation.reason
            failures = operation.failures
        }
    }
}

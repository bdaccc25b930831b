import PushCore

// MARK: Operations of the server

extension PowerAuthOperation {
    /// More than anyone reads before an answer.
    private static let maximumFieldCount = 64

    /// Approve or reject, unless something of it can't be honoured: then it can only be rejected.
    ///
    /// A proximity code may come until the approval, so one that isn't there yet is asked for then.
    func prompt(hasBiometry: Bool) -> Challenge.Prompt {
        guard status == .pending else { return .denyOnly("Its state isn't known here.") }
        guard allowedSignatureType.verification(hasBiometry: hasBiometry) != nil else {
            return .denyOnly("This device can't make a signature that the operation allows.")
        }
        guard !ui.hasUnknownScreen else {
            return .denyOnly("A screen that must be shown before the approval isn't known here.")
        }
        guard ui.screens.allSatisfy(\.isWhole) else {
            return .denyOnly("A screen that must be shown before the approval can't be read.")
        }
        if let defect = formData.attributes.lazy.compactMap(\.defect).first {
            return .denyOnly(defect)
        }
        guard shown.count <= Self.maximumFieldCount else {
            return .denyOnly("It has more than \(Self.maximumFieldCount) parts.")
        }
        guard shown.allSatisfy(\.fits) else {
            return .denyOnly("It is too long to be shown whole.")
        }
        return .approve
    }

    /// What is shown, in order: what must be seen first, what it asks, and what it is about, as far
    /// as it can be shown.
    var fields: [Challenge.Field] { shown.prefix(Self.maximumFieldCount).map(\.field) }

    private var shown: [ShownText] {
        let asked = ShownText(formData.title, formData.message)
        return ui.screens.compactMap(\.shown) + [asked]
            + formData.attributes.map(\.shown).filter { !$0.isEmpty }
    }
}

extension PowerAuthOperation.PreApprovalScreen {
    /// The screen as a field; `nil` for one that only asks for something.
    fileprivate var shown: ShownText? {
        let title: String
        switch type {
        case .info: title = "Information"
        case .warning: title = "Warning"
        case .qrScan, .unknown: return nil
        }
        let texts = (message.map { [$0] } ?? []) + items
        return ShownText(heading ?? title, texts.joined(separator: "\n"))
    }
}

extension PowerAuthAttribute {
    fileprivate var shown: ShownText { ShownText(label, content.value) }
}

// MARK: Offline operations

extension PowerAuthOfflineOperation {
    /// Approve or reject; only reject if what would be signed can't be read or shown.
    var prompt: Challenge.Prompt {
        guard operationData != nil else { return .denyOnly("Its data can't be read.") }
        guard !hasEmptyCode else { return .denyOnly("The place of its one-time code is empty.") }
        guard shown.allSatisfy(\.fits) else {
            return .denyOnly("It is too long to be shown whole.")
        }
        return .approve
    }

    /// What is shown, in order: what must be seen first, what it asks, and what the data that is
    /// signed says.
    var fields: [Challenge.Field] { shown.map(\.field) }

    private var shown: [ShownText] {
        let warning = ShownText(
            "Warning", "This may be a fraud. Approve only what you began yourself.")
        return (flags.contains(.fraudWarning) ? [warning] : []) + [ShownText(title, message)]
            + (operationData?.fields ?? []).compactMap(\.shown)
    }
}

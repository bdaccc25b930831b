import PushCore

extension PowerAuthOperation {
    /// Approve or reject, unless something of it can't be honoured: then it can only be rejected.
    func prompt(_ means: PowerAuth.Means) -> Challenge.Prompt {
        guard status == .pending else { return .denyOnly("Its state isn't known here.") }
        guard allowedSignatureType.verification(hasBiometry: means.hasBiometry) != nil else {
            return .denyOnly("This device can't make a signature that the operation allows.")
        }
        guard !ui.hasUnknownScreen else {
            return .denyOnly("A screen that must be shown before the approval isn't known here.")
        }
        if ui.needsProximityCode, !means.hasProximityCode {
            return .denyOnly("The proximity code on the other screen must be scanned first.")
        }
        guard isShownWhole else { return .denyOnly("It is too long to be shown whole.") }
        return .approve
    }

    /// What is shown, in order: what it asks, and what it is about.
    var fields: [Challenge.Field] {
        let asked = Challenge.Field(formData.title, formData.message)
        return [asked] + formData.attributes.map(\.field)
    }

    private var isShownWhole: Bool {
        ([formData.message] + formData.attributes.map(\.shown)).allSatisfy(DisplayText.fitsBody)
    }
}

extension PowerAuthAttribute {
    fileprivate var field: Challenge.Field {
        if case .alert(let alert) = content { return Challenge.Field(alert.title ?? label, shown) }
        return Challenge.Field(label, shown)
    }

    /// What stands beside the label.
    fileprivate var shown: String {
        switch content {
        case .amount(let money): money.shown ?? ""
        case .amountConversion(let source, let target, _):
            (source.shown ?? "") + " → " + (target.shown ?? "")
        case .keyValue(let text), .note(let text): text
        case .heading, .unknown: ""
        case .alert(let alert): alert.message ?? ""
        case .partyInfo(let info):
            [info.name, info.description, info.websiteUrl].compactMap(\.self)
                .joined(separator: "\n")
        case .image(let image): image.originalUrl ?? image.thumbnailUrl
        }
    }
}

extension DisplayText {
    /// Whether a value is short enough to be shown whole.
    static func fitsBody(_ text: String) -> Bool {
        text.unicodeScalars.count <= Limit.body.rawValue
    }
}

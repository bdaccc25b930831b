#if os(iOS)
import PushCore
import PushPlatform
import SwiftUI

/// What waits for an answer.
struct ChallengeList: View {
    @ObservedObject var model: AppModel

    var body: some View {
        NavigationStack {
            List {
                if model.waiting.isEmpty { Text("Nothing waits for you.") }
                ForEach(model.waiting, id: \.id) { record in
                    Button {
                        model.open(record.id)
                    } label: {
                        VStack {
                            Text(verbatim: record.notice.title ?? "Request to confirm")
                                .font(.headline)
                            if let body = record.notice.body { Text(verbatim: body) }
                        }
                    }
                }
            }
            .refreshable { [flow = model.flow] in await flow.catchUp() }
            .navigationTitle("Requests")
        }
    }
}

/// One-time codes, of the vendors that have them.
struct CodeList: View {
    @ObservedObject var model: AppModel
    @State private var codes: [Enrollment.ID: String] = [:]

    var body: some View {
        NavigationStack {
            List {
                ForEach(model.enrollments, id: \.id) { enrollment in
                    Button {
                        model.code(for: enrollment.id) { codes[enrollment.id] = $0 }
                    } label: {
                        LabeledContent(
                            enrollment.title, value: codes[enrollment.id] ?? "Tap for a code")
                    }
                }
            }
            .navigationTitle("Codes")
        }
    }
}

/// The accounts of this device: joining one, and leaving it.
struct Settings: View {
    @ObservedObject var model: AppModel
    @State private var scanned: String?
    @State private var hasNoCamera = false
    @State private var leaving: Enrollment?
    @State private var guarding: Enrollment?

    var body: some View {
        NavigationStack {
            List {
                Section("Accounts") {
                    ForEach(model.enrollments, id: \.id) { enrollment in
                        LabeledContent(enrollment.title, value: enrollment.condition)
                        if model.guardedPart(of: enrollment) != nil {
                            Button("Opened by: \(words(for: enrollment.guardPolicy))") {
                                guarding = enrollment
                            }
                        }
                        Button("Remove", role: .destructive) { leaving = enrollment }
                    }
                }
                Section {
                    Button("Add an account") { model.isScanning = true }
                }
            }
            .navigationTitle("Settings")
            .confirmationDialog(
                "What opens \(guarding?.title ?? "")? \(guardPrice)",
                isPresented: Binding(get: { guarding != nil }, set: { if !$0 { guarding = nil } }),
                titleVisibility: .visible
            ) {
                if let guarding {
                    ForEach(GuardPolicy.allCases, id: \.self) { policy in
                        Button(words(for: policy)) { model.setGuard(policy, of: guarding.id) }
                    }
                    Button(words(for: nil)) { model.setGuard(nil, of: guarding.id) }
                }
                Button("Cancel", role: .cancel) {}
            }
        }
        .sheet(isPresented: $model.isScanning, onDismiss: takeScanned) {
            CodeScanner { text in
                scanned = text
                model.isScanning = false
            } failed: {
                hasNoCamera = true
                model.isScanning = false
            }
            Button("Cancel", role: .cancel) { model.isScanning = false }
        }
        .confirmationDialog(
            "Remove \(leaving?.title ?? "")? Your logins there will need another way.",
            isPresented: Binding(get: { leaving != nil }, set: { if !$0 { leaving = nil } }),
            titleVisibility: .visible
        ) {
            if let leaving {
                Button("Remove", role: .destructive) { model.remove(leaving.id) }
            }
            Button("Cancel", role: .cancel) {}
        }
    }

    private var guardPrice: String {
        guarding.flatMap { model.guardedPart(of: $0) }.map { price(of: $0.uses) } ?? ""
    }

    /// Once the camera's screen is gone: what asks the user next can't be shown over it.
    private func takeScanned() {
        if hasNoCamera {
            hasNoCamera = false
            model.failure = "The camera can't be used. Allow it in the system's settings."
        }
        guard let text = scanned else { return }
        scanned = nil
        model.scanned(text)
    }
}

extension Invitation.Offer {
    /// What the invitation says of itself. Nobody has verified it.
    var claims: String {
        let claims = [issuer, account].compactMap(\.self).joined(separator: ", ")
        return claims.isEmpty ? "a new account" : claims
    }
}

extension Enrollment {
    var title: String {
        [issuer ?? host, account].compactMap(\.self).joined(separator: ", ")
    }

    var condition: String {
        switch state {
        case .active: "Ready"
        case .pending: "Not confirmed yet"
        case .blocked: "Blocked"
        case .needsReenrollment: "Must be added again"
        case .movedAway: "Moved to another device"
        @unknown default: ""
        }
    }
}
#endif

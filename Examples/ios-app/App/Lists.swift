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
                        Task { codes[enrollment.id] = await model.code(for: enrollment.id) }
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
    @State private var isScanning = false

    var body: some View {
        NavigationStack {
            List {
                Section("Accounts") {
                    ForEach(model.enrollments, id: \.id) { enrollment in
                        LabeledContent(enrollment.title, value: enrollment.condition)
                        Button("Remove", role: .destructive) { model.remove(enrollment.id) }
                    }
                }
                Section {
                    Button("Add an account") { isScanning = true }
                }
            }
            .navigationTitle("Settings")
        }
        .sheet(isPresented: $isScanning) {
            CodeScanner { text in
                isScanning = false
                model.scanned(text)
            }
        }
        .confirmationDialog(
            "Join \(model.offer?.issuer ?? model.offer?.host ?? "this account")?",
            isPresented: Binding(
                get: { model.offer != nil }, set: { if !$0 { model.offer = nil } }),
            titleVisibility: .visible
        ) {
            if let offer = model.offer { Button("Join") { model.join(offer) } }
            Button("Cancel", role: .cancel) { model.offer = nil }
        }
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

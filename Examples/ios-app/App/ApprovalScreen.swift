#if os(iOS)
import PushCore
import SwiftUI

// snippet: screen
/// One challenge, with all that it shows, and a button for each answer.
struct ApprovalScreen: View {
    let model: AppModel
    let asked: Asked

    @Environment(\.dismiss) private var dismiss
    @State private var entry = ""
    @State private var message: String?
    @State private var isSending = false

    private var control: ApprovalControl { ApprovalControl(asked.challenge.prompt) }

    var body: some View {
        Form {
            if let burst = asked.burst {
                Section { Text("\(burst) requests in a short time. Did you start this one?") }
            }
            Section {
                // All of it: the user approves what the screen shows.
                ForEach(Array(asked.challenge.shown.enumerated()), id: \.offset) { _, field in
                    if field.label.isEmpty {
                        Text(verbatim: field.value)
                    } else {
                        LabeledContent(field.label, value: field.value)
                    }
                }
            }
            Section { answers }
            Section {
                // No is never hidden behind anything.
                Button("I don't want this") { send(.deny(.unexpected)) }
                Button("This wasn't me", role: .destructive) { send(.deny(.fraud)) }
            }
            if let message { Section { Text(verbatim: message) } }
        }
        .disabled(isSending)
    }

    @ViewBuilder private var answers: some View {
        switch control {
        case .approve:
            Button("Approve") { send(.approve) }
        case .choose(let options):
            Text("Which one does the other screen show?")
            ForEach(options, id: \.self) { option in
                Button(option) { send(.choose(option)) }
            }
        case .enter(let digits):
            TextField("The \(digits) digits on the other screen", text: $entry)
                .keyboardType(.numberPad)
            Button("Approve") {
                if let answer = control.answer(entering: entry) { send(answer) }
            }
            .disabled(control.answer(entering: entry) == nil)
        case .none:
            Text("This app can't approve this request. You can deny it.")
        }
    }

    private func send(_ resolution: Resolution) {
        isSending = true
        Task {
            defer { isSending = false }
            do {
                let outcome = try await model.authenticator.resolve(
                    asked.challenge, with: resolution)
                message = words(for: outcome)
                if !outcome.asksAgain { dismiss() }
            } catch {
                message = "That didn't work. Nothing was sent."
            }
        }
    }
}
// end snippet
#endif

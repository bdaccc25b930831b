#if os(iOS)
import PushCore
import PushPlatform
import SwiftUI

// snippet: screen
/// One challenge, with all that it shows, and a button for each answer.
struct ApprovalScreen: View {
    @ObservedObject var model: AppModel
    let asked: Asked

    @State private var entry = ""
    @State private var message: String?
    @State private var code: String?
    @State private var isSending = false
    @State private var isDone = false

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
            if !isDone, !isSending, model.isOver(asked) {
                Section { Text("This request is over.") }
            } else if !isDone {
                Section { answers }
                Section {
                    // No is never hidden behind anything.
                    Button("I don't want this") { send(.deny(.unexpected)) }
                    Button("This wasn't me", role: .destructive) { send(.deny(.fraud)) }
                }
            }
            Section {
                if isSending { ProgressView() }
                if let message = message ?? asked.message { Text(verbatim: message) }
                if let code { Text(verbatim: code).font(.largeTitle) }
                Button("Close") { model.close(asked) }
            }
        }
        .disabled(isSending)
        // The vendor refused a copy that was sent again, and another answer may be given.
        .onChange(of: model.isOver(asked)) { isOver in
            if !isOver, isDone { (isDone, message) = (false, nil) }
        }
        .interactiveDismissDisabled(isSending)
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
                .keyboardType(.asciiCapableNumberPad)
            Button("Approve") {
                if let answer = control.answer(entering: entry) { send(answer) }
            }
            .disabled(control.answer(entering: entry) == nil)
        case .none:
            Text("This app can't approve this request. You can deny it.")
        }
    }

    private func send(_ resolution: Resolution) {
        guard !isSending else { return }
        isSending = true
        Task {
            defer { isSending = false }
            do throws(PushError) {
                let outcome = try await PushAppAdapter.withBackgroundTime {
                    () async throws(PushError) -> Outcome in
                    // One prompt: opening the key proves the user as well.
                    try await model.authenticator.resolve(
                        asked.challenge, with: resolution,
                        style: VerificationStyle(title: "Confirm your answer"))
                }
                if case .delivered = outcome { return model.close(asked) }
                if case .code(let text, _) = outcome { code = text }
                message = words(for: outcome)
                isDone = !outcome.asksAgain
            } catch {
                message = words(for: error)
            }
        }
    }
}
// end snippet
#endif

import Foundation
import PushCore
import Testing

extension Scenario {
    static let pushing: [Scenario] = [
        Scenario("a push by Firebase") { try await push(by: .firebase, at: $0) },
        Scenario("a push by HTTP", since: .v314) { try await push(by: .http, at: $0) },
        Scenario("a push and then a poll") { stage in
            let (phone, enrollment, _, data) = try await pushed(to: stage)
            let question = stage.text
            try await phone.receive(data, is: "new: \(question)")
            try await phone.poll(enrollment, is: "known: \(question)")
            try await phone.receive(data, is: "known: \(question)")
        },
        Scenario("a push that was changed on its way") { stage in
            let (phone, _, login, data) = try await pushed(to: stage)
            for name in ["nonce", "question", "title", "url", "sslverify", "capabilities"] {
                var push = try #require(try JSON(parsing: data).object)
                guard push[name] != nil else { continue }
                push[name] = name == "sslverify" ? "0" : "x"
                // Capabilities that can't be read count as none.
                try await phone.receive(
                    JSON.object(push).data,
                    is: name == "capabilities"
                        ? "new: \(stage.text)" : "untrusted")
            }
            try await stage.sees(login, "REJECT pending")
        },
        Scenario("a push that comes again after the answer") { stage in
            let (phone, _, login, data) = try await pushed(to: stage)
            let id = try #require(
                try await phone.receive(data, is: "new: \(stage.text)"))
            try await phone.answer(id, .approve, is: "delivered")
            try await phone.receive(data, is: "answered: approve")
            try await stage.finishes(login, "ACCEPT")
            try await phone.receive(data, is: "answered: approve")
        },
        Scenario("a push where nobody may poll") { stage in
            try await stage.set(.pollingDenied)
            let (phone, enrollment, login, data) = try await pushed(to: stage)
            try await phone.poll(enrollment, is: "listRefused")
            let id = try #require(
                try await phone.receive(data, is: "new: \(stage.text)"))
            try await phone.answer(id, .approve, is: "delivered")
            try await stage.sees(login, "ACCEPT accept")
            try await stage.finishes(login, "ACCEPT")
        },
        Scenario("a push that asks for a number") { stage in
            try await stage.set(.numbers(count: 3))
            let (phone, _, login, data) = try await pushed(to: stage)
            try await stage.note("the push", shape(of: data))
            let id = try #require(
                try await phone.receive(data, is: "new: \(stage.text)"))
            try await phone.answer(id, .choose(try #require(login.shown)), is: "delivered")
            try await stage.finishes(login, "ACCEPT")
        },
    ]

    private static func push(by gateway: ServerSetting.Gateway, at stage: Stage) async throws {
        let (phone, enrollment, login, data) = try await pushed(to: stage, by: gateway)
        try await stage.note("the push", shape(of: data))
        let id = try #require(
            try await phone.receive(data, is: "new: \(stage.text)"))
        try await phone.answer(id, .approve, is: "delivered")
        try await stage.sees(login, "ACCEPT accept")
        try await stage.finishes(login, "ACCEPT")
        try await phone.poll(enrollment, is: "")
    }

    /// A device, and the push of a login that it hasn't got yet.
    private static func pushed(
        to stage: Stage, by gateway: ServerSetting.Gateway = .firebase
    ) async throws -> (TokenDevice, Enrollment, StartedLogin, Data) {
        try await stage.set(.gateway(gateway))
        let token = "token-\(stage.user)"
        let (phone, enrollment) = try await stage.enrolledDevice(token: token)
        let login = try await stage.server.startLogin(of: stage.user)
        let pushes = try await stage.server.takePushes(to: token)
        try await stage.note("pushes", "\(pushes.count)", "1")
        return (phone, enrollment, login, try #require(pushes.first))
    }

    private static func shape(of push: Data) throws -> String {
        let members = try #require(try JSON(parsing: push).object).members
        return members.sorted { $0.name < $1.name }.map { member in
            guard let text = member.value.string else { return "\(member.name) isn't a text" }
            return "\(member.name)=\(NotedTransport.shape(of: text, named: member.name))"
        }.joined(separator: ", ")
    }
}

import Foundation
import HTTPTypes

/// AM's push endpoint as far as these tests need it: it says what the test wants.
actor ScriptedServer {
    private var statuses: [Int] = []
    private var always: Int
    private var date: String?

    init(always: Int = 200) { self.always = always }

    /// What the next requests get, in order; whatever follows gets the usual status.
    func reply(_ statuses: Int...) { self.statuses += statuses }

    /// The time that replies tell, in HTTP's form.
    func tell(date: String) { self.date = date }

    func replyAlways(_ status: Int) { always = status }

    func respond(
        to request: HTTPRequest, body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let status = statuses.isEmpty ? always : statuses.removeFirst()
        let text =
            switch status {
            case 200: "{}"
            case 400: #"{"code":400,"reason":"Bad Request","message":"Bad request."}"#
            default: ""
            }
        var fields: HTTPFields = [.contentType: "application/json;charset=UTF-8"]
        fields[.date] = date
        return (
            HTTPResponse(status: .init(code: status), headerFields: fields), Data(text.utf8)
        )
    }
}

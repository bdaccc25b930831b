import PushXignIn
import PushXignInReference
import Receiving

try await receive {
    [XignIn(configuration: .init(wireFormat: OpenReferenceWireFormat()), in: $0)]
}

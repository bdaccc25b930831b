import PushPrivacyIDEA
import Receiving

try await receive { [PrivacyIDEA(in: $0)] }

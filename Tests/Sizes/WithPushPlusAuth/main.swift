import PushPlusAuth
import Receiving

try await receive { [PlusAuth(in: $0)] }

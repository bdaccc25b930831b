import PushForgeRock
import Receiving

try await receive { [ForgeRock(in: $0)] }

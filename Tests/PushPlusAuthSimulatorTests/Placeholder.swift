import PushCore

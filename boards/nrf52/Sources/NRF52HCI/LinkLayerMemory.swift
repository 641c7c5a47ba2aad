/// The memory of the controller, which begins with its link layer.
nonisolated(unsafe) var linkLayerMemory: [364 of UInt64] = .init(repeating: 0)

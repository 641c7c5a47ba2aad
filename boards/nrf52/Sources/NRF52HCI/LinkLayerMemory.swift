/// The memory of the controller, which begins with its link layer.
nonisolated(unsafe) var linkLayerMemory: [366 of UInt64] = .init(repeating: 0)

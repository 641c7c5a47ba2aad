/// The memory of the link layer.
nonisolated(unsafe) var linkLayerMemory: [313 of UInt64] = .init(repeating: 0)

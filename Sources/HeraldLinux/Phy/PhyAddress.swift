/// The position of a device in a simulation of a 2.4 GHz phy, as written in options: `SIMULATION:N`.
package struct PhyAddress: Equatable, Sendable, CustomStringConvertible {
  /// The name of the simulation, which is the name of the folder of its FIFOs.
  package let simulation: String
  /// The number of the device, from 0.
  package let device: Int

  /// The position `device` in the simulation `simulation`.
  package init(simulation: String, device: Int) {
    self.simulation = simulation
    self.device = device
  }

  /// Reads the written form.
  package init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let number = UInt16(parts[1]) else {
      throw SystemFailure(
        "understand", text, reason: "it is not SIMULATION:N, a name and the number of a device")
    }
    guard !parts[0].isEmpty, !parts[0].contains("/"), !parts[0].hasPrefix(".") else {
      throw SystemFailure("understand", text, reason: "'\(parts[0])' is not the name of a simulation")
    }
    self.init(simulation: parts[0], device: Int(number))
  }

  /// The written form.
  package var description: String { "\(simulation):\(device)" }
}

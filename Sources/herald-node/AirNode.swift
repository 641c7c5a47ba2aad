import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldLinkLayer
import HeraldLinux

/// The node on its own link layer, as a device of a simulated medium. Its time is the simulated one.
final class AirNode<Table: GATTTable>: PhyProgram {
  private let device: PhyDevice
  private let layer: UnsafeMutablePointer<LinkLayer<PhyRadio, 4>>
  private var runner: NodeRunner<AirRadio, Table>
  private var ending: NodeEnding?

  init(
    _ device: PhyDevice, settings: HeraldNodeCommand, configuration: HeraldConfiguration
  ) throws(SystemFailure) {
    var random = try SystemRandom()
    let layer = UnsafeMutablePointer<LinkLayer<PhyRadio, 4>>.allocate(capacity: 1)
    layer.initialize(to: LinkLayer(radio: device.makeRadio(), seed: random.next()))
    do throws(SystemFailure) {
      runner = try NodeRunner(settings: settings, configuration: configuration, clock: .simulated(device)) {
        AirRadio(layer, hold: NoHold())
      }
    } catch {
      layer.deinitialize(count: 1)
      layer.deallocate()
      throw error
    }
    self.device = device
    self.layer = layer
    runner.begin()
  }

  deinit {
    layer.deinitialize(count: 1)
    layer.deallocate()
  }

  /// Executes the node until it is stopped or the simulation ends.
  func run() throws(SystemFailure) {
    try device.run(self)
    if ending == nil { ending = runner.finish(.stopped) }
  }

  func radioInterrupt() -> Bool { layer.pointee.radioInterrupt() }
  func procedures() { layer.pointee.procedures() }

  func pollHost() -> Bool {
    let now = device.now
    ending = runner.serve(at: now)
    guard ending == nil else { return false }
    _ = runner.advance(at: now)
    return true
  }
}

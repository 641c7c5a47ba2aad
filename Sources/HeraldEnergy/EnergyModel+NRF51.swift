extension EnergyModel {
  /// The model of the nRF51822 at 3 V without the DC/DC converter (nRF51822 PS v3, "Electrical
  /// specifications": I_TX,0dBm, I_RX,1M, I_CPU,Flash, I_ON with all RAM, I_X16M, t_WRITE, t_ERASEPAGE; the
  /// processor at 16 MHz). The crystal of 16 MHz counts for events only, as of a board whose 32 kHz clock has
  /// a crystal of its own; on the micro:bit it is always on (0.47 mA). The processor's time for an event is
  /// that of the micro:bit's image, which has no management link.
  package static var nRF51822: EnergyModel {
    var model = EnergyModel()
    model.transmitting = 10.5
    model.receiving = 13
    model.processing = 4.4
    model.sleeping = 0.0026
    model.crystal = 0.47
    model.crystalStart = 1500
    model.rampUp = 140
    model.perAdvertisement = 375
    model.perEvent = 410
    model.flashWord = 46.3
    model.flashErasure = 22_300
    return model
  }
}

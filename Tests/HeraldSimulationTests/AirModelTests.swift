import Testing

@testable import HeraldSimulation

@Suite("Model of the air")
struct AirModelTests {
  // 0 dBm − 40.2 − 10 − 30·log₁₀(distance)
  @Test(
    "The power falls by 30 dB for every tenfold of distance, from 30 cm on",
    arguments: [(10, -80.2), (1, -50.2), (0.5, -41.169), (0.3, -34.514), (0.1, -34.514), (0, -34.514)]
      as [(Float, Float)])
  func power(metres: Float, expected: Float) {
    #expect(abs(AirModel().power(atDistance: metres) - expected) < 0.001)
  }
}

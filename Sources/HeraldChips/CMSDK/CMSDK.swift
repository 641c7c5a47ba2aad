/// Peripherals of Arm's Cortex-M System Design Kit, which the MPS2 boards have (Cortex-M System Design Kit
/// Technical Reference Manual, chapter 4).
public enum CMSDK {}

import CSystem
import Glibc

/// Keeps the memory of this process out of files.
package enum CoreDumps {
  /// From now on this process leaves no core dump, and no other process of the same user can read its memory.
  /// Programs call it before they read a key: a dump would have it. The size limit alone is not enough, since
  /// a collector that the kernel starts (`core_pattern`) does not obey it.
  package static func prevent() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = herald_forbid_core_dumps()
    // Swift's own crash report has registers, and the memory that they point at.
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
  }
}

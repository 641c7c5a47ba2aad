import HeraldEmbedded

/// Group 2: the device's counters, as MCUmgr's statistics group tells them.
enum StatisticsManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, StatisticsCommand.list) { return list(in: &buffer, of: Device.self) }
    if request.asks(.read, StatisticsCommand.read) { return read(request, in: &buffer, device: &device) }
    return .failure(SMPFailure(.unsupported))
  }

  /// `{}` → `{"stat_list": [name, …]}`
  private static func list<Device: ManagedDevice & ~Copyable>(
    in buffer: inout MutableSpan<UInt8>, of device: Device.Type
  ) -> SMPOutcome {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    let count = Device.statisticsGroupCount
    writer.map(1)
    writer.text(SMPKey.statisticsList)
    writer.array(count)
    var group = 0
    while group < count {
      writer.text(Device.statisticsGroupName(group))
      group &+= 1
    }
    return writer.outcome
  }

  /// `{"name": group}` → `{"name": group, "fields": {name: value, …}}`
  private static func read<Device: ManagedDevice & ~Copyable>(
    _ request: SMPRequest, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    let group: Int
    switch Self.group(buffer.span.extracting(SMPHeader.size..<request.end), of: Device.self) {
    case .success(let found): group = found
    case .failure(let failure): return .failure(failure)
    }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    let count = Device.statisticsCount(group: group)
    writer.map(2)
    writer.text(SMPKey.name)
    writer.text(Device.statisticsGroupName(group))
    writer.text(SMPKey.fields)
    writer.map(count)
    var index = 0
    while index < count {
      writer.text(Device.statisticName(group: group, index))
      writer.unsigned(device.statistic(group: group, index))
      index &+= 1
    }
    return writer.outcome
  }

  /// The group whose name the request gives.
  private static func group<Device: ManagedDevice & ~Copyable>(
    _ body: Span<UInt8>, of device: Device.Type
  ) -> SMPOutcome {
    var reader = CBORReader(body)
    guard var entries = reader.map() else { return .failure(SMPFailure(.invalid)) }
    var found = -1
    var isNamed = false
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return .failure(SMPFailure(.invalid)) }
      guard key.equals(SMPKey.name) else {
        guard reader.skip() else { return .failure(SMPFailure(.invalid)) }
        continue
      }
      guard let name = reader.text() else { return .failure(SMPFailure(.invalid)) }
      isNamed = true
      found = -1
      var group = 0
      while group < Device.statisticsGroupCount {
        if name.equals(Device.statisticsGroupName(group)) { found = group }
        group &+= 1
      }
    }
    guard isNamed else { return .failure(SMPFailure(.invalid)) }
    return found >= 0 ? .success(found) : .failure(.noSuchStatistics)
  }
}

extension CBORWriter {
  /// The end of what was written, or that it did not fit.
  var outcome: SMPOutcome { overflowed ? .failure(SMPFailure(.tooLong)) : .success(count) }
}

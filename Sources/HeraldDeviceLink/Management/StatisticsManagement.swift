/// Group 2: the device's counters, as MCUmgr's statistics group has them.
enum StatisticsManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, StatisticsCommand.list) {
      list(&request, of: Device.self)
      return .answered
    }
    guard request.asks(.read, StatisticsCommand.read) else { return .failure(.unsupported) }
    guard request.read(needed: SMPKeys(.name)) else { return .failure(.invalid) }
    let count = Device.statisticsGroupCount
    var group = 0
    while group < count, !request.span(request.said.text).equals(Device.statisticsGroupName(group)) {
      group &+= 1
    }
    guard group < count else { return .failure(.noSuchStatistics) }
    read(group, &request, device: &device)
    return .answered
  }

  /// `{}` → `{"stat_list": [name, …]}`
  private static func list<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, of device: Device.Type
  ) {
    let count = Device.statisticsGroupCount
    request.answer.map(of: .statisticsList)
    request.answer.array(count)
    var group = 0
    while group < count {
      request.answer.text(Device.statisticsGroupName(group))
      group &+= 1
    }
  }

  /// `{"name": group}` → `{"name": group, "fields": {name: value, …}}`
  private static func read<Device: ManagedDevice & ~Copyable>(
    _ group: Int, _ request: inout SMPRequest, device: inout Device
  ) {
    let count = Device.statisticsCount(group: group)
    request.answer.map(2)
    request.answer.key(.name)
    request.answer.text(Device.statisticsGroupName(group))
    request.answer.key(.fields)
    request.answer.map(count)
    var index = 0
    while index < count {
      request.answer.text(Device.statisticName(group: group, index))
      request.answer.unsigned(device.statistic(group: group, index))
      index &+= 1
    }
  }
}

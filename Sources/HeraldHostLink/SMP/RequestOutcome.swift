extension SMPClient {
  /// Sends a request and waits for its result, including a refusal with its code. No other request may be
  /// outstanding.
  func outcome(of request: ManagementRequest) throws(HostLinkError) -> Result<CBORValue, ManagementFailure> {
    let ticket = try submit(request)
    while let (answered, result) = try next() {
      if answered == ticket { return result }
    }
    return .failure(.noAnswer(attempts: 1))
  }
}

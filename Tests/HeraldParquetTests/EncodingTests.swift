import Testing

@testable import HeraldParquet

@Suite struct EncodingTests {}

// HeraldHCI

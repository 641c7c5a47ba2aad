// HeraldDeviceLink

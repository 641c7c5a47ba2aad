// HeraldHostLink

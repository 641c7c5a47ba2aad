// HeraldLinux

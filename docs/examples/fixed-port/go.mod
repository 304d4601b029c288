module fixed-port

go 1.22

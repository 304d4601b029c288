module known-latency

go 1.26

module example.invalid/hello

go 1.24

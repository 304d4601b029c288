module container-build

go 1.22

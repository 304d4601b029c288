module github.com/tailgate/tailgate/services/upstream

go 1.26.0

require go zip
trust=SSL_CERT_FILE

publish() {
  proxy=$www/proxy.golang.org/example.org/library/@v
  mkdir -p "$proxy" "$area/source/example.org/library@v1.0.0"
  (
    cd "$area/source/example.org/library@v1.0.0"
    printf 'module example.org/library\n\ngo 1.17\n' | tee go.mod >"$proxy/v1.0.0.mod"
    printf 'package library\n\nfunc Add(x int) int { return x + 1 }\n' >library.go
    cd "$area/source" && zip -qrD "$proxy/v1.0.0.zip" example.org
  )
  echo v1.0.0 >"$proxy/list"
  echo '{"Version": "v1.0.0", "Time": "2024-01-01T00:00:00Z"}' >"$proxy/v1.0.0.info"
}

prepare() {
  printf 'module example.org/project\n\ngo 1.17\n\nrequire example.org/library v1.0.0\n' >"$project/go.mod"
  printf 'package project\n\nimport "example.org/library"\n\nfunc Twice(x int) int { return library.Add(library.Add(x)) }\n' >"$project/project.go"
  printf 'package project\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(40) != 42 {\n\t\tt.Fail()\n\t}\n}\n' >"$project/project_test.go"
}

# The sums of this registry are in no log that is signed.
fetch='export GONOSUMDB=example.org; go mod tidy && go vet ./... && go test ./...'
again='export GONOSUMDB=example.org GOPROXY=off; go clean -testcache && go test ./...'

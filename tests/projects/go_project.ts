import type { Project } from "./project.ts";

// Before 1.20, Go brought its own library compiled for the default flags. A later one compiles it, which takes most of the
// time: no part in C then, nothing inlined, not what a debugger needs.
const BUILD = `export GOGC=off
ls "$(go env GOROOT)"/pkg/*_*/os.a > /dev/null 2>&1 || export CGO_ENABLED=0 GOFLAGS="-gcflags=all=-l -ldflags=-w"
`;

/** A module with a dependency, generated code, tests with servers on localhost and a Unix socket, an installed program. */
export const GO_PROJECT: Project = {
  name: "go",
  programs: ["go"],
  files: {
    "go.mod": "module example.invalid/greet\n\ngo 1.19\n\nrequire github.com/pkg/errors v0.9.1\n",
    "go.sum": "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=\n" +
      "github.com/pkg/errors v0.9.1/go.mod h1:bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0=\n",
    "greeting/greeting.go": `package greeting

//go:generate go run ../internal/generate
import "github.com/pkg/errors"

func For(name string) (string, error) {
	if name == "" {
		return "", errors.New("no name")
	}
	return Word + " " + name, nil
}
`,
    "internal/generate/main.go": `package main

import "os"

func main() {
	spare, err := os.CreateTemp("/tmp", "word")
	if err != nil {
		panic(err)
	}
	defer os.Remove(spare.Name())
	if err := os.WriteFile("word.go", []byte("package greeting\\n\\nconst Word = \\"hello\\"\\n"), 0o644); err != nil {
		panic(err)
	}
}
`,
    "greeting/greeting_test.go": `package greeting

import (
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"testing"
)

func answers(t *testing.T, network, address string) {
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			text, _ := For("client")
			io.WriteString(connection, text)
			connection.Close()
		}
	}()
	connection, err := net.Dial(network, listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(connection); err != nil || string(text) != "hello client" {
		t.Fatal(string(text), err)
	}
}

func TestLocalhost(t *testing.T)  { answers(t, "tcp", "localhost:0") }
func TestUnixSocket(t *testing.T) { answers(t, "unix", filepath.Join(t.TempDir(), "socket")) }

func TestChild(t *testing.T) {
	if text, err := exec.Command("echo", "child").Output(); err != nil || string(text) != "child\\n" {
		t.Fatal(string(text), err)
	}
}
`,
    "cmd/hail/main.go": `package main

import "example.invalid/greet/greeting"

func main() {
	text, _ := greeting.For("world")
	println(text)
}
`,
  },
  cold: `${BUILD}go generate ./... && go test -vet=off ./... && go install ./cmd/hail && hail`,
  warm: `${BUILD}go generate ./... && go run ./cmd/hail`,
  expected: /^ok\s+example\.invalid\/greet\/greeting[^]*^hello world$/m,
  expectedWarm: /^hello world$/m,
};

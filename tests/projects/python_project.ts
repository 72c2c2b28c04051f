import type { Project } from "./project.ts";

const INCLUDES = "python3 -c \"import sysconfig; print(sysconfig.get_path('include'))\"";

/**
 * A package with an extension in C and a program, in an environment of its own, built by what pip fetches for that; its tests
 * start processes and servers.
 */
export const PYTHON_PROJECT: Project = {
  name: "python",
  programs: ["python3", "pip3", "gcc"],
  files: {
    "pyproject.toml": `[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"

[project]
name = "fast"
version = "1.0"
description = "Answers"
dependencies = ["iniconfig"]

[project.scripts]
fast-answer = "fast:say"
`,
    "src/fast/__init__.py": `from fast._fast import answer


def say():
    print("fast", answer())
`,
    "src/fast/_fast.c": `#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, 0}, {0}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", 0, -1, methods};
PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&module); }
`,
    "test_fast.py": `import asyncio
import multiprocessing
import os
import pty
import tempfile
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from fast import answer


class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()


class Fast(unittest.TestCase):
    def test_pool(self):
        for method in ["fork", "spawn", "forkserver"]:
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(abs, [-1, -2]), [1, 2], method)

    def test_manager(self):
        with multiprocessing.Manager() as manager:
            self.assertEqual(list(manager.list([answer()])), [42])

    def test_unix_server(self):
        async def talk(path):
            async def serve(reader, writer):
                writer.write(b"hello")
                writer.close()

            async with await asyncio.start_unix_server(serve, path):
                reader, writer = await asyncio.open_unix_connection(path)
                text = await reader.read()
                writer.close()
                return text

        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(asyncio.run(talk(directory + "/socket")), b"hello")

    def test_localhost(self):
        with HTTPServer(("localhost", 0), Hello) as server:
            threading.Thread(target=server.handle_request).start()
            self.assertEqual(urllib.request.urlopen(f"http://localhost:{server.server_port}").status, 204)

    def test_terminal(self):
        child, master = pty.fork()
        if child == 0:
            os.write(1, b"tty" if os.isatty(1) else b"no")
            os._exit(0)
        self.assertEqual(os.read(master, 3), b"tty")
        os.waitpid(child, 0)

    def test_temporary_files(self):
        with tempfile.NamedTemporaryFile(dir="/tmp") as file, tempfile.TemporaryDirectory() as directory:
            self.assertTrue(os.path.exists(file.name) and os.path.isdir(directory))
`,
  },
  cold: `gcc -shared -fPIC -I"$(${INCLUDES})" -o src/fast/_fast.so src/fast/_fast.c && ` +
    // With pip of the machine, which starts itself a second time for an environment without one.
    "python3 -m venv --without-pip --system-site-packages .venv && .venv/bin/python -mpip install -qI --no-compile . && " +
    ".venv/bin/python -m unittest && .venv/bin/fast-answer",
  expected: /^Ran 6 tests in [^]*^OK$[^]*^fast 42$/m,
};

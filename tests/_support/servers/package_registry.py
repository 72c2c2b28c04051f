"""Writes one package as each registry serves it: `package_registry.py DIRECTORY URL`."""
import base64, hashlib, io, json, os, sys, tarfile, zipfile

root, url = sys.argv[1:]


def write(path, data):
    path = f"{root}/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def tarred(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


package = {"name": "fetched", "version": "1.0.0", "main": "index.js"}
npm = tarred({"package/package.json": json.dumps(package), "package/index.js": "module.exports = 'from npm'"})
dist = {
    "tarball": f"{url}/npm/fetched-1.0.0.tgz",
    "integrity": "sha512-" + base64.b64encode(hashlib.sha512(npm).digest()).decode(),
}
write("npm/fetched-1.0.0.tgz", npm)
write("npm/fetched", json.dumps({
    "name": "fetched", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {**package, "dist": dist}},
}))

wheel = "fetched-1.0.0-py3-none-any.whl"
write(f"pypi/{wheel}", zipped({
    "fetched.py": "TEXT = 'from pip'\n",
    "fetched-1.0.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: fetched\nVersion: 1.0.0\n",
    "fetched-1.0.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "fetched-1.0.0.dist-info/RECORD": "",
}))
write("pypi/fetched/index.html", f'<!DOCTYPE html><html><body><a href="{url}/pypi/{wheel}">{wheel}</a></body></html>')

manifest = '[package]\nname = "fetched"\nversion = "1.0.0"\nedition = "2021"\n'
crate = tarred({
    "fetched-1.0.0/Cargo.toml": manifest,
    "fetched-1.0.0/src/lib.rs": 'pub fn text() -> &\'static str { "from cargo" }\n',
})
write("cargo/config.json", json.dumps({"dl": f"{url}/cargo/dl/{{crate}}-{{version}}.crate"}))
write("cargo/dl/fetched-1.0.0.crate", crate)
write("cargo/fe/tc/fetched", json.dumps({
    "name": "fetched", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
    "cksum": hashlib.sha256(crate).hexdigest(),
}))

module = "module example.org/fetched\n\ngo 1.18\n"
go = "go/example.org/fetched/@v"
write(f"{go}/list", "v1.0.0\n")
write(f"{go}/v1.0.0.info", json.dumps({"Version": "v1.0.0"}))
write(f"{go}/v1.0.0.mod", module)
write(f"{go}/v1.0.0.zip", zipped({
    "example.org/fetched@v1.0.0/go.mod": module,
    "example.org/fetched@v1.0.0/fetched.go": 'package fetched\n\nconst Text = "from go"\n',
}))

maven = "maven/org/example/fetched"
pom = "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>fetched</artifactId>" \
    "<version>1.0.0</version></project>"
write(f"{maven}/1.0.0/fetched-1.0.0.pom", pom)
write(f"{maven}/1.0.0/fetched-1.0.0.jar", zipped({"fetched.txt": "from maven"}))

import type { Project } from "./project.ts";

/** A workspace: a program with a build script, a local library with a published dependency, a macro that runs in the compiler. */
export const CARGO_PROJECT: Project = {
  name: "cargo",
  programs: ["cargo", "rustc"],
  realHome: true,
  unfit: withoutSparseIndex,
  files: {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["app", "greeting", "derive"]\n' +
      '[profile.dev]\ndebug = 0\nstrip = "debuginfo"\n',
    "app/Cargo.toml":
      '[package]\nname = "greet"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\ngreeting = { path = "../greeting" }\n' +
      'derive = { path = "../derive" }\n',
    "app/build.rs": `use std::{env, fs, path::Path, process::Command};
fn main() {
    let spare = env::temp_dir().join(format!("word{}", std::process::id()));
    fs::write(&spare, "pub const WORD: &str = \\"hello\\";").unwrap();
    let made = Path::new(&env::var("OUT_DIR").unwrap()).join("word.rs");
    fs::copy(&spare, made).unwrap();
    fs::remove_file(spare).unwrap();
    assert!(Command::new(env::var("RUSTC").unwrap()).arg("-V").status().unwrap().success());
    println!("cargo:rerun-if-changed=build.rs");
}
`,
    "app/src/main.rs": `include!(concat!(env!("OUT_DIR"), "/word.rs"));
fn main() {
    println!("{}", greeting::greet(WORD, derive::answer!()));
}
#[test]
fn a_server_on_localhost_answers() {
    use std::{io::{Read, Write}, net::{TcpListener, TcpStream}, os::unix::net::UnixListener};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || listener.accept().unwrap().0.write_all(WORD.as_bytes()).unwrap());
    let mut text = String::new();
    TcpStream::connect(address).unwrap().read_to_string(&mut text).unwrap();
    serving.join().unwrap();
    assert_eq!(text, "hello");
    let socket = std::env::temp_dir().join(format!("socket{}", std::process::id()));
    UnixListener::bind(&socket).unwrap();
    std::fs::remove_file(socket).unwrap();
}
`,
    "greeting/Cargo.toml":
      '[package]\nname = "greeting"\nversion = "1.0.0"\nedition = "2021"\n[lib]\ntest = false\ndoctest = false\n[dependencies]\nitoa = "=1.0.15"\n',
    "greeting/src/lib.rs": `pub fn greet(word: &str, number: u8) -> String {
    format!("{word} {}", itoa::Buffer::new().format(number))
}
`,
    "derive/Cargo.toml":
      '[package]\nname = "derive"\nversion = "1.0.0"\nedition = "2021"\n[lib]\nproc-macro = true\ntest = false\ndoctest = false\n',
    "derive/src/lib.rs": `#[proc_macro]
pub fn answer(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    "42".parse().unwrap()
}
`,
  },
  // With the profile of the tests, so that only the program itself is compiled again.
  cold: "cargo fetch -q && cargo test -q --workspace && cargo install -q --offline --debug --path app && greet",
  expected: /1 passed[^]*^hello 42$/m,
  warm: "cargo fetch -q --offline && greet && ls Cargo.lock",
  expectedWarm: /^hello 42\nCargo.lock$/m,
};

/** cargo 1.68 is the first that reads the index from the registry itself. */
function withoutSparseIndex(): string | undefined {
  const { stdout } = new Deno.Command("cargo", { args: ["--version"] }).outputSync();
  const [, version, minor] = /^cargo (1\.(\d+))/.exec(new TextDecoder().decode(stdout)) ?? [];
  if (minor === undefined || Number(minor) >= 68) return undefined;
  return `cargo ${version} reads its index from github.com, which is not a package registry`;
}

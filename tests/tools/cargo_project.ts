/** The printf of a manifest, without its name. */
export const MANIFEST = `printf '[package]\\nname = "%s"\\nversion = "0.1.0"\\nedition = "2021"\\n'`;
const LIBRARY =
  `printf '#![no_std]\\n\\n/// Adds.\\npub fn add(a: i32, b: i32) -> i32 {\\n    a + b\\n}\\n\\n#[cfg(test)]\\nmod tests {\\n    #[test]\\n    fn adds() {\\n        assert_eq!(super::add(40, 2), 42);\\n    }\\n}\\n'`;
const PROGRAM =
  `printf 'fn main() {\\n    let words: Vec<String> = std::env::args().skip(1).collect();\\n    println!("answer {} {}", work::add(40, 2), words.join("|"));\\n}\\n'`;

/** A package with a library, a program and a test, that depends on nothing. */
export const CARGO_PROJECT =
  `mkdir -p src && ${MANIFEST} work > Cargo.toml && ${LIBRARY} > src/lib.rs && ${PROGRAM} > src/main.rs`;

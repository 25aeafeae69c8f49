//! Tells the crate how far it is optimised: counts of instructions are compared between equal builds only.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").expect("cargo sets OPT_LEVEL for build scripts");
    println!("cargo::rustc-env=OPT_LEVEL={level}");
}

//! Run a target on files: `cargo run -p untied-fuzz --example replay -- TARGET FILE...`.

fn main() {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().expect("the name of a target");
    for path in arguments {
        let data = std::fs::read(&path).expect("a file that can be read");
        println!("{path}: b\"{}\"", data.escape_ascii());
        untied_fuzz::run(&target, &data);
    }
}

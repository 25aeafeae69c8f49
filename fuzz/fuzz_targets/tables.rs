#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| untied_fuzz::run("tables", data));

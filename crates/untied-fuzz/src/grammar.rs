//! Names of measures: a printed name is read again as the same measure.

use untied_core::error::Result;
use untied_core::measures::Scope;
use untied_core::names::Spec;
use untied_core::registry::{self, parse, parse_all, parse_open};
use untied_core::{Error, compare};

/// Any text.
pub fn names(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let one = checked(parse(&text));
    let open = checked(parse_open(&text));
    let all = checked(parse_all(&text));
    if let Some(spec) = &one {
        assert_eq!(open.as_ref(), Some(spec));
        assert_eq!(all.as_deref(), Some(std::slice::from_ref(spec)));
    }
    for spec in all.iter().flatten() {
        round_trip(spec, parse);
        let alone = compare::parse(&spec.to_string());
        assert_eq!(registry::compares(spec.info), checked(alone).is_some());
        if !registry::compares(spec.info) {
            // Grades may be refused; a panic would be wrong.
            for grades in [&[][..], &[1.0, 0.0], &[3.0, 2.0, 1.0, 0.0, -1.0], &[0.5]] {
                let _ = checked(registry::build(spec, &Scope { depth: 20, grades }).map(|_| ()));
            }
        }
    }
    if let Some(spec) = &open {
        round_trip(spec, parse_open);
        if let Some(of) = spec.inner() {
            round_trip(of, parse);
        }
    }
}

fn round_trip(spec: &Spec, parse: fn(&str) -> Result<Spec>) {
    let printed = spec.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{printed} is printed and not read: {error}"));
    assert_eq!(&again, spec, "{printed}");
    assert_eq!(again.to_string(), printed);
}

/// The value; errors are looked at.
fn checked<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error @ (Error::Measure(_) | Error::Value(_))) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
            None
        }
        Err(error) => panic!("another error than of measures: {error}"),
    }
}

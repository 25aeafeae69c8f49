//! How ranx writes names of measures; `ir_measures` differs in parameters only.

/// A name of ranx in our grammar, where the two differ; its form is `name`, `name@k`, `rbp.95`, each with `-l2` for
/// the lowest relevant grade. `rbp@95`, which ranx takes for `rbp.95`, stays a cutoff.
pub(super) fn ranx(text: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, level) = match text.rsplit_once("-l") {
        Some((rest, level)) if is_number(level) => (rest, Some(level)),
        _ => (text, None),
    };
    let (stem, cutoff) = match rest.split_once('@') {
        Some((stem, cutoff)) if is_number(cutoff) => (stem, Some(cutoff)),
        None => (rest, None),
        _ => return None,
    };
    let persistence = stem.strip_prefix("rbp.").filter(|digits| is_number(digits));
    let (name, parameter) = match (stem, cutoff) {
        ("dcg_burges", _) => ("DCG", Some("gain='exp2'".to_owned())),
        ("ndcg_burges", _) => ("nDCG", Some("gain='exp2'".to_owned())),
        ("precision", None) => ("SetP", None),
        ("recall", None) => ("SetR", None),
        ("f1", None) => ("SetF", None),
        _ => match persistence {
            Some(digits) => ("RBP", Some(format!("p=0.{digits}"))),
            None if level.is_some() => (stem, None),
            None => return None,
        },
    };
    let level = level.map(|level| format!("rel={level}"));
    let parameters: Vec<String> = parameter.into_iter().chain(level).collect();
    let parameters = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
    let cutoff = cutoff.map(|cutoff| format!("@{cutoff}")).unwrap_or_default();
    Some(format!("{name}{parameters}{cutoff}"))
}

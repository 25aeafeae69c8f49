//! The gains of grades and the discounts of ranks (G and D in measures such as nDCG).

use crate::elementary::{exp2, ln, log2};
use crate::error::{Error, Result};
use crate::names::{Parameter, Spec, Value, is_in_range};

pub(super) const GAIN: Parameter = Parameter {
    name: "gain",
    default: "'linear'",
    help: "gain of a grade g: 'linear' (g), 'exp2' (2^g - 1), or a table {1: 1, 2: 3, ...}; 0 for g < 0",
};
pub(crate) const DISCOUNT: Parameter = Parameter {
    name: "discount",
    default: "'log2'",
    help: "discount of rank i: 'log2' (1 / log2(1+i)), 'log(b)' (1 for i < b, then 1 / log_b i), 'inverse' (1/i), or a \
           list (0 beyond its end)",
};
pub(super) const LEAST: Parameter = Parameter { name: "rel", default: "0", help: "grades below this gain nothing" };

/// The gain of a grade, G.
#[derive(Clone)]
pub(crate) enum Gain {
    Linear,
    Exp2,
    Table(Vec<(f64, f64)>),
    /// 1 for this grade and higher ones, else 0.
    From(f64),
    /// The grade divided by this one.
    ShareOf(f64),
    /// (2^grade - 1) / 2^m with this m, the probability of stopping in ERR.
    Stop(f64),
    /// The distance of the grade from the first of these, at most that of the second; 0 below the first.
    Within(f64, f64),
    /// Another gain, but 0 below this grade.
    AtLeast(f64, Box<Gain>),
}

impl Gain {
    pub(crate) fn new(spec: &Spec, grades: &[f64]) -> Result<Gain> {
        let gain = match spec.number(LEAST.name, 0.0, "a number of at least 0", |least| least >= 0.0)? {
            0.0 => Gain::parse(spec, grades)?,
            least => Gain::AtLeast(least, Box::new(Gain::parse(spec, grades)?)),
        };
        match grades.iter().map(|&grade| (grade, gain.of(grade))).find(|&(_, gain)| !is_in_range(gain)) {
            Some((grade, of_grade)) => Err(out_of_range(spec, grade, of_grade)),
            None => Ok(gain),
        }
    }

    fn parse(spec: &Spec, grades: &[f64]) -> Result<Gain> {
        match spec.parameter("gain") {
            None => Ok(Gain::Linear),
            Some(Value::Text(name)) if name == "exp2" => Ok(Gain::Exp2),
            Some(Value::Table(table)) => {
                let missing = grades.iter().find(|&&grade| grade > 0.0 && !table.iter().any(|&(g, _)| g == grade));
                if let Some((grade, _)) = table.iter().find(|&&(grade, gain)| grade < 0.0 && gain != 0.0) {
                    return Err(Error::Measure(format!(
                        "{spec}: only grades of at least 0 can have a gain, found a gain for {grade}"
                    )));
                }
                match missing {
                    Some(grade) => Err(Error::Value(format!("{spec}: the table has no gain for grade {grade}"))),
                    None => Ok(Gain::Table(table.clone())),
                }
            }
            Some(other) => Err(Error::Measure(format!(
                "{spec}: gain must be 'linear', 'exp2' or a table such as {{1: 1, 2: 3}}, not {other}"
            ))),
        }
    }

    #[inline]
    pub(crate) fn of(&self, grade: f64) -> f64 {
        match self {
            _ if grade < 0.0 => 0.0,
            Gain::Linear => grade,
            _ => self.not_linear(grade),
        }
    }

    /// The gain of a grade of at least 0, for gains that differ from the grade. Kept apart, because most gains are linear.
    fn not_linear(&self, grade: f64) -> f64 {
        match self {
            Gain::Linear => grade,
            Gain::Exp2 => exp2(grade) - 1.0,
            Gain::From(least) => f64::from(u8::from(grade >= *least)),
            Gain::Within(least, most) => grade.clamp(*least, *most) - least,
            Gain::ShareOf(most) => grade / most,
            Gain::Stop(most) => (exp2(grade) - 1.0) / exp2(*most),
            Gain::AtLeast(least, gain) => {
                if grade >= *least {
                    gain.of(grade)
                } else {
                    0.0
                }
            }
            Gain::Table(table) => table.iter().find(|&&(g, _)| g == grade).map_or(0.0, |&(_, gain)| gain),
        }
    }
}

/// The error for a gain that is not [in range](is_in_range).
pub(crate) fn out_of_range(spec: &Spec, grade: f64, gain: f64) -> Error {
    let size = if gain.abs() > 1.0 { "large" } else { "small" };
    let grade = format!("{grade:?}"); // with an exponent where that is short
    Error::Value(format!("{spec}: the gain of grade {} is too {size}: {gain:e}", grade.trim_end_matches(".0")))
}

/// Computes the sum of squared deviations from the mean, of values with counts. It is exactly 0 if all values are
/// equal.
pub(super) fn squared_deviations(values: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let base = values.clone().next().map_or(0.0, |(value, _)| value);
    let (n, shift) =
        values.clone().fold((0.0, 0.0), |(n, sum), (value, count)| (n + count, sum + count * (value - base)));
    let mean = base + shift / n;
    values.map(|(value, count)| count * (value - mean).powi(2)).sum()
}

/// D(1) .. D(depth).
pub(crate) fn discounts(spec: &Spec, depth: usize) -> Result<Vec<f64>> {
    let at = |d: &dyn Fn(f64) -> f64| (1..=depth).map(|i| d(i as f64)).collect();
    match spec.parameter("discount") {
        None => Ok(logarithmic(depth)),
        Some(Value::Text(name)) if name == "log2" => Ok(logarithmic(depth)), // not the default of every measure
        Some(Value::List(list)) => Ok(list.iter().copied().take(depth).collect()),
        Some(Value::Text(name)) if name == "inverse" => Ok(at(&|i| 1.0 / i)),
        Some(other) => {
            let base = match other {
                Value::Text(name) => name.strip_prefix("log(").and_then(|rest| rest.strip_suffix(')')),
                _ => None,
            };
            match base.and_then(|base| base.parse::<f64>().ok()).filter(|&base| base > 1.0 && base.is_finite()) {
                Some(base) => Ok(at(&|i| if i < base { 1.0 } else { ln(base) / ln(i) })),
                None => Err(Error::Measure(format!(
                    "{spec}: discount must be 'log2', 'log(b)' with b > 1, 'inverse' or a list, not {other}"
                ))),
            }
        }
    }
}

/// 1 / log2(1+i) for the ranks i to `depth`.
pub(crate) fn logarithmic(depth: usize) -> Vec<f64> {
    (1..=depth).map(|i| 1.0 / log2(i as f64 + 1.0)).collect()
}

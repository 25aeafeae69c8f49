//! Grades and their numbers of documents.

/// A grade and its number of documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The grade; negative: pooled but not judged.
    pub grade: f64,
    /// Number of documents.
    pub count: u32,
}

/// Put levels in descending order, and those of one grade together.
pub(crate) fn merge(levels: &mut Vec<Level>) {
    levels.sort_by(|a, b| b.grade.total_cmp(&a.grade));
    levels.dedup_by(|next, last| {
        let same = next.grade == last.grade;
        last.count += if same { next.count } else { 0 };
        same
    });
}

/// Number of documents with at least this grade; levels descend.
#[inline]
pub fn count_from(levels: &[Level], grade: f64) -> usize {
    if let [level] = levels {
        return if level.grade >= grade { level.count as usize } else { 0 }; // most groups
    }
    levels_from(levels, grade).iter().map(|level| level.count as usize).sum()
}

/// Those with at least this grade; levels descend.
#[inline]
pub fn levels_from(levels: &[Level], grade: f64) -> &[Level] {
    let end = levels.iter().position(|level| level.grade < grade);
    &levels[..end.unwrap_or(levels.len())]
}

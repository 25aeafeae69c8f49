//! The solvers of MED against enumeration, and their searches on pairs made to be hard, bounded in nodes.

mod average_precision;
mod enumerate;
mod err;
mod families;
mod tied;

use untied_core::med::solve::{self, Document, Instance, quadratic as ap};

/// No depth, no documents, and one workspace for instances of all sizes.
#[test]
fn nothing_to_compare_differs_by_nothing() {
    let (mut of_ap, mut of_err) = (ap::Workspace::default(), solve::cascade::Workspace::default());
    let document = Document { a: 1, b: 1, known: None };
    for (depth, documents) in [(3, vec![document]), (0, vec![]), (1, vec![document]), (0, vec![])] {
        let lengths = (documents.len(), documents.len());
        let instance = Instance { depth, lengths, documents, top: 0.5 };
        let solutions = [
            ap::solve(&instance, 10, &mut of_ap),
            ap::solve_ratio(&instance, 0, 10, &mut of_ap),
            ap::solve_limited(&instance, 0, 0, 10, &mut of_ap),
            solve::cascade::solve(&instance, false, 10, &mut of_err),
        ];
        let unfilled = depth == lengths.0;
        assert!(solutions.iter().all(|x| x.bound == x.value && (x.value == 0.0 || !unfilled)), "{solutions:?}");
        assert_eq!(solutions[2].value, 0.0);
    }
}

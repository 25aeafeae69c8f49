//! The solvers of MED against enumeration, and their searches on pairs made to be hard, bounded in nodes.

mod average_precision;
mod enumerate;
mod err;
mod families;

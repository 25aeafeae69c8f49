//! What is suspicious about a run and qrels.

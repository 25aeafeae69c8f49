"""Cases with exact answers for evaluators of rankings, and a runner that says what each evaluator does with them."""

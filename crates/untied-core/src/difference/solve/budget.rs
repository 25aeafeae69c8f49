//! The work that a search may do.

use crate::watch;

/// The work that a search may still do, in steps of about a nanosecond. Steps are counted and not timed, so results do
/// not depend on the machine.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    left: u64,
}

impl Budget {
    /// A budget of this many steps.
    pub fn new(steps: u64) -> Budget {
        Budget { left: steps }
    }

    /// Takes steps from the budget. If too few are left, or the user has interrupted, it empties the budget and returns
    /// false.
    pub fn take(&mut self, steps: usize) -> bool {
        let may = steps as u64 <= self.left && !watch::is_stopped();
        self.left = if may { self.left - steps as u64 } else { 0 };
        may
    }

    /// The number of steps that are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes the share `share` / `of_shares` out of the budget, for another search.
    pub fn split(&mut self, share: u64, of_shares: u64) -> Budget {
        let steps = (u128::from(self.left) * u128::from(share) / u128::from(of_shares.max(share).max(1))) as u64;
        self.left -= steps;
        Budget { left: steps }
    }

    /// Takes back the steps that another search did not need.
    pub fn give_back(&mut self, rest: Budget) {
        self.left += rest.left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_away_comes_back() {
        let mut work = Budget::new(100);
        let mut part = work.split(1, 4);
        assert_eq!((work.left(), part.left()), (75, 25));
        assert!(part.take(20));
        work.give_back(part);
        assert_eq!(work.left(), 80);
        assert!(!work.take(81));
        assert_eq!(work.left(), 0);
    }

    #[test]
    fn nothing_is_left_after_an_interrupt() {
        let taken = std::thread::spawn(|| {
            let watch = std::sync::Arc::new(watch::Watch::default());
            watch.stop();
            watch.attend();
            let mut work = Budget::new(u64::MAX);
            (work.take(1), work.left())
        });
        assert_eq!(taken.join().expect("an end"), (false, 0));
    }
}

"""Other packages' interfaces, with untied behind them: each module stands for the package of its name."""

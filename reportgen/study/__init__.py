"""From the manifest's names to the objects behind them."""

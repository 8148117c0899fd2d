"""Engines that are ill-treated for long: what they must withstand, and what was measured while they did."""

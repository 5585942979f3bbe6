"""Tests of the scan for JavaScript that Quire does not run."""

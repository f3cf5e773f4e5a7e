"""An instructor's term: release, collect, feed back, report, export, forget."""

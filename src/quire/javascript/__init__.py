"""Plain data in JavaScript and TypeScript files, read without running anything."""

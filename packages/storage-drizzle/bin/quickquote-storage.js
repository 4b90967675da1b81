#!/usr/bin/env node
// Here, and not built, so that it is there when a package manager links it.
import '../dist/cli.js'

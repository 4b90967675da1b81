#!/usr/bin/env node
// Here, and not built, so that it is there when a package manager links it.
import { main } from '#cli'

process.exitCode = await main(process.argv.slice(2), process)

#!/usr/bin/env node
import '../dist/program/cli.js'

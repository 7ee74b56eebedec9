#!/usr/bin/env node
// A compiler that answers as solc does: Foundry would download one.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) console.log(`solc\nVersion: ${solc.version()}`)
else process.stdout.write(solc.compile(readFileSync(0, 'utf8')))

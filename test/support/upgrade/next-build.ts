/** Writes a program `almanac` into a folder: the build that has the upgrade v2. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'

const [folder] = process.argv.slice(2)
const path = await bundle('documents')
mkdirSync(folder!, { recursive: true })
writeFileSync(join(folder!, 'almanac'), `#!/bin/sh\nTEST_BUILD=v2 exec ${process.execPath} ${path} "$@"\n`, {
  mode: 0o755,
})

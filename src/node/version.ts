/** The version of this build, as `package.json` says it. */
import { createRequire } from 'node:module'

export const VERSION: string = (createRequire(import.meta.url)('almanac/package.json') as { version: string }).version

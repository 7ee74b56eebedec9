/** The version of this build, from `package.json`. */
import { createRequire } from 'node:module'

export const VERSION: string = (createRequire(import.meta.url)('almanac/package.json') as { version: string }).version

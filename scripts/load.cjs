/**
 * Loads the bundle, copied to `dist/` beside it. V8 keeps what it compiled of a script in `code.cache`; one of another V8
 * or another bundle is refused by V8 itself, and costs a slower start only.
 */
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

const file = join(__dirname, 'code.cjs')

function readCache() {
  try {
    return readFileSync(join(__dirname, 'code.cache'))
  } catch {
    return undefined
  }
}

// The bundle is ASCII.
const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData: readCache() })
const code = { exports: {} }
script.runInThisContext()(code, require, pathToFileURL(file).href)

/** Runs an entry point of the bundle, once. */
exports.load = (entry) => code.exports[entry]()
/** What V8 has compiled by now. */
exports.createCache = () => script.createCachedData()

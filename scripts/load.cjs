/**
 * Loads the bundle; a copy of this file is in `dist/` beside it. `code.cache` contains V8's compiled form of the script. V8 itself
 * rejects a cache from another V8 or another bundle, which only makes the start slower.
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

// The cache keeps the name of the script, which stack traces show: it must not be a path of the machine that built it.
const filename = 'almanac/dist/code.cjs'
// The bundle is ASCII.
const script = new Script(readFileSync(file, 'latin1'), { filename, cachedData: readCache() })
const code = { exports: {} }
script.runInThisContext()(code, require, pathToFileURL(file).href)

/** Runs an entry point of the bundle, once. */
exports.load = (entry) => code.exports[entry]()
/** Returns V8's compiled form of the code that ran so far. */
exports.createCache = () => script.createCachedData()

/**
 * Loads the bundle; a copy of this file is in `dist/` beside it. `code.cache` contains V8's compiled form of the script. V8 itself
 * rejects a cache from another V8 or another bundle, which only makes the start slower. Throws `ERR_NODE_VERSION`
 * if this version of Node.js is older than `engines` of `package.json` allows.
 */
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

// The code of the bundle uses what older versions do not have: they would end with an error that explains nothing.
const needed = require('../package.json').engines.node.match(/\d+/g).map(Number)
const own = process.versions.node.split('.').map(Number)
if (own[0] < needed[0] || (own[0] === needed[0] && own[1] < needed[1])) {
  const text = `almanac needs Node.js ${needed.join('.')} or newer, but this is ${process.versions.node}`
  throw Object.assign(new Error(text), { code: 'ERR_NODE_VERSION' })
}

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

/**
 * Writes to `build/` what bundled packages have besides JavaScript: the wasm of mcl-wasm and of QuickJS, and the binaries of
 * libsecp256k1 with the code that selects one. So an installation of the package runs no script and needs none of the three.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

/** Packages of which `build/` contains parts that no bundler sees. */
export const PARTS_OF = ['mcl-wasm', '@jitl/quickjs-wasmfile-release-sync', 'secp256k1', 'node-gyp-build']

const { resolve } = createRequire(import.meta.url)

/** Returns the wasm that mcl-wasm contains as text in the factory of its module. */
function mclWasm() {
  const [, base64] =
    /wasmBase64\s*=\s*['"]([^'"]+)['"]/.exec(readFileSync(resolve('mcl-wasm/dist/mcl_c.js'), 'utf8')) ?? []
  if (!base64) throw new Error('mcl-wasm packages its program in another way: see ADR 0003')
  return Buffer.from(base64, 'base64')
}

/** Writes the parts into the folder `target`. */
export async function writeParts(target) {
  mkdirSync(join(target, 'evm'), { recursive: true })
  writeFileSync(join(target, 'evm', 'mcl.wasm'), mclWasm())
  copyFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm'), join(target, 'quickjs.wasm'))

  const secp256k1 = join(target, 'secp256k1')
  rmSync(secp256k1, { recursive: true, force: true })
  cpSync(join(dirname(resolve('secp256k1')), 'prebuilds'), join(secp256k1, 'prebuilds'), { recursive: true })
  await build({
    stdin: {
      contents: `const { Secp256k1 } = require('node-gyp-build')(__dirname)
        module.exports = require('secp256k1/lib')(new Secp256k1())`,
      resolveDir: import.meta.dirname,
    },
    outfile: join(secp256k1, 'bindings.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })
}

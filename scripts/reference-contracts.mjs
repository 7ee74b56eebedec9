/**
 * `node scripts/reference-contracts.mjs`: compiles the contract that chains of the reference create for a coin, with the compiler of
 * that chain, which it downloads to a temporary folder. Writes `contracts/reference/CoinErc20.json` (how it is built) and
 * `src/modules/evm/contracts/reference-coin-erc20.ts` (its creation code). With `--check` it writes nothing, and fails if a file
 * would change.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keccak_256 } from '@noble/hashes/sha3.js'
import wrapper from 'solc/wrapper.js'
import { fileOfPackage } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)

const COMPILER = {
  name: 'solc',
  version: '0.8.24',
  integrity: 'sha512-G5yUqjTUPc8Np74sCFwfsevhBPlUifUOfhYrgyu6CmYlC6feSw0YS6eZW47XDT23k3JYdKx5nJ+Q7whCEmNcoA==',
  file: 'soljson.js',
}
const SETTINGS = { optimizer: { enabled: true, runs: 1 }, viaIR: true, evmVersion: 'paris' }
const SOURCE = 'contracts/reference/CoinErc20.sol'

/**
 * The digest at the end of the contract's code on chains of the reference. It identifies the sources of the build (their comments
 * and names too), which are others there, so it cannot be computed from ours. No instruction reads it, but the hash of the code does.
 */
const METADATA_DIGEST = '3581fec6d17262d5847bd1c2199c28f1e40e3617abd9309c87eeadb340f129ef'
const BEFORE_DIGEST = 'a264697066735822' + '1220'
const AFTER_DIGEST = '64736f6c6343000818' + '0033'
const DIGEST = new RegExp(`${BEFORE_DIGEST}[0-9a-f]{64}${AFTER_DIGEST}$`)

/** Returns code with the digest of the reference's build in place of that of ours. */
function withDigest(code) {
  if (!DIGEST.test(code)) throw new Error('the code does not end with a metadata digest')
  return code.replace(DIGEST, `${BEFORE_DIGEST}${METADATA_DIGEST}${AFTER_DIGEST}`)
}

const findImport = (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
const solc = wrapper(require(fileOfPackage(COMPILER)))
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { [SOURCE]: { content: readFileSync(join(root, SOURCE), 'utf8') } },
      settings: {
        ...SETTINGS,
        outputSelection: {
          '*': { CoinErc20: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'] },
        },
      },
    }),
    { import: findImport },
  ),
)
const failures = (output.errors ?? []).map(({ formattedMessage }) => formattedMessage)
if (failures.length > 0) {
  process.stderr.write(failures.join('\n'))
  process.exit(1)
}

const { abi, evm, storageLayout } = output.contracts[SOURCE].CoinErc20
const creation = withDigest(evm.bytecode.object)
const deployed = withDigest(evm.deployedBytecode.object)
const record = {
  contractName: 'CoinErc20',
  license: 'MIT',
  compiler: { ...COMPILER, settings: SETTINGS },
  libraries: { '@openzeppelin/contracts': require('@openzeppelin/contracts/package.json').version },
  metadataDigest: `0x${METADATA_DIGEST}`,
  codeHash: `0x${Buffer.from(keccak_256(Buffer.from(deployed, 'hex'))).toString('hex')}`,
  abi,
  bytecode: `0x${creation}`,
  deployedBytecode: `0x${deployed}`,
  storage: storageLayout.storage.map(({ slot, offset, label, type }) => ({
    slot: Number(slot),
    offset,
    label,
    type: storageLayout.types[type].label,
  })),
}
const files = new Map([
  [join(root, 'contracts/reference/CoinErc20.json'), `${JSON.stringify(record, null, 2)}\n`],
  [
    join(root, 'src/modules/evm/contracts/reference-coin-erc20.ts'),
    `/** Creation code of the ERC-20 of a coin on chains of the reference, to be followed by its encoded arguments, MIT; written by scripts/reference-contracts.mjs. */\n` +
      `import { hex } from '../../../primitives/bytes.ts'\n\n` +
      `export const REFERENCE_COIN_ERC20_CREATION_CODE: Uint8Array = hex(\n  '${creation}',\n)\n`,
  ],
])

const check = process.argv.includes('--check')
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (!check) for (const [path, text] of stale) writeFileSync(path, text)
for (const [path] of stale) process.stdout.write(`${check ? 'differs' : 'written'}: ${path.slice(root.length)}\n`)
if (check && stale.length > 0) process.exit(1)

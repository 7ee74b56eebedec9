/**
 * `node scripts/contracts.mjs`: compiles `contracts/*.sol` to `contracts/NAME.json`, and the contracts that the chain itself deploys
 * to `src/modules/evm/contracts/`. With `--check` it writes nothing, and fails if a file would change.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'contracts')
const OPTIMIZER = { enabled: true, runs: 200 }
const EVM_VERSION = 'london'

/** Code for the chain's sources: name of the constant, file, kind of code, description. */
const BUILT_IN = {
  WrappedNative: {
    file: 'wrapped-native.ts',
    constant: 'WRAPPED_NATIVE_CODE',
    code: 'deployedBytecode',
    about: 'Code of the wrapped native coin',
  },
  MinterErc20: {
    file: 'minter-erc20.ts',
    constant: 'MINTER_ERC20_CREATION_CODE',
    code: 'bytecode',
    about: 'Creation code of the ERC-20 of a coin, to be followed by its encoded arguments',
  },
}

const version = solc.version().replace(/\+.*$/, '')
const sources = readdirSync(folder).filter((name) => name.endsWith('.sol'))

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: Object.fromEntries(sources.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
      settings: {
        optimizer: OPTIMIZER,
        evmVersion: EVM_VERSION,
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: {
          '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'] },
        },
      },
    }),
  ),
)
const failures = (output.errors ?? []).map(({ formattedMessage }) => formattedMessage)
if (failures.length > 0) {
  process.stderr.write(failures.join('\n'))
  process.exit(1)
}

/** Returns every generated file by path. */
const files = new Map()
for (const name of sources) {
  for (const [contractName, { abi, evm, storageLayout }] of Object.entries(output.contracts[name])) {
    const bytecode = evm.bytecode.object
    const deployedBytecode = evm.deployedBytecode.object
    const storage = storageLayout.storage.map(({ slot, offset, label, type }) => ({
      slot: Number(slot),
      offset,
      label,
      type: storageLayout.types[type].label,
    }))
    const compiler = `solc ${version}, optimizer ${OPTIMIZER.runs} runs, ${EVM_VERSION}`
    const built = {
      contractName,
      compiler,
      abi,
      bytecode: `0x${bytecode}`,
      deployedBytecode: `0x${deployedBytecode}`,
      storage,
    }
    files.set(join(folder, `${contractName}.json`), `${JSON.stringify(built, null, 2)}\n`)
    const own = BUILT_IN[contractName]
    if (!own) continue
    const code = own.code === 'bytecode' ? bytecode : deployedBytecode
    files.set(
      join(root, 'src/modules/evm/contracts', own.file),
      `/** ${own.about}: \`${own.code}\` of contracts/${contractName}.json, written by scripts/contracts.mjs. */\n` +
        `import { hex } from '../../../primitives/bytes.ts'\n\n` +
        `export const ${own.constant}: Uint8Array = hex(\n  '${code}',\n)\n`,
    )
  }
}

const check = process.argv.includes('--check')
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (!check) for (const [path, text] of stale) writeFileSync(path, text)
for (const [path] of stale) process.stdout.write(`${check ? 'differs' : 'written'}: ${path.slice(root.length)}\n`)
if (check && stale.length > 0) process.exit(1)

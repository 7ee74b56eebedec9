/**
 * `node scripts/predeploys.mjs`: takes known contracts from pinned npm packages, which it downloads to a temporary folder, and runs
 * their creation. Writes `contracts/predeploys/NAME.json` (how the contract is created everywhere) and
 * `src/modules/evm/contracts/predeploys/` (its code). With `--check` it writes nothing, and fails if a file would change.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEVM } from '@ethereumjs/evm'
import { Account, bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { Transaction } from 'ethers'
import { readPackage } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The deterministic deployment proxy, which calls CREATE2. */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const CREATION_GAS = 30_000_000n

const ignition = {
  name: '@nomicfoundation/ignition-core',
  version: '0.15.13',
  integrity: 'sha512-Z4T1WIbw0EqdsN9RxtnHeQXBi7P/piAmCu8bZmReIdDo/2h06qgKWxjDoNfc9VBFZJ0+Dx79tkgQR3ewxMDcpA==',
}
const testHelpers = {
  name: '@openzeppelin/test-helpers',
  version: '0.5.16',
  integrity: 'sha512-T1EvspSfH1qQO/sgGlskLfYVBbqzJR23SZzYl/6B2JnT4EhThcI85UpvDk0BkLWKaDScQTabGHt4GzHW+3SfZg==',
}
const accountAbstraction = {
  name: '@account-abstraction/contracts',
  version: '0.7.0',
  integrity: 'sha512-Bt/66ilu3u8I9+vFZ9fTd+cWs55fdb9J5YKfrhsrFafH1drkzwuCSL/xEot1GGyXXNJLQuXbMRztQPyelNbY1A==',
}
const solidityUtils = {
  name: '@1inch/solidity-utils',
  version: '6.9.16',
  integrity: 'sha512-SnOB37v1BC5rGT60d7gUi0cEhwpUczoHdIfilKeehbmX7o3CDENgvbMpOv2jmSADh/iq+zhs+RDum+nJ+uUwTQ==',
}

/** Returns the raw transaction in a source: the hexadecimal text that begins as given. */
const transactionIn = (text, start) => new RegExp(`${start}[0-9a-f]+`).exec(text)[0]

const CONTRACTS = [
  {
    contractName: 'CreateX',
    address: '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed',
    license: 'AGPL-3.0-only',
    source: { ...ignition, file: 'dist/src/internal/execution/strategy/createx-artifact.js' },
    creation: (text) => ({ transaction: transactionIn(text, '0xf92f69') }),
    file: 'create-x.ts',
    about: 'CreateX 1.0, a factory of contracts',
  },
  {
    contractName: 'ERC1820Registry',
    address: '0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24',
    license: 'CC0-1.0',
    source: { ...testHelpers, file: 'src/data.js' },
    creation: (text) => ({ transaction: transactionIn(text, '0xf90a38') }),
    file: 'erc1820-registry.ts',
    about: 'The registry of interfaces of ERC-1820',
  },
  {
    contractName: 'EntryPoint',
    address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    license: 'GPL-3.0-only',
    source: { ...accountAbstraction, file: 'artifacts/EntryPoint.json' },
    creation: (text) => ({
      deployer: CREATE2_DEPLOYER,
      salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
      code: JSON.parse(text).bytecode,
    }),
    file: 'entry-point.ts',
    about: 'The entry point of ERC-4337, version 0.7',
    // Created by the constructor of the entry point.
    child: {
      contractName: 'SenderCreator',
      address: '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C',
      file: 'sender-creator.ts',
      about: 'The creator of accounts of the entry point',
    },
  },
  {
    contractName: 'Permit2',
    address: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    license: 'MIT',
    source: { ...solidityUtils, file: 'dist/src/permit2.json' },
    // The package has the code with zeros in the places of the chain id and of the domain separator.
    template: (text) => JSON.parse(text).bytecode,
    file: 'permit2.ts',
    about: 'Permit2, with zeros in place of chain id and domain separator',
  },
]

/** Runs a creation. Returns the code and the storage of the contract, and the code of its child. */
async function create({ address, creation, child }) {
  const evm = await createEVM()
  const raw = creation.transaction && Transaction.from(creation.transaction)
  const from = createAddressFromString(raw ? raw.from : creation.deployer)
  await evm.stateManager.putAccount(from, new Account(0n, 10n ** 24n))
  const { createdAddress, execResult } = await evm.runCall({
    caller: from,
    origin: from,
    data: hexToBytes(raw ? raw.data : creation.code),
    gasLimit: CREATION_GAS,
    ...(creation.salt && { salt: hexToBytes(creation.salt) }),
  })
  if (execResult.exceptionError) throw new Error(`${address}: ${execResult.exceptionError.error}`)
  if (createdAddress.toString() !== address.toLowerCase()) {
    throw new Error(`the creation gives ${createdAddress}, not ${address}`)
  }
  const prefix = `${createdAddress}_`
  const slots = [...evm.stateManager.storageStack.at(-1)].filter(([key]) => key.startsWith(prefix))
  return {
    code: await evm.stateManager.getCode(createdAddress),
    storage: slots.map(([key, value]) => [key.slice(prefix.length), bytesToHex(value)]),
    childCode: child && (await evm.stateManager.getCode(createAddressFromString(child.address))),
  }
}

/** Every generated file by path. */
const files = new Map()

function addCode({ contractName, address, file, about }, license, { name, version }, code) {
  const constant = file.replace('.ts', '').replaceAll('-', '_').toUpperCase()
  files.set(
    join(root, 'src/modules/evm/contracts/predeploys', file),
    `/** ${about}, ${license}, from ${name} ${version}; written by scripts/predeploys.mjs from ${contractName}. */\n` +
      `import { hex } from '../../../../primitives/bytes.ts'\n\n` +
      `export const ${constant}_ADDRESS: Uint8Array = hex('${address.slice(2).toLowerCase()}')\n` +
      `export const ${constant}_CODE: Uint8Array = hex(\n  '${bytesToHex(code).slice(2)}',\n)\n`,
  )
}

for (const contract of CONTRACTS) {
  const { contractName, address, license, source, child } = contract
  const text = readPackage(source)
  const creation = contract.creation?.(text)
  const { code, storage, childCode } = creation
    ? await create({ address, creation, child })
    : { code: hexToBytes(contract.template(text)), storage: [] }
  addCode(contract, license, source, code)
  if (child) addCode(child, license, source, childCode)
  const record = {
    contractName,
    address,
    license,
    source,
    ...(creation && { creation }),
    storage,
    codeHash: bytesToHex(keccak_256(code)),
  }
  files.set(join(root, 'contracts/predeploys', `${contractName}.json`), `${JSON.stringify(record, null, 2)}\n`)
}

const check = process.argv.includes('--check')
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (!check) for (const [path, text] of stale) writeFileSync(path, text)
for (const [path] of stale) process.stdout.write(`${check ? 'differs' : 'written'}: ${path.slice(root.length)}\n`)
if (check && stale.length > 0) process.exit(1)

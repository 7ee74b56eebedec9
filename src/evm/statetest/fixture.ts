/** Parses the public state tests: the inputs of an execution, without the expected results. */
import { decodeUint, EMPTY, hex, padLeft, parseHex } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import type { Rules } from '../forks.ts'
import { blobBaseFee } from '../transaction/blob.ts'
import { decodeTransaction } from '../transaction/decode.ts'
import { refuse } from '../transaction/errors.ts'
import { addressOfPrivateKey, recoverSender } from '../transaction/sender.ts'
import type { AccessList, UnsignedTransaction } from '../transaction/types.ts'
import type { EvmBlockEnv } from '../types.ts'
import { createMapState, type MapState } from './state.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type JsonObject = { readonly [key: string]: Json }

/** One test of a file: a state, a block, a transaction in variants, and the variants to run under each fork. */
export interface Fixture {
  readonly name: string
  readonly env: JsonObject
  readonly pre: JsonObject
  readonly transaction: JsonObject
  /** The entries by fork name, spelled as in the file. */
  readonly post: Readonly<Record<string, readonly JsonObject[]>>
  readonly config: JsonObject
  /** The client that filled the test, with its version; empty if unknown. */
  readonly filledBy: string
}

/** The base fee if the file has no base fee, as assumed by the tool that filled the tests. Unit: wei. */
const DEFAULT_BASE_FEE = 10n
const MAX_UINT256 = (1n << 256n) - 1n

/** Returns the tests of a parsed file; an empty list for other JSON. Throws a `RangeError` for an incomplete state test. */
export function parseFixtures(file: Json): readonly Fixture[] {
  if (!isObject(file)) return []
  return Object.entries(file).flatMap(([name, test]) => {
    if (!isObject(test) || !('post' in test) || !('transaction' in test)) return []
    const { env, pre, transaction, post, config = {} } = test
    if (!isObject(env) || !isObject(pre) || !isObject(transaction) || !isObject(post) || !isObject(config)) {
      throw new RangeError(`${name}: env, pre, transaction, post and config of a state test must be objects`)
    }
    const filler = objectOf(test['_info'])['filling-rpc-server']
    const filledBy = typeof filler === 'string' ? filler : ''
    return [{ name, env, pre, transaction, post: post as Fixture['post'], config, filledBy }]
  })
}

/** Returns the state before the transaction. */
export function openPreState(pre: JsonObject): MapState {
  const state = createMapState()
  for (const [key, account] of Object.entries(pre)) {
    if (!isObject(account)) throw new RangeError(`pre.${key} must be an object`)
    const address = hex(key)
    const code = bytesOf(account['code'])
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    state.setCode(codeHash, code)
    state.setAccount(address, { nonce: uintOf(account['nonce']), balanceWei: uintOf(account['balance']), codeHash })
    for (const [slot, value] of Object.entries(objectOf(account['storage']))) {
      state.setStorage(address, padLeft(hex(slot), 32), padLeft(bytesOf(value), 32))
    }
  }
  return state
}

/** Returns the block of the transaction. */
export function parseBlock(env: JsonObject, config: JsonObject, rules: Rules): EvmBlockEnv {
  const difficulty = uintOf(env['currentDifficulty'])
  const baseFee = env['currentBaseFee'] === undefined ? DEFAULT_BASE_FEE : uintOf(env['currentBaseFee'])
  return {
    number: uintOf(env['currentNumber']),
    timestamp: uintOf(env['currentTimestamp']),
    coinbase: bytesOf(env['currentCoinbase']),
    gasLimit: uintOf(env['currentGasLimit']),
    difficulty,
    prevRandao: padLeft(bytesOf(env['currentRandom'] ?? env['currentDifficulty']), 32),
    baseFee: rules.eips.has(1559) ? baseFee : 0n,
    blobBaseFee: rules.eips.has(4844) ? blobBaseFee(uintOf(env['currentExcessBlobGas']), rules) : 0n,
    chainId: config['chainid'] === undefined ? 1n : uintOf(config['chainid']),
  }
}

export interface Variant {
  readonly transaction: UnsignedTransaction
  readonly sender: Uint8Array
}

/**
 * Returns the variant of a post entry: from its signed bytes if it has them, else from the fields that its indexes select.
 * Throws a refusal (transaction/errors.ts) for an invalid transaction.
 */
export function parseVariant(fixture: Fixture, entry: JsonObject, chainId: bigint, allowHighS: boolean): Variant {
  const { txbytes } = entry
  if (typeof txbytes === 'string') {
    const transaction = decodeTransaction(hex(txbytes))
    return { transaction, sender: recoverSender(transaction, { chainId, allowHighS }) }
  }
  const { transaction } = fixture
  const { sender, secretKey } = transaction
  return {
    transaction: chooseTransaction(transaction, objectOf(entry['indexes']), chainId),
    sender: typeof sender === 'string' ? hex(sender) : addressOfPrivateKey(bytesOf(secretKey)),
  }
}

function chooseTransaction(fields: JsonObject, indexes: JsonObject, chainId: bigint): UnsignedTransaction {
  const index = (name: string): number => (typeof indexes[name] === 'number' ? indexes[name] : 0)
  const to = bytesOf(fields['to'])
  const common = {
    chainId,
    nonce: uintOf(fields['nonce']),
    gasLimit: uintOf(listOf(fields['gasLimit'])[index('gas')]),
    valueWei: uintOf(listOf(fields['value'])[index('value')]),
    data: bytesOf(listOf(fields['data'])[index('data')]),
    to: to.length === 0 ? undefined : to,
  }
  const list = listOf(fields['accessLists'])[index('data')]
  const accessList = parseAccessList(list)
  if (fields['maxFeePerGas'] === undefined) {
    const gasPriceWei = uintOf(fields['gasPrice'])
    if (list === undefined || list === null) return { ...common, type: 0, gasPriceWei }
    return { ...common, type: 1, gasPriceWei, accessList }
  }
  const dynamic = {
    ...common,
    accessList,
    maxFeePerGasWei: uintOf(fields['maxFeePerGas']),
    maxPriorityFeePerGasWei: uintOf(fields['maxPriorityFeePerGas']),
  }
  if (fields['authorizationList'] !== undefined) {
    return { ...dynamic, type: 4, authorizations: listOf(fields['authorizationList']).map(parseAuthorization) }
  }
  if (fields['blobVersionedHashes'] !== undefined) {
    const blobHashes = listOf(fields['blobVersionedHashes']).map(bytesOf)
    return { ...dynamic, type: 3, maxFeePerBlobGasWei: uintOf(fields['maxFeePerBlobGas']), blobHashes }
  }
  return { ...dynamic, type: 2 }
}

function parseAccessList(list: Json | undefined): AccessList {
  return listOf(list).map((entry) => {
    const { address, storageKeys } = objectOf(entry)
    return { address: bytesOf(address), storageKeys: listOf(storageKeys).map((key) => padLeft(bytesOf(key), 32)) }
  })
}

function parseAuthorization(value: Json) {
  const { chainId, address, nonce, yParity, v, r, s } = objectOf(value)
  return {
    chainId: uintOf(chainId),
    address: bytesOf(address),
    nonce: uintOf(nonce),
    yParity: Number(uintOf(yParity ?? v)),
    r: uintOf(r),
    s: uintOf(s),
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** Decodes hexadecimal text, also of odd length; an absent value is empty. */
function bytesOf(value: Json | undefined): Uint8Array {
  if (typeof value !== 'string') return EMPTY
  const digits = value.startsWith('0x') ? value.slice(2) : value
  const bytes = parseHex(digits.length % 2 === 0 ? digits : `0${digits}`)
  if (!bytes) throw refuse('malformed', `not hexadecimal: ${value}`)
  return bytes
}

function uintOf(value: Json | undefined): bigint {
  const number = decodeUint(bytesOf(value))
  if (number > MAX_UINT256) throw refuse('malformed', 'number above 256 bits')
  return number
}

/** `debug_` methods about accounts: pages of the state, and the accounts that blocks wrote, in the forms of geth. */
import type { StoredBlock } from '../../../app/records.ts'
import type { AccountRange, AccountRangeRequest, RangeAccount } from '../../../modules/evm/account-range.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { decodeUint, formatBase64, formatHex, formatHex0x, hex } from '../../../primitives/bytes.ts'
import { fromUint } from '../../../primitives/rlp.ts'
import { invalidParams, serverError } from '../errors.ts'
import { blockOf, firstStateHeight } from '../eth/block-ref.ts'
import type { JsonObject } from '../format.ts'
import { anyMethod, type Methods, type RpcCall } from '../method.ts'
import { type BlockRef, block, blockNumber, boolean, bytes, hash, json, optional } from '../params.ts'

/** Accounts in one page of `debug_accountRange`, as in geth. Beyond: the answer names the next hash. */
const MAX_ACCOUNTS = 256

const WORD_BYTES = 32
/** First byte of the keys of code in geth's database. */
const CODE_KEY = 0x63

/** Returns values by their slots, without 0x and leading zeros, as in geth. */
function formatStorage(storage: NonNullable<RangeAccount['storage']>): JsonObject {
  return Object.fromEntries(storage.map(([slot, value]) => [formatHex0x(slot), formatHex(fromUint(decodeUint(value)))]))
}

function formatAccount(account: RangeAccount): JsonObject {
  const { address, nonce, balanceWei, codeHash, storageRoot, code, storage } = account
  return {
    balance: String(balanceWei),
    nonce: Number(nonce),
    root: formatHex0x(storageRoot),
    codeHash: formatHex0x(codeHash),
    ...(code && { code: formatHex0x(code) }),
    ...(storage && storage.length > 0 && { storage: formatStorage(storage) }),
    address: formatHex0x(address),
    key: account.hash,
  }
}

/** Returns the block whose state is read. Throws -32000 if it is not stored, or is block 0. */
function blockWithState({ node }: RpcCall, ref: BlockRef): StoredBlock {
  const found = blockOf(node, ref)
  if (!found) throw serverError('block not found')
  if (found.header.height === 0n) {
    throw serverError('block 0 has no state of its own: genesis is committed with block 1')
  }
  return found
}

/** Returns a page of accounts after a block. `root` is the app hash after it, which the header of the next block contains. */
async function dump(call: RpcCall, ref: BlockRef, request: AccountRangeRequest): Promise<JsonObject> {
  const { node, signal } = call
  const { header, nextAppHash } = blockWithState(call, ref)
  const { evmTimeoutMs: timeoutMs } = node.settings
  const options = { height: header.height, signal: signal(), timeoutMs }
  const { accounts, next } = (await node.compute.run('accountRange', request, options)) as AccountRange
  return {
    root: formatHex(nextAppHash),
    accounts: Object.fromEntries(accounts.map((one) => [formatEip55(one.address), formatAccount(one)])),
    ...(next !== undefined && { next: formatBase64(hex(next)) }),
  }
}

/** Reads a start: a hash, or the first bytes of one. geth also takes base64, in which its answers name the next account. */
function startOf(given: unknown): string {
  const start =
    typeof given === 'string' && !/^0[xX]/.test(given) && given !== ''
      ? new Uint8Array(Buffer.from(given, 'base64'))
      : bytes.read(given === '' ? '0x' : given)
  if (start.length > WORD_BYTES) throw invalidParams(`start has ${start.length} bytes, at most ${WORD_BYTES}`)
  return `0x${formatHex(start).padEnd(WORD_BYTES * 2, '0')}`
}

/** Reads a number of accounts. As in geth, 0 and any number above the limit are the limit. */
function countOf(given: unknown): number {
  if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw invalidParams('maxResults is not an integer')
  return given <= 0 || given > MAX_ACCOUNTS ? MAX_ACCOUNTS : given
}

/** Returns the accounts that the blocks after the first and up to the last wrote. */
async function modified({ node, signal }: RpcCall, start: bigint, end: bigint): Promise<readonly string[]> {
  if (start >= end) throw serverError(`start block height (${start}) must be less than end block height (${end})`)
  const { evmTimeoutMs: timeoutMs } = node.settings
  const options = { height: end, signal: signal(), timeoutMs }
  const found = await node.compute.run('writtenAccounts', { first: start + 1n, last: end }, options)
  return (found as readonly Uint8Array[]).map(formatHex0x)
}

/** Returns the accounts that one block wrote, or those of all blocks after `start` up to `end`. */
function modifiedBetween(call: RpcCall, start: BlockRef, end: BlockRef | undefined): Promise<readonly string[]> {
  const heightOf = (ref: BlockRef, which: string): bigint => {
    const found = blockOf(call.node, ref)
    if (!found) throw serverError(`${which} block ${'hash' in ref ? formatHex(ref.hash) : 'of this number'} not found`)
    return found.header.height
  }
  const first = heightOf(start, 'start')
  if (end) return modified(call, first, heightOf(end, 'end'))
  if (first === 0n) throw serverError('block 0 has no parent')
  return modified(call, first - 1n, first)
}

/** Returns the first block in a range, of which the end is not part, whose state is stored. The range can go down. */
function accessible({ node }: RpcCall, from: BlockRef, to: BlockRef): number {
  const latest = node.blocks.latestHeight()
  const numberOf = (ref: BlockRef): bigint => {
    if ('number' in ref) return ref.number
    return 'tag' in ref && ref.tag !== 'earliest' ? latest : firstStateHeight(node)
  }
  const [start, end] = [numberOf(from), numberOf(to)]
  if (start === end) throw serverError('from and to needs to be different')
  const first = firstStateHeight(node)
  const found = start < end ? (start < first ? first : start) : start > latest ? latest : start
  const isIn = start < end ? found < end && found <= latest : found > end && found >= first
  if (!isIn) throw serverError('no state found')
  return Number(found)
}

function codeByHash({ node }: RpcCall, wanted: Uint8Array): string | null {
  const code = node.withContext(undefined, (ctx) => evm.codeByHash(ctx, wanted))
  return code ? formatHex0x(code) : null
}

/** Returns the code at a key of geth's database, `c` and a hash. Throws -32000 for any other key. */
function dbGet(call: RpcCall, key: Uint8Array): string {
  if (key.length !== 33 || key[0] !== CODE_KEY) {
    throw serverError('only code has the key that it has in geth: 0x63 and its hash')
  }
  const code = codeByHash(call, key.subarray(1))
  if (code === null) throw serverError('not found')
  return code
}

const anyStart = optional(json, '0x')

export const accountMethods: Methods = {
  debug_accountRange: anyMethod(
    [
      block,
      anyStart,
      optional(json, MAX_ACCOUNTS),
      optional(boolean, false),
      optional(boolean, false),
      optional(boolean, false),
    ],
    (call, ref, start, most, noCode, noStorage) =>
      dump(call, ref, { start: startOf(start), most: countOf(most), withCode: !noCode, withStorage: !noStorage }),
  ),
  debug_dumpBlock: anyMethod([blockNumber], (call, ref) =>
    dump(call, ref, { start: startOf('0x'), most: MAX_ACCOUNTS, withCode: true, withStorage: true }),
  ),
  debug_getModifiedAccountsByNumber: anyMethod([blockNumber, optional(blockNumber, undefined)], modifiedBetween),
  debug_getModifiedAccountsByHash: anyMethod([hash, optional(hash, undefined)], (call, start, end) =>
    modifiedBetween(call, { hash: start }, end && { hash: end }),
  ),
  debug_getAccessibleState: anyMethod([blockNumber, blockNumber], accessible),
  debug_dbGet: anyMethod([bytes], dbGet),
  debug_codeByHash: anyMethod([hash, optional(block, undefined)], codeByHash),
}

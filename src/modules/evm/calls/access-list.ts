/** The access list that makes a call's accesses warm: found by watching it read (geth's `eth_createAccessList`). */
import type { Tracer } from '../../../evm/trace.ts'
import type { AccessList } from '../../../evm/transaction/types.ts'
import { concat, equal, fromKey, toKey } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { encode, fromUint } from '../../../primitives/rlp.ts'
import { type CallGround, callMessage, runCall } from './call.ts'
import type { CallArgs } from './call-args.ts'

/** Rounds after which a list that still changes is taken as it is. */
const MAX_ROUNDS = 8

/** Accounts, and their slots, by `toKey`. */
type Touched = Map<string, Set<string>>

function touchedOf(accessList: AccessList): Touched {
  const touched: Touched = new Map()
  for (const { address, storageKeys } of accessList) {
    const slots = touched.get(toKey(address)) ?? new Set()
    for (const key of storageKeys) slots.add(toKey(key))
    touched.set(toKey(address), slots)
  }
  return touched
}

/** Notes which accounts and slots opcodes ask for. A creation makes its account warm, and asks for none. */
function watch(touched: Touched): Tracer {
  const note = (address: Uint8Array): Set<string> => {
    const key = toKey(address)
    const known = touched.get(key)
    if (known) return known
    const made = new Set<string>()
    touched.set(key, made)
    return made
  }
  return {
    account: (address) => void note(address),
    slot: (address, slot) => void note(address).add(toKey(slot)),
  }
}

/** The address a creation by `from` gets. */
function createdAddress(from: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encode([from, fromUint(nonce)])).subarray(12)
}

function listOf(touched: Touched, free: ReadonlySet<string>): AccessList {
  const list: AccessList[number][] = []
  for (const [address, keys] of touched) {
    if (keys.size === 0 && free.has(address)) continue
    list.push({ address: fromKey(address), storageKeys: [...keys].map(fromKey) })
  }
  return list
}

const flat = (list: AccessList): Uint8Array =>
  concat(...list.flatMap(({ address, storageKeys }) => [address, ...storageKeys]))

export interface AccessListOutcome {
  readonly accessList: AccessList
  /** With the list in force. */
  readonly gasUsed: bigint
  readonly vmError: string
}

/**
 * Runs the call again with what it touched, and the list it came with, until that no longer changes. Sender, target, coinbase and precompiles are
 * warm by themselves: they are listed only with slots. Throws as `runCall`.
 */
export function createAccessList(ground: CallGround, args: CallArgs, gasLimit: bigint): AccessListOutcome {
  const message = callMessage(args, gasLimit, ground.block.baseFee)
  const nonce = ground.open().account(message.from)?.nonce ?? 0n
  const to = message.to ?? createdAddress(message.from, nonce)
  const free = new Set([toKey(message.from), toKey(to), toKey(ground.block.coinbase), ...ground.precompiles.keys()])
  let accessList = message.accessList
  for (let round = 0; ; round++) {
    const touched = touchedOf(accessList)
    const { gasUsed, vmError } = runCall({ ...ground, tracer: watch(touched) }, { ...message, accessList })
    const next = listOf(touched, free)
    if (equal(flat(next), flat(accessList)) || round === MAX_ROUNDS) return { accessList, gasUsed, vmError }
    accessList = next
  }
}

/** The access list that makes a call's accesses warm, as geth's `eth_createAccessList` finds it: by tracing the call. */
import type { Tracer } from '../../../evm/trace.ts'
import type { AccessList } from '../../../evm/transaction/types.ts'
import { equal, fromKey, join, toKey } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { encode, fromUint } from '../../../primitives/rlp.ts'
import { callMessage, runCall } from './call.ts'
import type { CallArgs } from './call-args.ts'
import type { CallSetup } from './call-setup.ts'

/** Number of rounds after which a list that still changes is returned. */
const MAX_ROUNDS = 8

/** Accounts and their slots, by `toKey`. */
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

/** Returns a tracer that records the accounts and slots that opcodes access. A created account is warm, and not recorded. */
function recordAccesses(touched: Touched): Tracer {
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

/** Returns the address of a contract that `from` creates. */
function createdAddress(from: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encode([from, fromUint(nonce)])).subarray(12)
}

function listOf(touched: Touched, free: ReadonlySet<string>): AccessList {
  const list: AccessList[number][] = []
  for (const [addressKey, keys] of touched) {
    if (keys.size === 0 && free.has(addressKey)) continue
    list.push({ address: fromKey(addressKey), storageKeys: [...keys].map(fromKey) })
  }
  return list
}

const flat = (list: AccessList): Uint8Array =>
  join(list.flatMap(({ address, storageKeys }) => [address, ...storageKeys]))

export interface AccessListOutcome {
  readonly accessList: AccessList
  /** Gas used with the list in effect. */
  readonly gasUsed: bigint
  readonly vmError: string
}

/**
 * Runs the call with its own list and the accesses found so far until the list no longer changes. Sender, target, coinbase and
 * precompiles are always warm: the list contains them only with slots. Throws the errors of `runCall`.
 */
export function createAccessList(setup: CallSetup, args: CallArgs, gasLimit: bigint): AccessListOutcome {
  const message = callMessage(setup, args, gasLimit)
  const nonce = setup.open().account(message.from)?.nonce ?? 0n
  const to = message.to ?? createdAddress(message.from, nonce)
  const free = new Set([toKey(message.from), toKey(to), toKey(setup.block.coinbase), ...setup.precompiles.keys()])
  let accessList = message.accessList
  for (let round = 0; ; round++) {
    const touched = touchedOf(accessList)
    const { gasUsed, vmError } = runCall({ ...setup, tracer: recordAccesses(touched) }, { ...message, accessList })
    const next = listOf(touched, free)
    if (equal(flat(next), flat(accessList)) || round === MAX_ROUNDS) return { accessList, gasUsed, vmError }
    accessList = next
  }
}

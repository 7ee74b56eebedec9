/** prestateTracer: the accounts that a transaction accessed, as they were before; with `diffMode` also their changes. */
import { EMPTY, equal, formatHex0x, fromKey, toKey, ZERO_WORD } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { ZERO_KEY } from '../account.ts'
import { delegationTarget } from '../delegation.ts'
import type { FrameStart, TracedResult, TracedTransaction, Tracer, TraceState } from '../trace.ts'
import type { Output } from './output.ts'
import {
  configOf,
  createMemoryBudget,
  flagOf,
  type MemoryBudget,
  quantity,
  type Trace,
  type TraceOptions,
  wrongConfig,
} from './tracer.ts'

/** An account before a transaction, or the changed parts of one after it. */
export interface Account {
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** Undefined for an account without code; all zeros in a difference that removed the code. */
  readonly codeHash: Uint8Array | undefined
  /** The slots by `toKey`. */
  readonly storage: Map<string, string>
  /** Whether the account did not exist. */
  readonly isEmpty: boolean
}

export interface AccountOptions {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  readonly includeEmpty: boolean
}

const ACCOUNT_BYTES = 600
const SLOT_BYTES = 300

/** Creates prestateTracer. Options: `diffMode`, `disableCode`, `disableStorage`, `includeEmpty`. */
export function createPrestateTrace({ config, output, memoryBytes }: TraceOptions): Trace {
  const values = configOf(config)
  const options: AccountOptions = {
    diffMode: flagOf(values, 'diffMode'),
    disableCode: flagOf(values, 'disableCode'),
    disableStorage: flagOf(values, 'disableStorage'),
    includeEmpty: flagOf(values, 'includeEmpty'),
  }
  if (options.diffMode && options.includeEmpty) throw wrongConfig('cannot use diffMode with includeEmpty')
  const budget = createMemoryBudget(memoryBytes)
  const { tracer, accounts } = collectAccounts(options, budget)
  return {
    tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const { pre, post } = accounts()
      if (!options.diffMode) {
        writeAccounts(output, pre, options)
        return
      }
      output.text('{"post":')
      writeAccounts(output, post, options, true)
      output.text(',"pre":')
      writeAccounts(output, pre, options)
      output.text('}')
    },
  }
}

/** Accounts by `toKey`. With `diffMode` only changed ones: `pre` lacks those that were created, `post` those that were deleted. */
interface Accounts {
  readonly pre: ReadonlyMap<string, Account>
  readonly post: ReadonlyMap<string, Account>
}

/** Creates a tracer that collects the accounts that a transaction accesses. */
export function collectAccounts(
  options: AccountOptions,
  budget: MemoryBudget,
): { readonly tracer: Tracer; readonly accounts: () => Accounts } {
  const pre = new Map<string, Account>()
  let post = new Map<string, Account>()

  const look = (address: Uint8Array, state: TraceState): void => {
    const key = toKey(address)
    if (pre.has(key) || budget.isFull()) return
    pre.set(key, lookUp(address, state, budget))
  }

  function start({ from, to, contractAddress, coinbase, authorities }: TracedTransaction, state: TraceState): void {
    look(from, state)
    const target = to ?? contractAddress
    if (target) look(target, state)
    look(coinbase, state)
    for (const authority of authorities) look(authority, state)
    const delegate = to && delegationTarget(state.code(to))
    if (delegate) look(delegate, state)
  }

  /** Adds accounts that precompiles of the chain call, since no opcode names them. */
  function enter({ from, to }: FrameStart, state: TraceState): void {
    look(from, state)
    look(to, state)
  }

  function slot(address: Uint8Array, name: Uint8Array, state: TraceState): void {
    const account = pre.get(toKey(address))
    const key = toKey(name)
    if (!account || account.storage.has(key) || budget.isFull()) return
    budget.use(SLOT_BYTES)
    account.storage.set(key, toKey(state.storage(address, name)))
  }

  function end(_result: TracedResult, state: TraceState): void {
    if (options.diffMode) post = difference(pre, state, options)
    if (options.includeEmpty) return
    for (const [key, { isEmpty }] of pre) if (isEmpty) pre.delete(key)
  }

  return {
    tracer: { start, end, enter, account: look, ...(options.disableStorage ? {} : { slot }) },
    accounts: () => ({ pre, post }),
  }
}

function lookUp(address: Uint8Array, state: TraceState, budget: MemoryBudget): Account {
  const code = state.code(address)
  budget.use(ACCOUNT_BYTES + code.length)
  const [balance, nonce] = [state.balance(address), state.nonce(address)]
  return {
    balance,
    nonce,
    code,
    codeHash: code.length === 0 ? undefined : keccak256(code),
    storage: new Map(),
    isEmpty: balance === 0n && nonce === 0n && code.length === 0,
  }
}

/** Reduces `before` to the changed parts, and returns their new values. */
function difference(
  before: Map<string, Account>,
  state: TraceState,
  { disableCode, disableStorage }: AccountOptions,
): Map<string, Account> {
  const after = new Map<string, Account>()
  for (const [key, was] of before) {
    const address = fromKey(key)
    if (state.isDestructed(address)) continue
    const now = { balance: state.balance(address), nonce: state.nonce(address), code: state.code(address) }
    const sameCode = equal(now.code, was.code ?? EMPTY)
    const storage = disableStorage ? new Map<string, string>() : changedSlots(was.storage, address, state)
    const isSame = now.balance === was.balance && now.nonce === was.nonce && sameCode
    if (isSame && storage.size === 0 && was.storage.size === 0) {
      before.delete(key)
      continue
    }
    const codeHash = now.code.length === 0 ? ZERO_WORD : keccak256(now.code)
    after.set(key, {
      balance: now.balance === was.balance ? undefined : now.balance,
      nonce: now.nonce === was.nonce ? undefined : now.nonce,
      code: sameCode || disableCode ? undefined : now.code,
      codeHash: sameCode ? undefined : codeHash,
      storage,
      isEmpty: false,
    })
  }
  return after
}

/** Removes unchanged and empty slots from `slots`; returns the new values of the others, without empty ones. */
function changedSlots(slots: Map<string, string>, address: Uint8Array, state: TraceState): Map<string, string> {
  const changed = new Map<string, string>()
  for (const [slot, was] of slots) {
    const now = toKey(state.storage(address, fromKey(slot)))
    if (was === now || was === ZERO_KEY) slots.delete(slot)
    if (was !== now && now !== ZERO_KEY) changed.set(slot, now)
  }
  return changed
}

/** Writes accounts. Among values after a transaction, empty code is code that it removed: a delegation (EIP-7702). */
function writeAccounts(
  output: Output,
  accounts: ReadonlyMap<string, Account>,
  { disableCode }: AccountOptions,
  isAfter = false,
): void {
  output.text('{')
  const keys = [...accounts.keys()].sort((a, b) => (a < b ? -1 : 1))
  keys.forEach((key, i) => {
    const { balance, nonce, code, codeHash, storage } = accounts.get(key)!
    const fields: string[] = []
    if (balance !== undefined) fields.push(`"balance":"${quantity(balance)}"`)
    if (code && (isAfter || code.length > 0) && !disableCode) fields.push(`"code":"${formatHex0x(code)}"`)
    if (codeHash) fields.push(`"codeHash":"${formatHex0x(codeHash)}"`)
    if (nonce) fields.push(`"nonce":${nonce}`)
    output.text(`${i > 0 ? ',' : ''}"${formatHex0x(fromKey(key))}":{${fields.join()}`)
    writeSlots(output, storage, fields.length > 0)
    output.text('}')
  })
  output.text('}')
}

function writeSlots(output: Output, storage: ReadonlyMap<string, string>, isContinued: boolean): void {
  if (storage.size === 0) return
  output.text(`${isContinued ? ',' : ''}"storage":{`)
  const slots = [...storage].sort(([a], [b]) => (a < b ? -1 : 1))
  slots.forEach(([slot, value], i) => {
    output.text(`${i > 0 ? ',' : ''}"${formatHex0x(fromKey(slot))}":"${formatHex0x(fromKey(value))}"`)
  })
  output.text('}')
}

/**
 * The gas of the stores for calls by the module, as the reference charges it (docs/modules/evm.md#calls-by-the-module). Its
 * interpreter reads accounts, balances, code and slots from the stores each time, at the cost of the message. Here a tracer repeats
 * these accesses on a branch with the meter of the message, and the branch is dropped.
 */
import type { FrameEnd, FrameStart, StepBatch, Tracer } from '../../../evm/trace.ts'
import { FAILURE, STEP } from '../../../evm/trace.ts'
import { isStep, nextRecord, readU32, stackWord } from '../../../evm/tracers/records.ts'
import { equal, ZERO_WORD } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { BranchedContext, Context } from '../../../sdk/context.ts'
import { withoutGas } from '../../../sdk/create-context.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import * as state from '../state.ts'

/** Gas at or below which SSTORE fails before it reads (EIP-2200). */
const SSTORE_SENTRY = 2300n

const OP = {
  balance: 0x31,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  extCodeHash: 0x3f,
  selfBalance: 0x47,
  sload: 0x54,
  sstore: 0x55,
} as const

/** The accesses of the reference to its stores, each on the context of the innermost frame. */
export interface Accesses {
  /** Reads an account, and its balance if it exists. */
  account(address: Uint8Array): auth.Account | undefined
  balance(address: Uint8Array): bigint
  /** Reads account and code. Returns the length of the code. */
  code(address: Uint8Array): number
}

const hasCode = (account: auth.Account): boolean => !equal(account.codeHash, EMPTY_CODE_HASH)

/** Creates the accesses on the context that `ctx` returns. */
export function createAccesses(ctx: () => Context): Accesses {
  const balance = (address: Uint8Array): bigint => bank.balanceWei(ctx(), address)
  const account = (address: Uint8Array): auth.Account | undefined => {
    const found = auth.getAccount(ctx(), address)
    if (found) balance(address)
    return found
  }
  return {
    account,
    balance,
    code(address) {
      const found = account(address)
      if (found && !hasCode(found)) return 0
      return state.codes.get(ctx(), found?.codeHash ?? ZERO_WORD)?.length ?? 0
    },
  }
}

/** Creates the tracer of one call. Throws sdk 11 within the call when the message has no gas left. */
export function createStoreCharges(ctx: Context): Tracer {
  const root = ctx.branch()
  const levels: { readonly ctx: BranchedContext; readonly created: Uint8Array | undefined }[] = []
  const top = (): Context => levels.at(-1)?.ctx ?? root
  const { account, balance, code } = createAccesses(top)

  function move(from: Uint8Array, to: Uint8Array, wei: bigint): void {
    balance(from)
    if (wei > 0n) bank.subWei(top(), from, wei)
    balance(to)
    if (wei > 0n) bank.addWei(top(), to, wei)
  }

  function store(address: Uint8Array, codeHash?: Uint8Array): void {
    const stored = auth.getAccount(top(), address) ?? auth.newAccount(top(), address)
    auth.setAccount(top(), codeHash ? { ...stored, codeHash } : stored)
    balance(address)
  }

  function createAccount(address: Uint8Array): void {
    balance(address)
    account(address)
    store(address)
  }

  function isEmpty(address: Uint8Array): boolean {
    const found = account(address)
    return !found || (found.sequence === 0n && !hasCode(found) && bank.balanceWei(withoutGas(top()), address) === 0n)
  }

  /** Begins a frame: what follows is dropped if it fails. */
  function open(created?: Uint8Array): void {
    levels.push({ ctx: top().branch(), created })
  }

  /** Whether the frame fails before it begins, as the interpreter finds too. */
  function lacksValue(from: Uint8Array, wei: bigint): boolean {
    return bank.spendableWei(withoutGas(top()), from) < wei
  }

  function enterCall({ depth, from, to, valueWei, isPrecompile }: FrameStart): void {
    const isInner = depth > 1
    if (valueWei > 0n) {
      if (isInner) account(to)
      balance(from)
    }
    open()
    if (lacksValue(from, valueWei)) return
    if (!account(to)) {
      if (!isPrecompile && valueWei === 0n) return
      createAccount(to)
    }
    move(from, to, valueWei)
    if (!isPrecompile && code(to) > 0) account(to)
  }

  function enterCreation({ kind, from, to, valueWei }: FrameStart): void {
    // The address that CREATE derives from the nonce.
    if (kind === 'CREATE') auth.getAccount(top(), from)
    balance(from)
    if (lacksValue(from, valueWei)) {
      open()
      return
    }
    auth.getAccount(top(), from)
    account(to)
    auth.getAccount(top(), to)
    open(to)
    if (!account(to)) createAccount(to)
    createAccount(to)
    const free = withoutGas(top())
    auth.setAccount(free, { ...auth.getAccount(free, to)!, sequence: 1n })
    move(from, to, valueWei)
  }

  function enterDestruct({ from, to, valueWei }: FrameStart): void {
    open()
    if (isEmpty(to)) balance(from)
    balance(from)
    move(from, to, valueWei)
    balance(from)
  }

  function enterCodeOf({ kind, from, to, isPrecompile }: FrameStart): void {
    if (kind === 'CALLCODE') balance(from)
    open()
    if (kind === 'STATICCALL') balance(to)
    if (isPrecompile) return
    account(to)
    code(to)
  }

  function writeSlot(address: Uint8Array, batch: StepBatch, record: number, begun: boolean): void {
    const key = state.slotKey(address, stackWord(batch, record, 0))
    const value = stackWord(batch, record, 1)
    const read = (from: Context): Uint8Array => from.store.get(state.EVM_STORE, key) ?? ZERO_WORD
    if (!equal(read(top()), value)) read(root)
    if (!begun) return
    read(top())
    if (equal(value, ZERO_WORD)) top().store.delete(state.EVM_STORE, key)
    else top().store.set(state.EVM_STORE, key, value)
  }

  function step(batch: StepBatch, record: number): void {
    const { bytes, contract } = batch
    const begun = readU32(bytes, record + STEP.failure) !== FAILURE.notBegun
    const op = readU32(bytes, record + STEP.op)
    if (op === OP.sstore) {
      const gas = BigInt(readU32(bytes, record + STEP.gas)) + (BigInt(readU32(bytes, record + STEP.gas + 4)) << 32n)
      if (begun || gas > SSTORE_SENTRY) writeSlot(contract.address, batch, record, begun)
      return
    }
    if (!begun) return
    const address = (): Uint8Array => stackWord(batch, record, 0).subarray(12)
    switch (op) {
      case OP.sload: {
        const key = state.slotKey(contract.address, stackWord(batch, record, 0))
        // Once for its price, once for its value.
        for (let i = 0; i < 2; i++) top().store.get(state.EVM_STORE, key)
        return
      }
      case OP.balance:
        balance(address())
        return
      case OP.selfBalance:
        balance(contract.address)
        return
      case OP.extCodeSize: {
        const found = account(address())
        if (found && hasCode(found)) code(address())
        return
      }
      case OP.extCodeCopy:
        code(address())
        return
      case OP.extCodeHash:
        if (!isEmpty(address())) account(address())
    }
  }

  return {
    reads: () => ({ stack: true, memory: false }),
    enter(frame) {
      if (frame.kind === 'CALL') enterCall(frame)
      else if (frame.kind === 'CREATE' || frame.kind === 'CREATE2') enterCreation(frame)
      else if (frame.kind === 'SELFDESTRUCT') enterDestruct(frame)
      else enterCodeOf(frame)
    },
    exit({ success, output }: FrameEnd) {
      const { created, ctx: level } = levels.at(-1)!
      if (success && created) {
        account(created)
        // The hash of the code is any of its length here: only sizes cost gas.
        store(created, ZERO_WORD)
        state.codes.set(level, ZERO_WORD, output)
      }
      levels.pop()
      if (success) level.merge()
    },
    steps(batch) {
      for (let at = batch.start; at < batch.end; at = nextRecord(batch, at)) {
        if (isStep(batch, at)) step(batch, at)
      }
    },
  }
}

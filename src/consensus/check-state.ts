/** The state for admission of transactions: the latest commit plus the transactions admitted since. Every engine needs it. */
import type { Application, CheckMode, CheckResult, PoolOrder, TakePassed, TxPlace } from '../app/types.ts'
import { ChainError } from '../primitives/errors.ts'
import { errors } from '../sdk/errors.ts'
import type { Reader } from '../store/types.ts'
import { refusal } from './admission.ts'
import { roomForTxs, type Tip } from './tip.ts'

export interface CheckState {
  /**
   * Runs admission. `take` receives a transaction that passed, before the state keeps it; an error it throws is the answer,
   * and nothing is kept. Never throws for a bad transaction.
   */
  check(tx: Uint8Array, mode: Exclude<CheckMode, 'simulate'>, take?: TakePassed): CheckResult
  /** Runs admission, signatures included, and keeps nothing. It executes no message. */
  probe(tx: Uint8Array): CheckResult
  /** Whether bytes are an Ethereum transaction; false if they cannot be decoded. */
  isEthereumTx(tx: Uint8Array): boolean
  /** Returns the place of a transaction among those of its signers; undefined for other bytes. */
  placeOf(tx: Uint8Array): TxPlace | undefined
  /** Removes the effects of an admitted transaction that has left the pool, and that no later one of its signers builds on. */
  release(order: PoolOrder): void
  /** Drops the admitted transactions: the next check runs on the latest commit. */
  reset(): void
}

/** The state below the check state, until it is closed. */
type Base = Reader & { close(): void }

/** The parts of a chain that admission reads. */
interface Dependencies {
  readonly app: Pick<Application, 'check' | 'isEthereumTx' | 'placeOf' | 'releaseChecked' | 'resetCheckState'>
  /** Opens the state of the latest commit, or that of genesis before the first one. */
  open(): Base
  tip(): Tip
}

export function createCheckState({ app, open, tip }: Dependencies): CheckState {
  /** The snapshot below the check state; opened by the first check after a reset. */
  let base: Base | undefined

  /** Refuses a transaction that no block has room for: it would wait forever and cause empty blocks. */
  function requireRoomInBlock({ length }: Uint8Array): void {
    const room = roomForTxs(tip())
    if (length > room) throw errors.txTooLarge(`${length} bytes, and a block has room for ${room}`)
  }

  function requireBase(): void {
    if (base) return
    base = open()
    app.resetCheckState(base, tip())
  }

  const check: CheckState['check'] = (bytes, mode, take) => {
    requireBase()
    try {
      requireRoomInBlock(bytes)
      return app.check(bytes, mode, take)
    } catch (error) {
      if (error instanceof ChainError) return refusal(error)
      throw error
    }
  }

  return {
    check,
    probe(bytes) {
      let passed: CheckResult | undefined
      const result = check(bytes, 'check', (found) => {
        passed = found
        throw errors.txInMempool('not kept')
      })
      return passed ?? result
    },
    isEthereumTx(bytes) {
      requireBase()
      return app.isEthereumTx(bytes)
    },
    placeOf(bytes) {
      requireBase()
      return app.placeOf(bytes)
    },
    release(order) {
      if (base) app.releaseChecked(order)
    },
    reset() {
      base?.close()
      base = undefined
    },
  }
}

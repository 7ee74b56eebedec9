/**
 * The state that the calls of one message share under the behaviour `callsPayForStores`, as in the reference: addresses and slots
 * stay warm from call to call, and refunds count in each (docs/modules/evm.md#calls-by-the-module).
 */
import type { Evm } from '../../../evm/host.ts'
import { equal } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { Context } from '../../../sdk/context.ts'
import { withoutGas } from '../../../sdk/create-context.ts'
import { metered } from '../../../store/gas.ts'
import * as auth from '../../auth/keeper.ts'
import * as staking from '../../staking/keeper.ts'
import { params } from '../params.ts'
import { evmAccount, LOG_COUNT_KEY, TRANSIENT_STORE, TX_INDEX_KEY } from '../state.ts'
import { createAccesses } from './store-charges.ts'

/** Share of the used gas that refunds can reach (EIP-3529). */
const MOST_REFUND = 5n

export interface CallSession {
  /** Names the account for which the message calls. The module by default. */
  openFor(account: Uint8Array): void
  /** Charges what precedes a call, and warms what earlier calls warmed. */
  begin(evm: Evm, from: Uint8Array, to: Uint8Array | undefined): void
  /** Keeps what a call warmed, and its refunds. */
  end(evm: Evm): void
  /** Returns the gas of a call outside a transaction after the refunds so far. */
  afterRefund(evm: Evm, used: bigint): bigint
}

/** Creates the session of a message; undefined without the behaviour. */
export function openCallSession(ctx: Context): CallSession | undefined {
  if (!ctx.identity.behaviours.callsPayForStores) return undefined
  let origin = evmAccount.address
  let isOpen = false
  let warmed: ReturnType<Evm['journal']['warmed']> = []
  let refund = 0n

  /** Charges the reads from which the reference creates its interpreter: nonce, parameters, validator that proposes. */
  function open(): void {
    isOpen = true
    auth.getAccount(ctx, origin)
    params(ctx)
    const operator = staking.operatorOf(ctx, ctx.block.proposer)
    if (operator) staking.getValidator(ctx, operator)
  }

  return {
    openFor(account) {
      origin = account
    },
    begin({ journal, options }, from, to) {
      if (!isOpen) open()
      auth.getAccount(ctx, from)
      for (const address of [from, to, options.block.coinbase]) if (address) journal.warmFromStart(address)
      for (const { address, slots } of warmed) {
        journal.warmFromStart(address)
        for (const slot of slots) journal.warmSlot(address, slot)
      }
      if (refund > 0n) journal.addRefund(Number(refund))
    },
    end({ journal }) {
      warmed = journal.warmed()
      refund = journal.refund()
    },
    afterRefund({ journal }, used) {
      const counter = journal.refund()
      const most = used / MOST_REFUND
      return used - (counter < most ? counter : most)
    },
  }
}

/** Charges the reads of a contract's size besides that of its account, which is undefined if it does not exist. */
export function chargeCodeSize(ctx: Context, account: auth.Account | undefined): void {
  if (!account || !ctx.identity.behaviours.callsPayForStores) return
  const { balance, code } = createAccesses(() => ctx)
  balance(account.address)
  if (!equal(account.codeHash, EMPTY_CODE_HASH)) code(account.address)
}

/** Charges the reads of a transaction's position in its block, at the prices of a committed store. */
export function chargePosition(ctx: Context): void {
  if (!ctx.identity.behaviours.callsPayForStores) return
  const values = metered(withoutGas(ctx).transient, ctx.gas)
  values.get(TRANSIENT_STORE, TX_INDEX_KEY)
  values.get(TRANSIENT_STORE, LOG_COUNT_KEY)
}

/** Payments, bounded by signatures (D55). */
import { recoverAuthority } from '../../../src/evm/transaction/sender.ts'
import * as authzState from '../../../src/modules/authz/state.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import * as evm from '../../../src/modules/evm/keeper.ts'
import * as feegrantState from '../../../src/modules/feegrant/state.ts'
import { toKey } from '../../../src/primitives/bytes.ts'
import { type Actor, actors } from '../actors.ts'
import { NATIVE } from '../messages.ts'
import type { Wish } from '../transactions.ts'
import { FUNTOKEN } from '../world.ts'
import { addTo, type Checked, type Invariant } from './invariant.ts'

const WEI_PER_UNIT = 10n ** 12n

/** Returns the sum of the native coins anywhere in a message. Unit: unative. */
function coinsIn(value: unknown): bigint {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0n
  const { denom, amount } = value as { readonly denom?: unknown; readonly amount?: unknown }
  if (typeof denom === 'string' && typeof amount === 'string') return denom === NATIVE ? BigInt(amount) : 0n
  return Object.values(value).reduce<bigint>((sum, part) => sum + coinsIn(part), 0n)
}

/** Returns the most that a transaction takes besides its fee; undefined if its contents do not say it. Unit: wei. */
function outlayOf(wish: Wish): bigint | undefined {
  if (wish.kind === 'evm') return wish.to && toKey(wish.to) === toKey(FUNTOKEN) ? undefined : wish.valueWei
  let sum = 0n
  for (const { schema, message } of wish.messages) {
    // A mapping costs a fee that is a parameter, and executed messages are packed.
    if (/Msg(CreateFunToken|Exec)$/.test(schema.typeName)) return undefined
    sum += coinsIn(message) * WEI_PER_UNIT
  }
  return sum
}

/** Returns the addresses whose coins others move: granters, and accounts with code, also within the block. */
function sharedAccounts({ ctx, sent }: Checked): ReadonlySet<string> {
  const shared = new Set<string>()
  for (const [granter] of authzState.grants.keys(ctx)) shared.add(toKey(granter))
  for (const [, granter] of feegrantState.grants.keys(ctx)) shared.add(toKey(granter))
  for (const { address } of actors) if (evm.code(ctx, address)) shared.add(toKey(address))
  for (const { wish } of sent) {
    if (wish.kind !== 'evm') continue
    for (const authorization of wish.authorizations ?? []) {
      const owner = recoverAuthority(authorization)
      if (owner) shared.add(toKey(owner))
    }
  }
  return shared
}

export const paymentInvariants: readonly Invariant[] = [
  {
    name: 'no Ethereum transaction costs more than its sender signed',
    broken({ block, sent }) {
      if (!block) return undefined
      for (const { txIndex, gasUsed, effectiveGasPrice, from } of block.output.evmTxs) {
        const one = sent[txIndex]
        if (one?.wish.kind !== 'evm') return 'a transaction of messages ran as an Ethereum transaction'
        const paid = gasUsed * effectiveGasPrice
        if (paid > one.feeWei) return `a transaction paid ${paid} wei of at most ${one.feeWei}`
        if (toKey(from) !== toKey(one.wish.signer.address))
          return 'a transaction ran for an account that did not sign it'
      }
      return undefined
    },
  },
  {
    name: 'no account loses more in a block than its signatures permit',
    broken(after) {
      const { ctx, sent, memory, block } = after
      const now = new Map(actors.map((actor) => [actor, bank.balanceWei(ctx, actor.address)]))
      const before = memory.get('balances') as ReadonlyMap<Actor, bigint> | undefined
      const sharedBefore = memory.get('shared accounts') as ReadonlySet<string> | undefined
      const shared = sharedAccounts(after)
      memory.set('balances', now)
      memory.set('shared accounts', shared)
      if (!block || !before || !sharedBefore) return undefined
      const permitted = new Map<string, bigint>()
      const unknown = new Set([...shared, ...sharedBefore])
      for (const { wish, feeWei } of sent) {
        const outlay = outlayOf(wish)
        const signer = toKey(wish.signer.address)
        if (outlay === undefined) unknown.add(signer)
        else addTo(permitted, signer, feeWei + outlay)
      }
      for (const [actor, balance] of now) {
        const lost = before.get(actor)! - balance
        const key = toKey(actor.address)
        if (lost > (permitted.get(key) ?? 0n) && !unknown.has(key)) {
          return `${actor.name} lost ${lost} wei and signed for ${permitted.get(key) ?? 0n}`
        }
      }
      return undefined
    },
  },
]

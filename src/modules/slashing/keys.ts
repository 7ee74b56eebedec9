/** Consensus keys of new validators: not one that double signed, nor one that another operator signed with. */
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { errors as stakingErrors } from '../staking/errors.ts'
import { isTombstoned } from './keeper.ts'
import * as state from './state.ts'

/** A key by its consensus address, 20 bytes, and the operator that it signs for. */
interface OwnedKey {
  readonly consensus: Uint8Array
  readonly operator: Uint8Array
}

/**
 * Records the operator of a key that leaves with its validator, if the key has signed. Evidence can still name the key, and must
 * not punish another operator. Costs no gas.
 */
export function retireKey(ctx: Context, { consensus, operator }: OwnedKey): void {
  const free = withoutGas(ctx)
  if (state.signingInfos.has(free, consensus)) state.retiredKeys.set(free, consensus, operator)
}

/** Throws staking 5 for a key that is tombstoned, or retired by another operator. Costs no gas. */
export function requireUsableKey(ctx: Context, { consensus, operator }: OwnedKey): void {
  if (ctx.identity.behaviours.tombstonedKeysReturn) return
  const free = withoutGas(ctx)
  const text = address.formatConsensus(ctx, consensus)
  if (isTombstoned(free, consensus)) throw stakingErrors.publicKeyExists(`${text} is tombstoned`)
  const former = state.retiredKeys.get(free, consensus)
  if (!former || equal(former, operator)) return
  throw stakingErrors.publicKeyExists(`${text} is a former key of ${address.formatValidator(ctx, former)}`)
}

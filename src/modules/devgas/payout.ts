/** The share of a contract's fees, paid when a call of it has gone through (devgas.md §7). */
import { create } from '@bufbuild/protobuf'
import { EventPayoutDevGasSchema, EventPayoutFailedDevGasSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { AppFacts, Context } from '../../sdk/context.ts'
import { typedEvent } from '../../sdk/typed-event.ts'
import type { ChainEvent } from '../../store/types.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as distribution from '../distribution/keeper.ts'
import type { ContractCalled } from '../evm/hooks.ts'
import * as devgas from './keeper.ts'

/** A share of one, of one base unit in wei. Both roundings are downwards, so that they can be one. */
const SHARE_OF_UNIT = decimal.one * bank.WEI_PER_UNIT

/** Part of a fee that is the developer's: rounded down to wei, then to base units. `share` is below or equal to 1. */
export function shareOf(feeWei: bigint, share: decimal.Decimal): bigint {
  return (feeWei * share) / SHARE_OF_UNIT
}

/** The JSON of what a withdrawer got: nothing in it needs escaping. */
function payoutsText(withdrawer: string, denom: string, amount: string): string {
  return `[{"withdraw_address":"${withdrawer}","fees_paid":[{"denom":"${denom}","amount":"${amount}"}]}]`
}

/** What the record of a contract comes to in an application under a profile. */
interface Payee {
  readonly identity: Identity
  readonly app: AppFacts
  readonly withdrawer: Uint8Array
  readonly isBlocked: boolean
  /** The event of a payout, as far as it is the same every time. */
  readonly event: ChainEvent
  readonly payoutsAt: number
  /** JSON of the payouts, before and behind the amount. */
  readonly payouts: readonly [string, string]
  readonly txHashAt: number
}

/** Records come out of the state as the same object again, most of the time. */
const payees = new WeakMap<devgas.FeeShare, Payee>()

/** Throws sdk 7 for a withdrawer that is no address. */
function payeeOf(ctx: Context, share: devgas.FeeShare): Payee {
  const { identity, app } = ctx
  const known = payees.get(share)
  if (known?.identity === identity && known.app === app) return known
  const { contractAddress: contract, withdrawerAddress } = share
  const event = typedEvent(ctx, EventPayoutDevGasSchema, create(EventPayoutDevGasSchema, { contract }))
  const placeOf = (field: string) => event.attributes.findIndex(({ key }) => key === identity.toProfileField(field))
  const [before, behind] = JSON.stringify(payoutsText(withdrawerAddress, identity.baseDenom, '#')).split('#')
  const withdrawer = address.parse(ctx, withdrawerAddress)
  const payee = {
    identity,
    app,
    withdrawer,
    isBlocked: app.isBlocked(withdrawer),
    event,
    payoutsAt: placeOf('payouts'),
    payouts: [before!, behind!],
    txHashAt: placeOf('tx_hash'),
  } as const
  payees.set(share, payee)
  return payee
}

function emitPayout(
  ctx: Context,
  { event, payoutsAt, payouts, txHashAt }: Payee,
  amount: bigint,
  hash: Uint8Array,
): void {
  const attributes = event.attributes.slice()
  attributes[payoutsAt] = { key: attributes[payoutsAt]!.key, value: `${payouts[0]}${amount}${payouts[1]}` }
  attributes[txHashAt] = { key: attributes[txHashAt]!.key, value: JSON.stringify(formatHex0x(hash)) }
  ctx.emitEvent(event.type, attributes)
}

function payPool(ctx: Context, contract: string, coins: readonly Coin[], hash: Uint8Array): void {
  distribution.fundCommunityPool(ctx, auth.feeCollector.address, coins)
  ctx.emit(EventPayoutDevGasSchema, {
    payouts: '[]',
    contract,
    txHash: formatHex0x(hash),
    communityPool: format(coins),
  })
}

function payShare(ctx: Context, share: devgas.FeeShare, { gasUsed, priceWei, hash }: ContractCalled): void {
  const { enableFeeShare, developerShares, allowedDenoms } = devgas.params(ctx)
  if (!enableFeeShare) return
  const amount = shareOf(gasUsed * priceWei, decimal.decode(developerShares) ?? decimal.zero)
  if (amount === 0n) return
  const payee = payeeOf(ctx, share)
  const { baseDenom: denom } = ctx.identity
  const coins: readonly Coin[] = [{ denom, amount }]
  const branch = ctx.branch()
  const isAllowed = allowedDenoms.length === 0 || allowedDenoms.includes(denom)
  if (isAllowed && !payee.isBlocked) {
    bank.send(branch, auth.feeCollector.address, payee.withdrawer, coins)
    emitPayout(branch, payee, amount, hash)
  } else payPool(branch, share.contractAddress, coins, hash)
  branch.merge()
}

/**
 * Pays what a call of a registered contract earned; the context of an Ethereum transaction has free gas. Whatever goes wrong
 * here is undone here and told by an event: the call stays as it is.
 */
export function payOut(ctx: Context, called: ContractCalled): void {
  try {
    const share = devgas.feeShare(ctx, called.contract)
    if (share) payShare(ctx, share, called)
  } catch (error) {
    const isExpected = error instanceof ChainError
    if (!isExpected) ctx.app.onBug(error)
    ctx.emit(EventPayoutFailedDevGasSchema, {
      contract: address.format(ctx, called.contract),
      txHash: formatHex0x(called.hash),
      reason: isExpected ? error.message : 'internal',
    })
  }
}

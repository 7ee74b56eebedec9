/** Payout of a contract's share of fees, after a successful call (docs/modules/devgas.md#formulas). */
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

/** A share of 1, times one base unit in wei. Both roundings go down, so one division does both. */
const SHARE_OF_UNIT = decimal.one * bank.WEI_PER_UNIT

/** Returns the developer's part of a fee, rounded down to wei and then to base units. `share` is at most 1. */
export function shareOf(feeWei: bigint, share: decimal.Decimal): bigint {
  return (feeWei * share) / SHARE_OF_UNIT
}

/** Returns the JSON of a payout. Nothing in it needs escaping. */
function payoutsText(withdrawer: string, denom: string, amount: string): string {
  return `[{"withdraw_address":"${withdrawer}","fees_paid":[{"denom":"${denom}","amount":"${amount}"}]}]`
}

/** A record prepared for payouts under one profile and application. */
interface Payee {
  readonly identity: Identity
  readonly app: AppFacts
  readonly withdrawer: Uint8Array
  readonly isBlocked: boolean
  /** The payout event, without the fields that differ between payouts. */
  readonly event: ChainEvent
  readonly payoutsAt: number
  /** JSON of the payouts, before and after the amount. */
  readonly payouts: readonly [string, string]
  readonly txHashAt: number
}

/** Cache by record: reads mostly return the same object. */
const payees = new WeakMap<devgas.FeeShare, Payee>()

/** Returns the cached payee of a record. Throws sdk 7 for an invalid withdrawer. */
function payeeOf(ctx: Context, share: devgas.FeeShare): Payee {
  const { identity, app } = ctx
  const known = payees.get(share)
  if (known?.identity === identity && known.app === app) return known
  const { contractAddress: contract, withdrawerAddress } = share
  const event = typedEvent(ctx, EventPayoutDevGasSchema, create(EventPayoutDevGasSchema, { contract }))
  const placeOf = (field: string) => event.attributes.findIndex(({ key }) => key === identity.toProfileField(field))
  const [before, after] = JSON.stringify(payoutsText(withdrawerAddress, identity.baseDenom, '#')).split('#')
  const withdrawer = address.parse(ctx, withdrawerAddress)
  const payee = {
    identity,
    app,
    withdrawer,
    isBlocked: app.isBlocked(withdrawer),
    event,
    payoutsAt: placeOf('payouts'),
    payouts: [before!, after!],
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
 * Pays the share of a call of a registered contract. The context of an Ethereum transaction has free gas. A failure rolls
 * back the payout alone and emits an event; the result of the call does not change.
 */
export function payOut(ctx: Context, called: ContractCalled): void {
  try {
    const share = devgas.feeShare(ctx, called.contract)
    if (share) payShare(ctx, share, called)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    ctx.emit(EventPayoutFailedDevGasSchema, {
      contract: address.format(ctx, called.contract),
      txHash: formatHex0x(called.hash),
      reason: error.message,
    })
  }
}

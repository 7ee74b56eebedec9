/** What modules that are not built gave to distribution, as events tell it. */
import * as address from '../src/identity/address.ts'
import * as distribution from '../src/modules/distribution/keeper.ts'
import { fromCoins } from '../src/primitives/dec-coin.ts'
import * as decimal from '../src/primitives/decimal.ts'
import type { Context } from '../src/sdk/context.ts'
import { movementsOf } from './movements.ts'
import type { RecordedEvent } from './recording.ts'

/** Books what minted coins came to the community pool: the movement itself is applied with all others. */
export function fundPool(ctx: Context, events: readonly RecordedEvent[]): void {
  const minters = new Set(
    events.flatMap(({ type, attributes }) => (type === 'coinbase' ? [attributes[0]?.value ?? ''] : [])),
  )
  const pool = address.format(ctx, distribution.distributionAccount.address)
  for (const { from, steps } of movementsOf(events)) {
    if (!minters.has(from)) continue
    for (const step of steps) {
      if (step.kind === 'receive' && step.account === pool) distribution.addToPool(ctx, fromCoins(step.coins))
    }
  }
}

/** Books rewards of validators that are not of the block's fees. */
export function shareRewards(ctx: Context, events: readonly RecordedEvent[]): void {
  for (const { type, attributes } of events) {
    const of = (key: string) => attributes.find((one) => one.key === key)?.value ?? ''
    if (type !== 'rewards') continue
    const reward = of('amount')
      .split(',')
      .flatMap((text) => {
        const match = /^([\d.]+)(.+)$/.exec(text)
        const amount = match && decimal.parse(match[1]!)
        return match && amount ? [{ denom: match[2]!, amount }] : []
      })
    distribution.allocateToValidator(ctx, address.parseValidator(ctx, of('validator')), reward)
  }
}

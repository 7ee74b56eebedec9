/** Coin movements read from recorded events, by which substitutes of unbuilt modules write to bank and auth. */
import * as address from '../src/identity/address.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { balance, setBalance } from '../src/modules/bank/balance.ts'
import { supplies } from '../src/modules/bank/state.ts'
import { type Coin, tryParseText } from '../src/primitives/coin.ts'
import type { Context } from '../src/sdk/context.ts'
import type { RecordedEvent } from './recording.ts'

type Step =
  | { readonly kind: 'spend' | 'receive'; readonly account: string; readonly coins: readonly Coin[] }
  | { readonly kind: 'mint' | 'burn'; readonly coins: readonly Coin[] }
  | { readonly kind: 'account'; readonly account: string }

/** One operation of the bank: a transfer to one or more accounts, a mint, or a burn. */
export interface Movement {
  /** Address of the payer, or of the minter. */
  readonly from: string
  readonly isBurn: boolean
  readonly steps: readonly Step[]
}

function attribute(event: RecordedEvent, key: string): string {
  return event.attributes.find((one) => one.key === key)?.value ?? ''
}

function coinsOf(event: RecordedEvent): readonly Coin[] {
  const text = attribute(event, 'amount')
  const coins = tryParseText(text)
  if (!coins) throw new Error(`event ${event.type}: amount "${text}" is not a list of coins`)
  return coins
}

/** Returns the operations that a list of events reports, in order. */
export function movementsOf(events: readonly RecordedEvent[]): Movement[] {
  const movements: { from: string; isBurn: boolean; steps: Step[] }[] = []
  for (const [i, event] of events.entries()) {
    const last = movements.at(-1)
    switch (event.type) {
      case 'coin_spent': {
        const from = attribute(event, 'spender')
        movements.push({ from, isBurn: false, steps: [{ kind: 'spend', account: from, coins: coinsOf(event) }] })
        break
      }
      case 'coin_received': {
        const account = attribute(event, 'receiver')
        const step: Step = { kind: 'receive', account, coins: coinsOf(event) }
        // A mint has a receiver and no payer.
        if (events[i + 1]?.type === 'coinbase' || !last) movements.push({ from: account, isBurn: false, steps: [step] })
        else last.steps.push(step)
        break
      }
      case 'transfer':
        last?.steps.push({ kind: 'account', account: attribute(event, 'recipient') })
        break
      case 'coinbase':
        last?.steps.push({ kind: 'mint', coins: coinsOf(event) })
        break
      case 'burn':
        if (!last) break
        last.isBurn = true
        last.steps.push({ kind: 'burn', coins: coinsOf(event) })
    }
  }
  return movements
}

/** Applies an operation to bank and auth, without checking permissions or balances. */
export function applyMovement(ctx: Context, { steps }: Movement): void {
  for (const step of steps) {
    switch (step.kind) {
      case 'spend':
      case 'receive': {
        const holder = address.parseSigner(ctx, step.account)
        const sign = step.kind === 'spend' ? -1n : 1n
        for (const { denom, amount } of step.coins) {
          setBalance(ctx, holder, denom, balance(ctx, holder, denom) + sign * amount)
        }
        break
      }
      case 'mint':
      case 'burn': {
        const sign = step.kind === 'burn' ? -1n : 1n
        for (const { denom, amount } of step.coins) {
          const supply = (supplies.get(ctx, denom) ?? 0n) + sign * amount
          if (supply === 0n) supplies.delete(ctx, denom)
          else supplies.set(ctx, denom, supply)
        }
        break
      }
      case 'account':
        auth.ensureAccount(ctx, address.parseSigner(ctx, step.account))
    }
  }
}

/** The blocks that the engines of a network have agreed on, and the outcome that each application must have for them. */
import type { Validator } from '../../src/app/records.ts'
import { formatHex } from '../../src/primitives/bytes.ts'
import { type Block, type Outcome, type Tip, tipAfter, tipAtGenesis } from './chain.ts'

/** A broken invariant. */
export class Broken extends Error {}

export interface Ledger {
  tip(): Tip
  height(): number
  block(height: number): Block
  /** Returns the outcome of a block that an application has executed. */
  outcome(height: number): Outcome | undefined
  /** Compares the answer to InitChain with those before. */
  begin(who: string, appHash: Uint8Array, validators: readonly Validator[]): void
  /** Adds a decided block, whose outcome no application has answered yet. */
  decide(block: Block): void
  /** Compares the outcome of a block with those before. */
  record(who: string, height: number, outcome: Outcome): void
}

export function createLedger(): Ledger {
  const blocks: Block[] = []
  const outcomes = new Map<number, { readonly who: string; readonly outcome: Outcome }>()
  let genesis: { readonly who: string; readonly text: string } | undefined
  let tip: Tip | undefined

  const requireTip = (): Tip => {
    if (!tip) throw new Error('no application has begun the chain')
    return tip
  }

  return {
    tip: requireTip,
    height: () => blocks.length,
    block: (height) => blocks[height - 1]!,
    outcome: (height) => outcomes.get(height)?.outcome,
    begin(who, appHash, validators) {
      const text = [appHash, ...validators.map(({ publicKey }) => publicKey)].map(formatHex).join(' ')
      genesis ??= { who, text }
      if (genesis.text !== text)
        throw new Broken(`InitChain: ${who} answers ${text}, and ${genesis.who} ${genesis.text}`)
      tip ??= tipAtGenesis(appHash, validators)
    },
    decide(block) {
      blocks.push(block)
    },
    record(who, height, outcome) {
      const known = outcomes.get(height)
      if (!known) {
        outcomes.set(height, { who, outcome })
        tip = tipAfter(requireTip(), blocks[height - 1]!, outcome)
        return
      }
      if (known.outcome.text === outcome.text) return
      throw new Broken(`block ${height}: ${difference([known.who, who], known.outcome.text, outcome.text)}`)
    },
  }
}

/** Returns the first lines that differ. */
function difference([a, b]: readonly [string, string], first: string, second: string): string {
  const [left, right] = [first.split('\n'), second.split('\n')]
  const at = left.findIndex((line, i) => line !== right[i])
  const line = at < 0 ? left.length : at
  return `\n  ${a}: ${left[line] ?? 'nothing more'}\n  ${b}: ${right[line] ?? 'nothing more'}`
}

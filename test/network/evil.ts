/** Proposals that no honest node makes. */
import type { Actor } from '../simulation/actors.ts'
import type { Dice } from './dice.ts'
import { senders } from './genesis.ts'
import type { Dialect } from './requests.ts'
import { type PlannedTx, txOf } from './transactions.ts'

/** Returns the sequence of a sender in the state that the block builds on. */
export type NonceOf = (sender: Actor) => bigint

export interface Evil {
  readonly name: string
  readonly txs: readonly PlannedTx[]
  /** Bytes that are no transaction, after the others. */
  readonly rubbish?: Uint8Array
  /**
   * The versions of ABCI whose nodes reject it. Proposers of version 1.0 can be nodes of another implementation, which orders
   * transactions differently.
   */
  readonly rejectedBy: readonly Dialect[]
}

const ALL: readonly Dialect[] = ['1.0', '2.0']
const OURS: readonly Dialect[] = ['2.0']

/** Returns `count` transactions of a sender, from its sequence on. */
const run = (sender: Actor, nonceOf: NonceOf, count: number): PlannedTx[] =>
  Array.from({ length: count }, (_, i) => txOf(sender, nonceOf(sender) + BigInt(i), 'send'))

type Make = (dice: Dice, nonceOf: NonceOf) => Omit<Evil, 'name'>

/** Makers of proposals by name. */
const MAKERS: Readonly<Record<string, Make>> = {
  undecodable(dice, nonceOf) {
    const txs = run(dice.pick(senders), nonceOf, dice.below(3))
    const cut = txs[0]?.bytes.subarray(0, dice.below(80))
    const rubbish = cut ?? Uint8Array.from({ length: 1 + dice.below(60) }, () => dice.below(256))
    return { txs, rubbish, rejectedBy: ALL }
  },
  duplicate(dice, nonceOf) {
    const txs = run(dice.pick(senders), nonceOf, 1 + dice.below(2))
    return { txs: [...txs, dice.pick(txs)], rejectedBy: ALL }
  },
  'too many bytes'(dice, nonceOf) {
    const sender = senders[dice.below(3)]!
    const nonce = nonceOf(sender)
    return { txs: [txOf(sender, nonce, 'large'), txOf(sender, nonce + 1n, 'large')], rejectedBy: ALL }
  },
  'too much gas'(dice, nonceOf) {
    const [first, second] = dice.shuffled(senders)
    return { txs: [...run(first!, nonceOf, 4), ...run(second!, nonceOf, 3)], rejectedBy: OURS }
  },
  'falling sequences'(dice, nonceOf) {
    const [first, second] = run(dice.pick(senders), nonceOf, 2)
    return { txs: [second!, first!], rejectedBy: OURS }
  },
  'a missing sequence'(dice, nonceOf) {
    const [first, , third] = run(dice.pick(senders), nonceOf, 3)
    return { txs: [first!, third!], rejectedBy: OURS }
  },
}

export function evilOf(dice: Dice, nonceOf: NonceOf): Evil {
  const name = dice.pick(Object.keys(MAKERS))
  return { name, ...MAKERS[name]!(dice, nonceOf) }
}

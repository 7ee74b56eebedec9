/** A feeder, which commits to prices and reveals them with one transaction per voting period (docs/modules/oracle.md#messages). */
import { create } from '@bufbuild/protobuf'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { voteHash } from '../../modules/oracle/vote-text.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { queryError } from '../../primitives/errors.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { encodeSigned, type Fee, type PlannedMessage, type TxPlan } from '../../sdk/sign-tx.ts'
import type { Log } from '../log.ts'
import type { PriceSource } from './prices.ts'

/** The chain interface of a feeder. Every method rejects if the node does not answer. */
export interface FeederChain {
  readonly chainId: string
  height(): Promise<bigint>
  /** Returns how often the chain has gone back to an earlier height. Without this method it never does. */
  rollbacks?(): number
  /** Returns the length of a voting period in blocks, and the pairs to vote on, in the order of the parameters. */
  targets(): Promise<{ readonly votePeriod: bigint; readonly pairs: readonly string[] }>
  account(address: string): Promise<{ readonly number: bigint; readonly sequence: bigint }>
  /** Returns the hash of a validator's prevote in the state; undefined without a prevote. */
  prevote(validator: string): Promise<string | undefined>
  /** Submits a transaction. Resolves with the result of admission. */
  broadcast(tx: Uint8Array): Promise<{ readonly code: number; readonly log: string }>
}

/** Behaviour of a validator's feeder; the last two cause misses and slashing. */
export type FeederBehaviour = 'honest' | 'silent' | 'liar'

export interface FeederKey {
  readonly algorithm: TxPlan['key']['algorithm']
  /** 33 bytes. */
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  /** 32 bytes. */
  readonly privateKey: Uint8Array
}

export interface FeederOptions {
  readonly identity: Identity
  readonly chain: FeederChain
  /** Operator of the validator, Bech32. */
  readonly validator: string
  /** Key of the validator, or of its delegate. */
  readonly key: FeederKey
  readonly prices: PriceSource
  /** Returns the fee of the next transaction, which needs at most this gas; by default the fee is empty. */
  readonly fee?: (gasLimit: bigint) => Fee
  readonly log: Log
  /** Returns numbers from 0 to below 1, for salts. */
  readonly random: () => number
  readonly behaviour?: () => FeederBehaviour
}

/** A prevote that this feeder sent. */
interface SentPrevote {
  readonly hash: string
  readonly salt: string
  readonly rates: string
  /** Voting period of the prevote. */
  readonly period: bigint
}

/** Gas limit of due votes, whose price is constant. */
const VOTE_GAS = 7_000n
/** Gas limit of the first transaction: a prevote of an earlier run in the same period makes this one cost its work. */
const FIRST_GAS = 150_000n
const SALTS = 9_999
/** Number of prevotes that are remembered for a chain that goes back. */
const MAX_REMEMBERED = 256
/** Code of admission while the account's last vote is not in a block yet. */
const VOTE_WAITS = sdkErrors.wrongSequence().code
/** Factor of a liar's prices. */
const LIE = 3n
const ABSTAIN = '-1.000000000000000000'

/** The result of a step: a vote was sent, no vote is due yet, or admission refused it. */
export type StepResult = 'sent' | 'waiting' | 'refused'

/** Both methods read the chain once, and reject if the node does not answer. Calls must not overlap. */
export interface Feeder {
  /** Votes once per voting period: reveals the prices of the last period's prevote, and sends a new prevote. */
  step(): Promise<StepResult>
  /** Reveals the last prevote without a new one. Rejects if no prevote can be revealed. */
  conclude(): Promise<StepResult>
}

export function createFeeder(options: FeederOptions): Feeder {
  const { identity, chain, validator, key, prices, log, random } = options
  const behaviour = options.behaviour ?? (() => 'honest')
  const feeder = formatBech32(identity.bech32.account, key.address)
  let lastPrevote: SentPrevote | undefined
  let remembered: readonly SentPrevote[] = []
  let rollbacks = chain.rollbacks?.()
  /** Period of the last vote. */
  let votedPeriod: bigint | undefined
  let votePeriod: bigint | undefined

  async function ratesOf(pairs: readonly string[]): Promise<string> {
    const known = await prices(pairs)
    return pairs
      .map((pair) => {
        const price = known.get(pair) ?? ABSTAIN
        return `(${pair},${behaviour() === 'liar' ? lie(price) : price})`
      })
      .join('|')
  }

  /** Returns the vote that reveals the last prevote, if that is still in the state and its period was the one before. */
  async function reveal(period: bigint): Promise<PlannedMessage[]> {
    if (!lastPrevote || lastPrevote.period + 1n !== period) return []
    if ((await chain.prevote(validator)) !== lastPrevote.hash) return []
    const { salt, rates: exchangeRates } = lastPrevote
    const schema = MsgAggregateExchangeRateVoteSchema
    return [{ schema, message: create(schema, { salt, exchangeRates, feeder, validator }) }]
  }

  async function send(messages: readonly PlannedMessage[], period: bigint): Promise<StepResult> {
    const { number, sequence } = await chain.account(feeder)
    const plan = { identity, messages, key, memo: '', timeoutHeight: 0n, chainId: chain.chainId }
    const gasLimit = lastPrevote ? VOTE_GAS : FIRST_GAS
    const fee = options.fee?.(gasLimit) ?? { gasLimit, amount: [] }
    const tx = encodeSigned({ ...plan, accountNumber: number, sequence }, fee, key.privateKey)
    const { code, log: reason } = await chain.broadcast(tx)
    if (code === 0) return 'sent'
    if (code === VOTE_WAITS) return 'waiting'
    log('warn', 'a vote was refused', { validator, period, code, reason })
    return 'refused'
  }

  /** Resumes from the prevote in the state if the chain has gone back. */
  async function followRollbacks(): Promise<void> {
    const now = chain.rollbacks?.()
    if (now === rollbacks) return
    const hash = await chain.prevote(validator)
    lastPrevote = remembered.findLast((prevote) => prevote.hash === hash)
    votedPeriod = lastPrevote?.period
    votePeriod = undefined
    rollbacks = now
  }

  /** Returns the earliest height of a transaction that is sent now. */
  const nextHeight = async (): Promise<bigint> => (await chain.height()) + 1n

  return {
    async step() {
      if (behaviour() === 'silent') return 'waiting'
      await followRollbacks()
      const next = await nextHeight()
      if (votePeriod !== undefined && next / votePeriod === votedPeriod) return 'waiting'
      const targets = await chain.targets()
      const { pairs } = targets
      votePeriod = targets.votePeriod
      const period = next / votePeriod
      if (pairs.length === 0 || period === votedPeriod) return 'waiting'
      const vote = await reveal(period)
      const rates = await ratesOf(pairs)
      const salt = String(Math.floor(random() * SALTS))
      const hash = voteHash(salt, rates, validator)
      const schema = MsgAggregateExchangeRatePrevoteSchema
      const result = await send([...vote, { schema, message: create(schema, { hash, feeder, validator }) }], period)
      if (result !== 'sent') return result
      votedPeriod = period
      lastPrevote = { hash, salt, rates, period }
      remembered = [...remembered.slice(1 - MAX_REMEMBERED), lastPrevote]
      log('debug', 'voted', { validator, period, revealed: vote.length > 0, rates })
      return result
    },

    async conclude() {
      const next = await nextHeight()
      const period = next / (await chain.targets()).votePeriod
      if (lastPrevote?.period === period) return 'waiting'
      const vote = await reveal(period)
      if (!lastPrevote || vote.length === 0)
        throw queryError('failedPrecondition', 'no prevote can be revealed any more')
      const result = await send(vote, period)
      if (result === 'sent') log('debug', 'revealed', { validator, period, rates: lastPrevote.rates })
      return result
    },
  }
}

/** Returns a price three times as high. */
function lie(price: string): string {
  const [whole = '0', places = ''] = price.split('.')
  const digits = (BigInt(whole + places) * LIE).toString().padStart(places.length + 1, '0')
  return price.startsWith('-') ? price : `${digits.slice(0, -places.length)}.${digits.slice(-places.length)}`
}

/** A feeder: promises prices and reveals them, one transaction each voting period (oracle.md §5, §10). */
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

/** The chain as a feeder sees it, over whatever it speaks. Each rejects when the node does not answer. */
export interface FeederChain {
  readonly chainId: string
  height(): Promise<bigint>
  /** Blocks of a voting period, and the pairs to vote on, in the configured order. */
  targets(): Promise<{ readonly votePeriod: bigint; readonly pairs: readonly string[] }>
  account(address: string): Promise<{ readonly number: bigint; readonly sequence: bigint }>
  /** Hash of the prevote that a validator has in state; undefined for none. */
  prevote(validator: string): Promise<string | undefined>
  /** What admission said. */
  broadcast(tx: Uint8Array): Promise<{ readonly code: number; readonly log: string }>
}

/** How a validator's feeder behaves: so that misses and slashing can be seen. */
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
  /** The validator's own, or its delegate's. */
  readonly key: FeederKey
  readonly prices: PriceSource
  /** Of the next transaction; without it, one that costs nothing. */
  readonly fee?: () => Fee
  readonly log: Log
  /** Numbers below 1, for salts. */
  readonly random: () => number
  readonly behaviour?: () => FeederBehaviour
}

interface Promised {
  readonly hash: string
  readonly salt: string
  readonly rates: string
  /** Voting period of the promise. */
  readonly period: bigint
}

/** A promise and a reveal cost 500 each, and their signature. */
export const VOTE_GAS = 7_000n
const SALTS = 9_999
/** What admission says while the account's last vote is in no block yet. */
const STILL_WAITING = sdkErrors.wrongSequence().code
/** What a liar makes of a price. */
const LIE = 3n
const ABSTAIN = '-1.000000000000000000'

/** What came of a look at the chain: a vote is on its way, there is none to send yet, or admission refused it. */
export type Look = 'sent' | 'waiting' | 'refused'

/** Each looks at the chain once, and rejects when the node does not answer. Never two at a time. */
export interface Feeder {
  /** Votes if this voting period has no vote of it yet: reveals what it promised in the last one and promises anew. */
  step(): Promise<Look>
  /** Reveals what it promised, and promises nothing more. Rejects when there is no promise that could be revealed. */
  conclude(): Promise<Look>
}

export function createFeeder(options: FeederOptions): Feeder {
  const { identity, chain, validator, key, prices, log, random } = options
  const behaviour = options.behaviour ?? (() => 'honest')
  const feeder = formatBech32(identity.bech32.account, key.address)
  let promised: Promised | undefined
  let seen: bigint | undefined
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

  /** The reveal of the last promise, if it is still the one in state and its time has come. */
  async function reveal(period: bigint): Promise<PlannedMessage[]> {
    if (!promised || promised.period + 1n !== period) return []
    if ((await chain.prevote(validator)) !== promised.hash) return []
    const { salt, rates: exchangeRates } = promised
    const schema = MsgAggregateExchangeRateVoteSchema
    return [{ schema, message: create(schema, { salt, exchangeRates, feeder, validator }) }]
  }

  async function send(messages: readonly PlannedMessage[], period: bigint): Promise<Look> {
    const { number, sequence } = await chain.account(feeder)
    const plan = { identity, messages, key, memo: '', timeoutHeight: 0n, chainId: chain.chainId }
    const fee = options.fee?.() ?? { gasLimit: VOTE_GAS, amount: [] }
    const tx = encodeSigned({ ...plan, accountNumber: number, sequence }, fee, key.privateKey)
    const { code, log: reason } = await chain.broadcast(tx)
    if (code === 0) return 'sent'
    if (code === STILL_WAITING) return 'waiting'
    log('warn', 'a vote was refused', { validator, period, code, reason })
    return 'refused'
  }

  /** What is sent now is in the next block at the earliest. */
  const nextHeight = async (): Promise<bigint> => (await chain.height()) + 1n

  return {
    async step() {
      if (behaviour() === 'silent') return 'waiting'
      const next = await nextHeight()
      if (votePeriod !== undefined && next / votePeriod === seen) return 'waiting'
      const targets = await chain.targets()
      const { pairs } = targets
      votePeriod = targets.votePeriod
      const period = next / votePeriod
      if (pairs.length === 0 || period === seen) return 'waiting'
      const vote = await reveal(period)
      const rates = await ratesOf(pairs)
      const salt = String(Math.floor(random() * SALTS))
      const hash = voteHash(salt, rates, validator)
      const schema = MsgAggregateExchangeRatePrevoteSchema
      const look = await send([...vote, { schema, message: create(schema, { hash, feeder, validator }) }], period)
      if (look !== 'sent') return look
      seen = period
      promised = { hash, salt, rates, period }
      log('debug', 'voted', { validator, period, revealed: vote.length > 0, rates })
      return look
    },

    async conclude() {
      const next = await nextHeight()
      const period = next / (await chain.targets()).votePeriod
      if (promised?.period === period) return 'waiting'
      const vote = await reveal(period)
      if (!promised || vote.length === 0) throw queryError('failedPrecondition', 'no promise can be revealed any more')
      const look = await send(vote, period)
      if (look === 'sent') log('debug', 'revealed', { validator, period, rates: promised.rates })
      return look
    },
  }
}

/** A price three times as high. */
function lie(price: string): string {
  const [whole = '0', places = ''] = price.split('.')
  const digits = (BigInt(whole + places) * LIE).toString().padStart(places.length + 1, '0')
  return price.startsWith('-') ? price : `${digits.slice(0, -places.length)}.${digits.slice(-places.length)}`
}

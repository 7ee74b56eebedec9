/** A chain of seven validators without a consensus driver: the test passes blocks and the votes of the last commit to the application. */

import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { requireBlock } from '../../../src/app/halt.ts'
import { localnetGenesis } from '../../../src/app/localnet.ts'
import { ALMANAC_STORES } from '../../../src/app/stores.ts'
import { testApplication } from '../../../src/app/testing.ts'
import type { BlockInput, BlockOutput, GenesisDocument } from '../../../src/app/types.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import { formatBech32, ofEd25519, ofModule } from '../../../src/primitives/address.ts'
import { formatBase64, toKey, utf8 } from '../../../src/primitives/bytes.ts'
import * as decimal from '../../../src/primitives/decimal.ts'
import { sha256 } from '../../../src/primitives/hash.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import { publicKeyOf } from '../../../src/sdk/crypto.ts'
import { addressOf } from '../../../src/sdk/public-key.ts'
import { encodeSigned } from '../../../src/sdk/sign-tx.ts'
import { openMemory } from '../../../src/store/backend/memory.ts'
import { createEmptyBranch } from '../../../src/store/branch.ts'
import { openVersionedStore } from '../../../src/store/versioned.ts'
import type { CommitVote, Rules } from './model.ts'

const CHAIN_ID = 'almanac-localnet-1'
/** 2024-01-01T00:00:00Z */
export const GENESIS_NS = 1_704_067_200_000_000_000n

export interface Person {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  readonly text: string
}

export function personOf(name: string): Person {
  const privateKey = sha256(utf8(`oracle day ${name}`))
  const publicKey = publicKeyOf(privateKey)
  const address = addressOf(almanac, { kind: 'secp256k1', key: publicKey })
  return { privateKey, publicKey, address, text: formatBech32('chain', address) }
}

export interface Seat {
  readonly person: Person
  /** Account that votes on prices for the validator: its operator or another one. */
  readonly feeder: Person
  readonly delegator: Person
  readonly operator: string
  readonly consensusKey: Uint8Array
  readonly consensus: Uint8Array
  readonly tokens: bigint
  /** The operator's own part of the tokens. */
  readonly ownTokens: bigint
  readonly commissionRate: bigint
}

export function seatOf(index: number, tokens: bigint, commissionRate: bigint): Seat {
  const person = personOf(`operator ${index}`)
  const consensusKey = sha256(utf8(`oracle day consensus ${index}`))
  return {
    person,
    feeder: index % 2 === 0 ? person : personOf(`feeder ${index}`),
    delegator: personOf(`delegator ${index}`),
    operator: formatBech32('chainvaloper', person.address),
    consensusKey,
    consensus: ofEd25519(consensusKey),
    tokens,
    ownTokens: (tokens * 2n) / 3n,
    commissionRate,
  }
}

const text = (raw: bigint): string => decimal.format(decimal.fromRaw(raw))
const seconds = (ns: bigint): string => `${ns / 1_000_000_000n}s`

export interface Setting {
  readonly rules: Rules
  readonly seats: readonly Seat[]
  /** Number of seats that are validators from the start; all by default. */
  readonly founders?: number
  readonly root: Person
  /** Reward pool of the oracle in whole coins, and its reward records. */
  readonly rewards: readonly { readonly periods: bigint; readonly coins: Readonly<Record<string, bigint>> }[]
  readonly rewardsHeld: Readonly<Record<string, bigint>>
  readonly accountUnative: bigint
  readonly epochs: readonly { readonly identifier: string; readonly durationNs: bigint; readonly startTime: string }[]
}

/** Signers of transactions, in the order of their account numbers. */
function accountsOf({ seats, root }: Setting): readonly Person[] {
  const feeders = seats.filter(({ person, feeder }) => feeder !== person).map(({ feeder }) => feeder)
  return [root, ...seats.map(({ person }) => person), ...feeders]
}

function genesisOf(setting: Setting): GenesisDocument {
  const { rules, root, rewards, rewardsHeld, accountUnative, epochs } = setting
  const seats = setting.seats.slice(0, setting.founders)
  const accounts = accountsOf(setting)
  const local = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: accounts.map(({ address }) => ({ address, balanceUnative: accountUnative })),
    validators: [{ publicKey: seats[0]!.consensusKey }],
  })
  const state = local.app_state as Record<string, Record<string, object>>
  const bonded = seats.reduce((sum, { tokens }) => sum + tokens, 0n)
  const coinsOf = (held: Readonly<Record<string, bigint>>) =>
    Object.entries(held)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([denom, amount]) => ({ denom, amount: amount.toString() }))
  const native = { unative: accountUnative }
  const supply = { ...rewardsHeld }
  supply['unative'] = (supply['unative'] ?? 0n) + bonded + accountUnative * BigInt(accounts.length)
  const balances = [
    ...accounts.map(({ text: address }) => ({ address, coins: coinsOf(native) })),
    { address: formatBech32('chain', ofModule('bonded_tokens_pool')), coins: coinsOf({ unative: bonded }) },
    { address: formatBech32('chain', ofModule('oracle')), coins: coinsOf(rewardsHeld) },
  ]
  return {
    ...local,
    app_state: {
      ...state,
      bank: { ...state['bank'], balances, supply: coinsOf(supply) },
      sudo: { sudoers: { root: root.text, contracts: [] } },
      staking: {
        ...state['staking'],
        validators: seats.map(({ operator, consensusKey, tokens, commissionRate }, i) => ({
          operator_address: operator,
          consensus_pubkey: { '@type': '/sdk.crypto.ed25519.PubKey', key: formatBase64(consensusKey) },
          status: 'BOND_STATUS_BONDED',
          tokens: tokens.toString(),
          delegator_shares: text(tokens * decimal.one),
          description: { moniker: `seat ${i}` },
          unbonding_time: '1970-01-01T00:00:00Z',
          commission: {
            commission_rates: { rate: text(commissionRate), max_rate: '0.5', max_change_rate: '0.01' },
            update_time: local.genesis_time,
          },
          min_self_delegation: '1',
        })),
        delegations: seats.flatMap(({ person, delegator, operator, tokens, ownTokens }) =>
          [[person, ownTokens] as const, [delegator, tokens - ownTokens] as const].map(([who, amount]) => ({
            delegator_address: who.text,
            validator_address: operator,
            shares: text(amount * decimal.one),
          })),
        ),
      },
      slashing: {
        ...state['slashing'],
        params: {
          signed_blocks_window: rules.signedWindow.toString(),
          min_signed_per_window: text(rules.leastSigned),
          downtime_jail_duration: seconds(rules.jailNs),
          slash_fraction_double_sign: text(decimal.one / 20n),
          slash_fraction_downtime: text(rules.downtimeFraction),
        },
      },
      oracle: {
        ...state['oracle'],
        params: {
          ...state['oracle']!['params'],
          vote_period: rules.votePeriod.toString(),
          vote_threshold: text(rules.threshold),
          reward_band: text(rules.band),
          whitelist: rules.pairs,
          slash_fraction: text(rules.slashFraction),
          slash_window: rules.slashWindow.toString(),
          min_valid_per_window: text(rules.leastValid),
          twap_lookback_window: seconds(rules.lookbackNs),
          min_voters: rules.minVoters.toString(),
        },
        feeder_delegations: seats
          .filter(({ person, feeder }) => feeder !== person)
          .map(({ feeder, operator }) => ({ feeder_address: feeder.text, validator_address: operator })),
        rewards: rewards.map(({ periods, coins }, i) => ({
          id: i.toString(),
          vote_periods: periods.toString(),
          coins: coinsOf(coins),
        })),
      },
      epochs: {
        epochs: epochs.map(({ identifier, durationNs, startTime }) => ({
          identifier,
          start_time: startTime,
          duration: seconds(durationNs),
          current_epoch: '0',
          current_epoch_start_time: '0001-01-01T00:00:00Z',
          epoch_counting_started: false,
          current_epoch_start_height: '0',
        })),
      },
      inflation: {
        ...state['inflation'],
        params: {
          inflation_enabled: true,
          has_inflation_started: true,
          polynomial_factors: rules.factors.map(text),
          inflation_distribution: {
            staking_rewards: text(rules.stakingShare),
            community_pool: text(rules.communityShare),
            strategic_reserves: text(decimal.one - rules.stakingShare - rules.communityShare),
          },
          epochs_per_period: rules.epochsPerPeriod.toString(),
          periods_per_year: '12',
          max_period: rules.maxPeriod.toString(),
        },
      },
    },
  }
}

/** A message and its signer. */
export interface Wish {
  readonly schema: DescMessage
  readonly message: object
}

export interface Chain {
  /** Returns the members whose votes the commit in the next block contains, whether or not they signed. */
  signers(): readonly { readonly member: number; readonly power: bigint }[]
  /** Signs with the given sequence, by default the one after all transactions signed so far. */
  sign(person: Person, wishes: readonly Wish[], fee: bigint, sequence?: bigint): Uint8Array
  makeBlock(
    timeNs: bigint,
    votes: readonly CommitVote[],
    txs: readonly Uint8Array[],
    evidence?: BlockInput['evidence'],
  ): BlockOutput
  read<T>(run: (ctx: ReadContext) => T): T
  close(): Promise<void>
}

/** Starts a chain. An unexpected failure in a transaction fails the test. */
export function startChain(setting: Setting): Chain {
  const { seats } = setting
  const app = testApplication()
  const store = openVersionedStore(openMemory(), { ...ALMANAC_STORES, keepHeights: 4 })
  const genesis = createEmptyBranch()
  const { validators } = app.initChain(genesisOf(setting), genesis)
  const seatNumbers = new Map(seats.map(({ consensus }, i) => [toKey(consensus), i]))
  const numbers = new Map(accountsOf(setting).map(({ text: account }, i) => [account, BigInt(i)]))
  const sequences = new Map<string, bigint>()
  /** Powers by member. `sets` contains those of the signers, from the previous block on: an update takes effect two blocks later. */
  let powers = new Map(validators.map(({ address, power }) => [seatNumbers.get(toKey(address))!, power]))
  const sets = [new Map<number, bigint>(), powers, powers]
  let height = 0n
  let header: Parameters<typeof app.readContext>[1] = {
    height,
    timeNs: GENESIS_NS,
    proposer: new Uint8Array(20),
    hash: new Uint8Array(32),
    lastCommitHash: new Uint8Array(32),
  }

  return {
    signers: () => Array.from(sets[0]!, ([member, power]) => ({ member, power })).sort((a, b) => a.member - b.member),
    sign(person, wishes, fee, sequence = sequences.get(person.text) ?? 0n) {
      sequences.set(person.text, sequence + 1n)
      return encodeSigned(
        {
          identity: almanac,
          messages: wishes.map(({ schema, message }) => ({
            schema,
            message: create(schema, message as MessageInitShape<DescMessage>),
          })),
          memo: '',
          timeoutHeight: 0n,
          key: { algorithm: 'secp256k1', publicKey: person.publicKey },
          chainId: CHAIN_ID,
          accountNumber: numbers.get(person.text)!,
          sequence,
        },
        { gasLimit: 300_000n, amount: [{ denom: 'unative', amount: fee }] },
        person.privateKey,
      )
    },
    makeBlock(timeNs, votes, txs, evidence = []) {
      height++
      header = {
        height,
        timeNs,
        proposer: seats[Number(height) % seats.length]!.consensus,
        hash: sha256(utf8(`block ${height}`)),
        lastCommitHash: sha256(utf8(`commit ${height}`)),
      }
      const lastCommitVotes = votes.map(({ member, power, signed }) => ({
        validator: seats[member]!.consensus,
        power,
        signed,
      }))
      const base = height === 1n ? genesis : store.at()
      const output = requireBlock(app.executeBlock(base, { ...header, txs, lastCommitVotes, evidence }))
      const changes = output.branch.changes()
      if (base === genesis) {
        for (const { store: name, key, value } of changes) {
          if (value === undefined) genesis.delete(name, key)
          else genesis.set(name, key, value)
        }
      } else if ('close' in base) base.close()
      store.commit({ height, changes: base === genesis ? genesis.changes() : changes })
      powers = new Map(powers)
      for (const { address, power } of output.validatorUpdates) {
        const seat = seatNumbers.get(toKey(address))!
        if (power === 0n) powers.delete(seat)
        else powers.set(seat, power)
      }
      sets.shift()
      sets.push(powers)
      return output
    },
    read(run) {
      const state = store.at()
      try {
        return run(app.readContext(state, header))
      } finally {
        state.close()
      }
    },
    close: () => store.close(),
  }
}

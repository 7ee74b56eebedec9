/** Fixture of governance tests: validators and delegators with known stakes, on a real in-memory store. */

import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { MsgUpdateParamsSchema } from '../../src/gen/sdk/consensus/v1/tx_pb.ts'
import type { Proposal, VoteOption } from '../../src/gen/sdk/gov/v1/gov_pb.ts'
import { MsgSubmitProposalSchema } from '../../src/gen/sdk/gov/v1/tx_pb.ts'
import { messageType } from '../../src/identity/registry.ts'
import { bank as bankModule } from '../../src/modules/bank/index.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { consensus } from '../../src/modules/consensus/index.ts'
import { params as consensusParams } from '../../src/modules/consensus/keeper.ts'
import { distribution } from '../../src/modules/distribution/index.ts'
import { gov } from '../../src/modules/gov/index.ts'
import { messages } from '../../src/modules/gov/messages.ts'
import * as state from '../../src/modules/gov/state.ts'
import { slashing } from '../../src/modules/slashing/index.ts'
import { staking } from '../../src/modules/staking/index.ts'
import { messages as stakingMessages } from '../../src/modules/staking/messages.ts'
import { upgrade } from '../../src/modules/upgrade/index.ts'
import { formatBech32 } from '../../src/primitives/address.ts'
import { utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { NS_PER_SECOND } from '../../src/primitives/time.ts'
import type { AppFacts, BranchedContext } from '../../src/sdk/context.ts'
import { defineModule } from '../../src/sdk/module.ts'
import { moduleAccount } from '../../src/sdk/module-account.ts'
import { pack } from '../../src/sdk/packed.ts'
import { encodePublicKey } from '../../src/sdk/public-key.ts'
import { testContext } from '../../src/sdk/testing.ts'

export const DENOM = 'unative'

const mintery = moduleAccount('mintery', 'minter')
const minter = defineModule({ name: 'mintery', accounts: [mintery] })

/** Returns an address of twenty bytes from a name, with its text. */
export const person = (name: string): Uint8Array => sha256(utf8(name)).subarray(0, 20)
export const text = (who: Uint8Array): string => formatBech32('chain', who)
export const AUTHORITY = 'chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax'

/** Returns a context in which governance and the modules it governs are at their genesis. `app` replaces default facts. */
export function govContext(app: Partial<AppFacts> = {}): BranchedContext {
  const modules = [bankModule, consensus, distribution, staking, slashing, upgrade, gov, minter]
  const ctx = testContext({ modules, app: { message: messageType, ...app } })
  for (const { genesis } of modules) genesis?.init(ctx, genesis.defaults(ctx))
  ctx.branchStore.events.length = 0
  return ctx
}

export function fund(ctx: BranchedContext, who: Uint8Array, amount: bigint, denom: string = DENOM): void {
  bank.mint(ctx, mintery, [{ denom, amount }])
  bank.send(ctx, mintery.address, who, [{ denom, amount }])
}

/** Creates a validator with its own stake. It is bonded after a call of `bond`. */
export function validate(ctx: BranchedContext, who: Uint8Array, amount: bigint): void {
  fund(ctx, who, amount)
  stakingMessages.createValidator(ctx, {
    description: { moniker: 'one' },
    commission: { rate: '50000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
    minSelfDelegation: '1',
    delegatorAddress: text(who),
    validatorAddress: formatBech32('chainvaloper', who),
    pubkey: encodePublicKey(ctx.identity, { kind: 'ed25519', key: sha256(who) }),
    value: { denom: DENOM, amount: amount.toString() },
  })
}

export function delegate(ctx: BranchedContext, who: Uint8Array, to: Uint8Array, amount: bigint): void {
  fund(ctx, who, amount)
  stakingMessages.delegate(ctx, {
    delegatorAddress: text(who),
    validatorAddress: formatBech32('chainvaloper', to),
    amount: { denom: DENOM, amount: amount.toString() },
  })
}

/** Runs the end-of-block hook of staking, so that validators are bonded. */
export function bond(ctx: BranchedContext): void {
  staking.endBlock!(ctx)
  ctx.branchStore.events.length = 0
}

/** Advances the time and runs the end-of-block hook of governance. */
export function pass(ctx: BranchedContext, seconds: bigint): void {
  ctx.block.timeNs += seconds * NS_PER_SECOND
  ctx.block.height++
  gov.endBlock!(ctx)
}

export const ONE = 1_000_000n
export const TWO_DAYS = 172_800n
export const ann: Uint8Array = person('ann')
export const ben: Uint8Array = person('ben')
export const cat: Uint8Array = person('cat')

export const coins = (amount: bigint, denom: string = DENOM) => [{ denom, amount: amount.toString() }]

export interface GovWorld {
  readonly ctx: BranchedContext
  /** Returns a message that governance can send: another block gas limit. */
  consensusUpdate(): Any
  /** Checks and submits a proposal as a transaction does; by default from cat, with the whole deposit. */
  submit(part?: MessageInitShape<typeof MsgSubmitProposalSchema>): bigint
  vote(who: Uint8Array, option: VoteOption, proposalId?: bigint): void
  deposit(who: Uint8Array, amount: bigint, denom?: string): void
  proposal(id?: bigint): Proposal
  held(who: Uint8Array): bigint
  /** Returns the attributes of all events of a type so far. */
  events(type: string): readonly Readonly<Record<string, string>>[]
}

/** Returns a chain where ann validates with 60, ben delegates 40 to her, and all three have 100 to spend. */
export function govWorld(app?: Partial<AppFacts>): GovWorld {
  const ctx = govContext(app)
  validate(ctx, ann, 60n * ONE)
  delegate(ctx, ben, ann, 40n * ONE)
  bond(ctx)
  for (const who of [ann, ben, cat]) fund(ctx, who, 100n * ONE)
  ctx.branchStore.events.length = 0
  const consensusUpdate = () => {
    const { block, evidence, validator } = consensusParams(ctx)
    const update = create(MsgUpdateParamsSchema, {
      authority: AUTHORITY,
      block: { ...block!, maxGas: 7_000_000n },
      ...(evidence && { evidence }),
      ...(validator && { validator }),
    })
    return pack(ctx, MsgUpdateParamsSchema, update)
  }
  return {
    ctx,
    consensusUpdate,
    submit(part = {}) {
      const message = create(MsgSubmitProposalSchema, {
        messages: [consensusUpdate()],
        initialDeposit: coins(10n * ONE),
        proposer: text(cat),
        title: 'a title',
        summary: 'a summary',
        ...part,
      })
      ctx.app.validate(ctx, MsgSubmitProposalSchema, message)
      return messages.submitProposal(ctx, message).proposalId
    },
    vote: (who, option, proposalId = 1n) => void messages.vote(ctx, { proposalId, voter: text(who), option }),
    deposit: (who, amount, denom = DENOM) =>
      void messages.deposit(ctx, { proposalId: 1n, depositor: text(who), amount: coins(amount, denom) }),
    proposal: (id = 1n) => state.proposals.get(ctx, id)!,
    held: (who) => bank.balance(ctx, who, DENOM),
    events: (type) =>
      ctx.events
        .filter((event) => event.type === type)
        .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, value]))),
  }
}

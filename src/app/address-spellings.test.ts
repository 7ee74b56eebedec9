/**
 * Addresses in two spellings, and type URLs of two families: every message, query and genesis section has the same effect with
 * either.
 */
import {
  create,
  type DescMessage,
  equals,
  fromBinary,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import * as devgas from '../gen/chain/devgas/v1/tx_pb.ts'
import * as evm from '../gen/chain/evm/v1/tx_pb.ts'
import * as fees from '../gen/chain/fees/v1/tx_pb.ts'
import * as inflation from '../gen/chain/inflation/v1/tx_pb.ts'
import * as oracle from '../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as sudo from '../gen/chain/sudo/v1/tx_pb.ts'
import * as tokenfactory from '../gen/chain/tokenfactory/v1/tx_pb.ts'
import * as auth from '../gen/sdk/auth/v1beta1/tx_pb.ts'
import { GenericAuthorizationSchema } from '../gen/sdk/authz/v1beta1/authz_pb.ts'
import * as authz from '../gen/sdk/authz/v1beta1/tx_pb.ts'
import { SendAuthorizationSchema } from '../gen/sdk/bank/v1beta1/authz_pb.ts'
import { MetadataSchema } from '../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as bank from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import * as consensus from '../gen/sdk/consensus/v1/tx_pb.ts'
import * as distribution from '../gen/sdk/distribution/v1beta1/tx_pb.ts'
import { AllowedMsgAllowanceSchema, BasicAllowanceSchema } from '../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import * as feegrant from '../gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { VoteOption } from '../gen/sdk/gov/v1/gov_pb.ts'
import * as gov from '../gen/sdk/gov/v1/tx_pb.ts'
import { TextProposalSchema } from '../gen/sdk/gov/v1beta1/gov_pb.ts'
import * as legacy from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import * as slashing from '../gen/sdk/slashing/v1beta1/tx_pb.ts'
import { AuthorizationType, StakeAuthorizationSchema } from '../gen/sdk/staking/v1beta1/authz_pb.ts'
import * as staking from '../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as upgrade from '../gen/sdk/upgrade/v1beta1/tx_pb.ts'
import * as vesting from '../gen/sdk/vesting/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { messageType, methods } from '../identity/registry.ts'
import * as authKeeper from '../modules/auth/keeper.ts'
import * as bankKeeper from '../modules/bank/keeper.ts'
import * as consensusKeeper from '../modules/consensus/keeper.ts'
import * as distributionState from '../modules/distribution/state.ts'
import * as funtokens from '../modules/evm/funtoken/mappings.ts'
import * as evmState from '../modules/evm/state.ts'
import { params as govParams } from '../modules/gov/params.ts'
import { voteHash } from '../modules/oracle/vote-text.ts'
import * as stakingKeeper from '../modules/staking/keeper.ts'
import { decodeBech32, formatBech32, formatEip55, ofModule } from '../primitives/address.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { fromCoins } from '../primitives/dec-coin.ts'
import { ChainError } from '../primitives/errors.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { NS_PER_SECOND } from '../primitives/time.ts'
import type { BranchedContext, Context } from '../sdk/context.ts'
import { fromJson } from '../sdk/json.ts'
import { encodePublicKey } from '../sdk/public-key.ts'
import { testContext } from '../sdk/testing.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { localnetGenesis } from './localnet.ts'
import { modules } from './modules.ts'
import { testApplication } from './testing.ts'
import type { GenesisDocument } from './types.ts'
import { ask, questionsFor } from './upgrades/samples.ts'

const TIME = '2024-01-01T00:00:00Z'
const CHAIN_ID = 'almanac-localnet-1'
const person = (name: string): Uint8Array => sha256(utf8(name)).slice(0, 20)
const text = (name: string): string => formatBech32('chain', person(name))
const operator = (name: string): string => formatBech32('chainvaloper', person(name))
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(text) as [string, string, string]
const governance = formatBech32('chain', ofModule('gov'))
const contract = person('a contract')
const contractText = formatBech32('chain', contract)
const unative = (amount: number) => ({ denom: 'unative', amount: String(amount) })
/** Returns a message that creates a vesting account at a new address. */
const vest = <Terms>(name: string, terms: Terms) => ({ fromAddress: alice, toAddress: text(name), ...terms })
const factoryDenom = `factory/${alice}/gold`
const metadata = create(MetadataSchema, {
  name: 'Gold',
  symbol: 'GOLD',
  base: factoryDenom,
  display: factoryDenom,
  denomUnits: [{ denom: factoryDenom, exponent: 0, aliases: [] }],
})

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init)) })
}

/** Returns the other spelling of a text that is an address as a whole: Bech32 in upper case, or hexadecimal digits in lower case. */
function respell(value: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase()
  return 'reason' in decodeBech32(value) ? value : value.toUpperCase()
}

/** A message to run. */
interface Step {
  readonly schema: DescMessage
  readonly message: (ctx: Context) => Message
  /** Changes the state before the message. */
  readonly before?: ((ctx: Context) => void) | undefined
}

function step<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc> | ((ctx: Context) => MessageInitShape<Desc>),
  before?: (ctx: Context) => void,
): Step {
  const message = (ctx: Context) =>
    create(schema, typeof init === 'function' ? (init as (ctx: Context) => never)(ctx) : init)
  return { schema, message, before }
}

/** Returns the step that sends a module's parameters, as they are, from governance. */
function params<Desc extends DescMessage>(schema: Desc, module: string): Step {
  const field = schema.fields.find(({ name }) => name === 'params')!
  const message = (ctx: Context) => {
    const { genesis } = modules.find(({ name }) => name === module)!
    const { params: current } = genesis!.export(ctx) as { params: JsonValue }
    return create(schema, { authority: governance, params: fromJson(ctx, field.message!, current) } as never)
  }
  return { schema, message }
}

const description = { moniker: 'one', identity: '', website: '', securityContact: '', details: '' }
const commission = { rate: `5${'0'.repeat(16)}`, maxRate: `1${'0'.repeat(17)}`, maxChangeRate: `1${'0'.repeat(16)}` }
const keyOf = (name: string) =>
  create(AnySchema, encodePublicKey(almanac, { kind: 'ed25519', key: sha256(utf8(name)) }))
const send = { fromAddress: alice, toAddress: bob, amount: [unative(3)] }
const rates = '(ubtc:uusd,64000.5)'
const prevote = { hash: voteHash('salt', rates, operator('alice')), feeder: carol, validator: operator('alice') }
const stake = (delegator: string, of: string, amount: number) => ({
  delegatorAddress: delegator,
  validatorAddress: operator(of),
  amount: unative(amount),
})
const proposalOf = (message: Any) => ({
  messages: [message],
  initialDeposit: [unative(1)],
  proposer: alice,
  title: 'A title',
  summary: 'A summary',
})
const content = packed(TextProposalSchema, { title: 'A title', description: 'A description' })

/** Moves the chain one voting period of the oracle on. */
const nextPeriod = (ctx: Context) => {
  ctx.block.height += 30n
}

/** Messages in the order in which they run. Each is run in both spellings, and the effect of one of them is kept for the next. */
const STEPS: readonly Step[] = [
  params(auth.MsgUpdateParamsSchema, 'auth'),
  step(bank.MsgSendSchema, send),
  step(bank.MsgMultiSendSchema, {
    inputs: [{ address: alice, coins: [unative(3)] }],
    outputs: [
      { address: bob, coins: [unative(1)] },
      { address: carol, coins: [unative(2)] },
    ],
  }),
  params(bank.MsgUpdateParamsSchema, 'bank'),
  step(bank.MsgSetSendEnabledSchema, { authority: governance, sendEnabled: [{ denom: 'ufoo', enabled: true }] }),
  step(consensus.MsgUpdateParamsSchema, (ctx) => {
    const { block, evidence, validator } = consensusKeeper.params(ctx)
    return { authority: governance, block: block!, evidence: evidence!, validator: validator! }
  }),
  params(fees.MsgUpdateParamsSchema, 'fees'),

  step(staking.MsgCreateValidatorSchema, {
    description,
    commission,
    minSelfDelegation: '1',
    delegatorAddress: carol,
    validatorAddress: operator('carol'),
    pubkey: keyOf('the key of carol'),
    value: unative(2_000_000),
  }),
  step(staking.MsgEditValidatorSchema, { description, validatorAddress: operator('carol') }),
  step(staking.MsgDelegateSchema, stake(carol, 'alice', 5_000_000)),
  step(staking.MsgBeginRedelegateSchema, {
    delegatorAddress: carol,
    validatorSrcAddress: operator('alice'),
    validatorDstAddress: operator('bob'),
    amount: unative(1_000_000),
  }),
  step(staking.MsgUndelegateSchema, stake(carol, 'alice', 2_000_000)),
  step(staking.MsgCancelUnbondingDelegationSchema, (ctx) => ({
    ...stake(carol, 'alice', 500_000),
    creationHeight: ctx.block.height,
  })),
  params(staking.MsgUpdateParamsSchema, 'staking'),

  step(slashing.MsgUnjailSchema, { validatorAddr: operator('carol') }, (ctx) => {
    const { consensusAddress, jail, requireValidator } = stakingKeeper
    jail(ctx, consensusAddress(ctx.identity, requireValidator(ctx, person('carol'))))
  }),
  params(slashing.MsgUpdateParamsSchema, 'slashing'),

  step(distribution.MsgSetWithdrawAddressSchema, { delegatorAddress: carol, withdrawAddress: bob }),
  step(distribution.MsgWithdrawDelegatorRewardSchema, { delegatorAddress: carol, validatorAddress: operator('alice') }),
  step(distribution.MsgWithdrawValidatorCommissionSchema, { validatorAddress: operator('alice') }, (ctx) => {
    const earned = fromCoins([{ denom: 'unative', amount: 7n }])
    bankKeeper.send(ctx, person('bob'), distributionState.distributionAccount.address, [
      { denom: 'unative', amount: 7n },
    ])
    distributionState.commissions.set(ctx, person('alice'), earned)
    distributionState.outstanding.set(ctx, person('alice'), earned)
  }),
  step(distribution.MsgFundCommunityPoolSchema, { depositor: alice, amount: [unative(500)] }),
  params(distribution.MsgUpdateParamsSchema, 'distribution'),
  step(distribution.MsgCommunityPoolSpendSchema, { authority: governance, recipient: bob, amount: [unative(5)] }),

  step(gov.MsgSubmitProposalSchema, proposalOf(packed(bank.MsgSetSendEnabledSchema, { authority: governance }))),
  step(gov.MsgDepositSchema, (ctx) => ({
    proposalId: 1n,
    depositor: bob,
    amount: [unative(Number(depositOf(ctx)))],
  })),
  step(gov.MsgVoteSchema, { proposalId: 1n, voter: alice, option: VoteOption.YES }),
  step(gov.MsgVoteWeightedSchema, {
    proposalId: 1n,
    voter: carol,
    options: [
      { option: VoteOption.YES, weight: '0.5' },
      { option: VoteOption.NO, weight: '0.5' },
    ],
  }),
  step(gov.MsgExecLegacyContentSchema, { authority: governance, content }),
  params(gov.MsgUpdateParamsSchema, 'gov'),
  step(legacy.MsgSubmitProposalSchema, { content, initialDeposit: [unative(1)], proposer: alice }),
  step(legacy.MsgDepositSchema, (ctx) => ({
    proposalId: 2n,
    depositor: bob,
    amount: [unative(Number(depositOf(ctx)))],
  })),
  step(legacy.MsgVoteSchema, { proposalId: 2n, voter: alice, option: VoteOption.YES }),
  step(legacy.MsgVoteWeightedSchema, {
    proposalId: 2n,
    voter: carol,
    options: [{ option: VoteOption.NO, weight: `1${'0'.repeat(18)}` }],
  }),
  step(upgrade.MsgSoftwareUpgradeSchema, { authority: governance, plan: { name: 'next', height: 1_000_000n } }),
  step(upgrade.MsgCancelUpgradeSchema, { authority: governance }),

  step(authz.MsgGrantSchema, {
    granter: alice,
    grantee: bob,
    grant: { authorization: packed(GenericAuthorizationSchema, { msg: `/${bank.MsgMultiSendSchema.typeName}` }) },
  }),
  step(authz.MsgGrantSchema, {
    granter: alice,
    grantee: carol,
    grant: { authorization: packed(SendAuthorizationSchema, { spendLimit: [unative(9)], allowList: [bob] }) },
  }),
  step(authz.MsgGrantSchema, {
    granter: alice,
    grantee: carol,
    grant: {
      authorization: packed(StakeAuthorizationSchema, {
        authorizationType: AuthorizationType.DELEGATE,
        validators: { case: 'denyList', value: { address: [operator('bob')] } },
        maxTokens: unative(100),
      }),
    },
  }),
  step(authz.MsgExecSchema, {
    grantee: carol,
    msgs: [packed(bank.MsgSendSchema, send), packed(staking.MsgDelegateSchema, stake(alice, 'alice', 10))],
  }),
  step(authz.MsgRevokeSchema, { granter: alice, grantee: bob, msgTypeUrl: `/${bank.MsgMultiSendSchema.typeName}` }),
  step(feegrant.MsgGrantAllowanceSchema, { granter: alice, grantee: bob, allowance: packed(BasicAllowanceSchema, {}) }),
  step(feegrant.MsgRevokeAllowanceSchema, { granter: alice, grantee: bob }),
  step(vesting.MsgCreateVestingAccountSchema, vest('continuous', { amount: [unative(5)], endTime: 4_000_000_000n })),
  step(vesting.MsgCreatePermanentLockedAccountSchema, vest('permanent', { amount: [unative(5)] })),
  step(
    vesting.MsgCreatePeriodicVestingAccountSchema,
    vest('periodic', { startTime: 1n, vestingPeriods: [{ length: 60n, amount: [unative(5)] }] }),
  ),
  step(feegrant.MsgGrantAllowanceSchema, {
    granter: bob,
    grantee: carol,
    allowance: packed(AllowedMsgAllowanceSchema, {
      allowance: packed(BasicAllowanceSchema, {}),
      allowedMessages: [`/${bank.MsgSendSchema.typeName}`],
    }),
  }),

  step(oracle.MsgDelegateFeedConsentSchema, { operator: operator('alice'), delegate: carol }),
  step(oracle.MsgAggregateExchangeRatePrevoteSchema, prevote),
  step(
    oracle.MsgAggregateExchangeRateVoteSchema,
    { salt: 'salt', exchangeRates: rates, feeder: carol, validator: operator('alice') },
    nextPeriod,
  ),
  step(oracle.MsgAggregateExchangeRatePrevoteSchema, prevote),
  step(oracle.MsgEditOracleParamsSchema, { sender: alice, params: { minVoters: 2n } }),
  step(inflation.MsgToggleInflationSchema, { sender: alice, enable: true }),
  step(inflation.MsgEditInflationParamsSchema, { sender: alice, epochsPerPeriod: '7' }),

  step(sudo.MsgEditSudoersSchema, {
    sender: alice,
    action: 'add_contracts',
    contracts: [carol, formatEip55(contract)],
  }),
  step(sudo.MsgEditSudoersSchema, { sender: alice, action: 'remove_contracts', contracts: [formatEip55(contract)] }),
  step(sudo.MsgEditZeroGasActorsSchema, {
    sender: alice,
    actors: { senders: [bob], contracts: [formatEip55(contract)], alwaysZeroGasContracts: [carol] },
  }),

  step(tokenfactory.MsgCreateDenomSchema, { sender: alice, subdenom: 'gold' }),
  params(tokenfactory.MsgUpdateModuleParamsSchema, 'tokenfactory'),
  step(tokenfactory.MsgMintSchema, { sender: alice, coin: { denom: factoryDenom, amount: '900' }, mintTo: bob }),
  step(tokenfactory.MsgBurnSchema, { sender: alice, coin: { denom: factoryDenom, amount: '1' }, burnFrom: bob }),
  step(tokenfactory.MsgSetDenomMetadataSchema, { sender: alice, metadata }),
  step(tokenfactory.MsgSudoSetDenomMetadataSchema, { sender: carol, metadata }),
  step(tokenfactory.MsgBurnNativeSchema, { sender: bob, coin: { denom: factoryDenom, amount: '1' } }),
  step(tokenfactory.MsgChangeAdminSchema, { sender: alice, denom: factoryDenom, newAdmin: bob }),

  step(devgas.MsgRegisterFeeShareSchema, {
    contractAddress: contractText,
    deployerAddress: carol,
    withdrawerAddress: alice,
  }),
  step(devgas.MsgUpdateFeeShareSchema, {
    contractAddress: contractText,
    deployerAddress: carol,
    withdrawerAddress: bob,
  }),
  step(devgas.MsgCancelFeeShareSchema, { contractAddress: contractText, deployerAddress: carol }),
  step(devgas.MsgRegisterFeeShareSchema, {
    contractAddress: contractText,
    deployerAddress: carol,
    withdrawerAddress: alice,
  }),
  params(devgas.MsgUpdateParamsSchema, 'devgas'),

  params(evm.MsgUpdateParamsSchema, 'evm'),
  step(evm.MsgCreateFunTokenSchema, { sender: bob, fromBankDenom: factoryDenom, allowZeroDecimals: true }),
  step(evm.MsgConvertCoinToEvmSchema, {
    sender: bob,
    toEthAddr: person('bob'),
    bankCoin: { denom: factoryDenom, amount: '50' },
  }),
  step(evm.MsgConvertEvmToCoinSchema, (ctx) => ({
    sender: bob,
    erc20Addr: funtokens.byDenom(ctx, factoryDenom)!.erc20Addr,
    amount: '20',
    toAddr: carol,
  })),
  step(evm.MsgConvertEvmToCoinSchema, (ctx) => ({
    sender: bob,
    erc20Addr: funtokens.byDenom(ctx, factoryDenom)!.erc20Addr,
    amount: '20',
    toAddr: formatEip55(person('carol')),
  })),

  step(sudo.MsgChangeRootSchema, { sender: alice, newRoot: bob }),
]

/** Messages without a step, with the reason. */
const WITHOUT_STEP: Readonly<Record<string, string>> = {
  [evm.MsgEthereumTxSchema.typeName]: 'runs in transactions of its own, and its signature covers its addresses',
}

function depositOf(ctx: Context): bigint {
  return BigInt(govParams(ctx).minDeposit[0]!.amount)
}

function localnet(): GenesisDocument {
  return localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: TIME,
    accounts: ['alice', 'bob', 'carol'].map((name) => ({ address: person(name), balanceUnative: 10n ** 13n })),
    validators: ['one', 'two'].map((name) => ({ publicKey: sha256(utf8(name)) })),
  })
}

/** Returns the first state: two validators, funds, and a contract of carol. */
function start(): BranchedContext {
  const ctx = testContext({
    modules,
    app: { message: messageType },
    block: { height: 31n, gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) },
  })
  for (const { store, key, value } of initialized(localnet())) ctx.store.set(store, key, value!)
  const code = Uint8Array.of(0)
  evmState.codes.set(ctx, keccak256(code), code)
  authKeeper.setAccount(ctx, { ...authKeeper.newAccount(ctx, contract), codeHash: keccak256(code) })
  evmState.creations.set(ctx, contract, { creator: person('carol'), origin: person('carol') })
  return ctx
}

function initialized(document: GenesisDocument) {
  const branch = createEmptyBranch()
  testApplication({ chainId: CHAIN_ID }).initChain(document, branch)
  return branch.changes()
}

/**
 * Returns a message with all addresses in their other spelling, those in packed messages included. The messages of a proposal
 * stay: a proposal is stored as submitted, and its messages are parsed when they are executed.
 */
function respelled(schema: DescMessage, message: Message, spell = respell): Message {
  const copy: Record<string, unknown> = { ...message }
  for (const field of schema.fields) {
    const slot = field.oneof ? field.oneof.localName : field.localName
    const given = copy[slot] as { case?: string; value: unknown }
    if (field.oneof && given.case !== field.localName) continue
    if (spell === respell && schema === gov.MsgSubmitProposalSchema && field.name === 'messages') continue
    const one = (value: unknown): unknown => {
      if (typeof value === 'string') return spell(value)
      if (!field.message || !value) return value
      if (field.message.typeName !== AnySchema.typeName) return respelled(field.message, value as Message, spell)
      const { typeUrl, value: bytes } = value as Any
      const inner = messageType(almanac.toNeutralName(typeUrl.slice(1)))!
      const other = respelled(inner, fromBinary(inner, bytes), spell)
      return create(AnySchema, { typeUrl: spell(typeUrl), value: toBinary(inner, other) })
    }
    const value = field.oneof ? given.value : given
    const changed = Array.isArray(value) ? value.map(one) : one(value)
    copy[slot] = field.oneof ? { case: given.case, value: changed } : changed
  }
  return create(schema, copy as never)
}

/** Runs a message in a branch. Returns the branch, with a readable form of its effect. */
function effectOf(ctx: BranchedContext, { schema }: Step, message: Message) {
  const branch = ctx.branch()
  ctx.app.validate(branch, schema, message)
  const { handle, method } = ctx.app.handlerOf(schema.typeName)!
  const response = handle(branch, message)
  const writes = branch.branchStore
    .changes()
    .map(({ store, key, value }) => [store, formatHex(key), value && formatHex(value)])
  return {
    branch,
    effect: { writes, events: branch.branchStore.events, response: formatHex(toBinary(method.output, response)) },
  }
}

/** Runs every step and returns the last state. */
function runAll(onStep?: (step: Step, ctx: BranchedContext, message: Message) => void): BranchedContext {
  const ctx = start()
  for (const [i, one] of STEPS.entries()) {
    try {
      one.before?.(ctx)
      const message = one.message(ctx)
      onStep?.(one, ctx, message)
      effectOf(ctx, one, message).branch.merge()
    } catch (error) {
      if (error instanceof ChainError) throw new Error(`step ${i}, ${one.schema.typeName}: ${error.message}`)
      throw error
    }
  }
  return ctx
}

test('every routed message has a step here, so that its addresses are compared in two spellings', () => {
  const covered = new Set(STEPS.map(({ schema }) => schema.typeName as string))
  const missing = modules
    .flatMap((module) => module.messages.flatMap(({ handlers }) => handlers.routes))
    .map(({ method }) => method.input.typeName)
    .filter((name) => !covered.has(name) && !WITHOUT_STEP[name])
  expect(missing, 'add a step that runs the message to STEPS, or a reason to WITHOUT_STEP').toEqual([])
})

test('a message has the same writes, events and answer with addresses in upper case', () => {
  runAll((one, ctx, message) => {
    const other = respelled(one.schema, message)
    const name = one.schema.typeName
    expect(toBinary(one.schema, other), `${name} has no address in its step`).not.toEqual(toBinary(one.schema, message))
    expect(effectOf(ctx, one, other).effect, name).toEqual(effectOf(ctx, one, message).effect)
  })
})

/** The Bech32 text of 20 bytes, outside factory denoms. */
const STORED = /(?<!\/)chain(?:valoper|valcons)?1[02-9ac-hj-np-z]{38}/g

const STORED_IN_UPPER_CASE = /CHAIN(?:VALOPER|VALCONS)?1[02-9AC-HJ-NP-Z]{38}/g

/** Returns a branch of the state in which every stored address is in upper case, as earlier builds could write them. */
function aged(ctx: BranchedContext): BranchedContext {
  const branch = ctx.branch()
  for (const { store, key, value } of ctx.branchStore.changes()) {
    if (value === undefined) continue
    const raw = Buffer.from(value).toString('latin1')
    const changed = raw.replace(STORED, (found) => found.toUpperCase())
    if (changed !== raw) branch.store.set(store, key, new Uint8Array(Buffer.from(changed, 'latin1')))
  }
  return branch
}

/** Runs `run` in a branch. Returns its events and the state after it, with stored addresses in lower case. */
function outcomeOf(ctx: BranchedContext, run: (branch: BranchedContext) => void) {
  const branch = ctx.branch()
  run(branch)
  const events = [...branch.branchStore.events]
  branch.merge()
  const state = new Map<string, string>()
  for (const { store, key, value } of ctx.branchStore.changes()) {
    const raw = value && Buffer.from(value).toString('latin1')
    if (raw !== undefined)
      state.set(
        `${store} ${formatHex(key)}`,
        raw.replace(STORED_IN_UPPER_CASE, (found) => found.toLowerCase()),
      )
  }
  return { events, state }
}

test('a message has the same events on a state that stores addresses in upper case', () => {
  runAll((one, ctx, message) => {
    const events = (from: BranchedContext) => effectOf(from, one, message).effect.events
    expect(events(aged(ctx)), one.schema.typeName).toEqual(events(ctx))
  })
})

test('the end of a block has the same effect on a state that stores addresses in upper case', () => {
  const end = (branch: BranchedContext) => {
    for (const { endBlock } of modules) endBlock?.(branch)
  }
  const last = (isAged: boolean) => {
    const ctx = runAll()
    // The last block of a voting period of the oracle, after all proposals and unbondings have ended.
    ctx.block.height = 89n
    ctx.block.timeNs += 60n * 86_400n * NS_PER_SECOND
    if (isAged) {
      const old = aged(ctx)
      const count = old.branchStore.changes().length
      expect(count).toBeGreaterThan(20)
      old.merge()
    }
    return outcomeOf(ctx, end)
  }
  const expected = last(false)
  const types = expected.events.map(({ type }) => type)
  for (const type of ['active_proposal', 'complete_unbonding', 'complete_redelegation', 'EventValidatorPerformance']) {
    expect(
      types.some((found) => found.endsWith(type)),
      type,
    ).toBe(true)
  }
  expect(last(true)).toEqual(expected)
})

test('a query has the same answer with addresses in upper case', () => {
  const ctx = runAll()
  const { queries } = testApplication({ chainId: CHAIN_ID })
  let compared = 0
  for (const { path, request } of questionsFor(queries, ctx)) {
    const other = respelled(methods.get(path)!.input, request)
    if (equals(methods.get(path)!.input, other, request)) continue
    const answer = (asked: Message) => {
      let found: Message | undefined
      const { kind } = ask(queries, ctx, { path, request: asked }, (message) => {
        found = message
      })
      return { kind, answer: found }
    }
    expect(answer(other), path).toEqual(answer(request))
    compared++
  }
  expect(compared).toBeGreaterThan(40)
})

test('a message has the same writes, events and answer with names of the other family', () => {
  const renamed = (value: string) => value.replace(/^\/sdk\./, '/cosmos.')
  const compared = new Set<string>()
  runAll((one, ctx, message) => {
    const other = respelled(one.schema, message, renamed)
    if (equals(one.schema, other, message)) return
    compared.add(one.schema.typeName)
    expect(effectOf(ctx, one, other).effect, one.schema.typeName).toEqual(effectOf(ctx, one, message).effect)
  })
  for (const schema of [authz.MsgGrantSchema, authz.MsgExecSchema, authz.MsgRevokeSchema]) {
    expect(compared).toContain(schema.typeName)
  }
  expect(compared).toContain(feegrant.MsgGrantAllowanceSchema.typeName)
  expect(compared).toContain(gov.MsgSubmitProposalSchema.typeName)
})

/** Returns a JSON value with all addresses in their other spelling, without the messages of proposals. */
function respelledJson(json: JsonValue): JsonValue {
  if (typeof json === 'string') return respell(json)
  if (json === null || typeof json !== 'object') return json
  if (Array.isArray(json)) return json.map(respelledJson)
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, name === 'messages' ? value : respelledJson(value)]),
  )
}

/** Returns a document with every kind of record that contains an address. */
function richDocument(): GenesisDocument {
  const ctx = runAll()
  const app = testApplication({ chainId: CHAIN_ID })
  const { height, timeNs, proposer, hash, lastCommitHash } = ctx.block
  const block = { height, timeNs, proposer, hash, lastCommitHash }
  const document = app.exportGenesis(app.readContext(ctx.branchStore, block), localnet())
  const part = (name: string) => document.app_state[name] as { [key: string]: JsonValue }
  const vesting = (name: string, number: string) => ({
    base_account: { address: text(name), pub_key: null, account_number: number, sequence: '0' },
    original_vesting: [unative(5)],
    delegated_free: [],
    delegated_vesting: [],
    end_time: '1893456000',
  })
  const consensusText = formatBech32('chainvalcons', sha256(sha256(utf8('one'))).slice(0, 20))
  const signingInfo = {
    address: consensusText,
    start_height: '0',
    index_offset: '4',
    jailed_until: TIME,
    tombstoned: false,
    missed_blocks_counter: '1',
  }
  return {
    ...document,
    app_state: {
      ...document.app_state,
      auth: {
        ...part('auth'),
        accounts: [
          ...(part('auth')['accounts'] as JsonValue[]),
          { '@type': '/sdk.vesting.v1beta1.DelayedVestingAccount', base_vesting_account: vesting('delayed', '901') },
          { '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount', base_vesting_account: vesting('locked', '902') },
          { '@type': '/sdk.auth.v1beta1.BaseAccount', ...vesting('base', '903').base_account },
        ],
      },
      distribution: { ...part('distribution'), previous_proposer: consensusText },
      slashing: {
        ...part('slashing'),
        signing_infos: [{ address: consensusText, validator_signing_info: signingInfo }],
        missed_blocks: [{ address: consensusText, missed_blocks: [{ index: '3', missed: true }] }],
      },
      evidence: {
        evidence: [
          {
            '@type': '/sdk.evidence.v1beta1.Equivocation',
            height: '3',
            time: TIME,
            power: '7',
            consensus_address: consensusText,
          },
        ],
      },
    },
  }
}

/** Lists of a genesis document whose entries contain addresses. */
const LISTS: readonly (readonly [module: string, list: string])[] = [
  ['auth', 'accounts'],
  ['authz', 'authorization'],
  ['bank', 'balances'],
  ['devgas', 'fee_share'],
  ['distribution', 'delegator_starting_infos'],
  ['distribution', 'delegator_withdraw_infos'],
  ['distribution', 'outstanding_rewards'],
  ['distribution', 'validator_current_rewards'],
  ['distribution', 'validator_historical_rewards'],
  ['evidence', 'evidence'],
  ['evm', 'accounts'],
  ['evm', 'creations'],
  ['feegrant', 'allowances'],
  ['gov', 'deposits'],
  ['gov', 'proposals'],
  ['gov', 'votes'],
  ['oracle', 'aggregate_exchange_rate_prevotes'],
  ['oracle', 'aggregate_exchange_rate_votes'],
  ['oracle', 'feeder_delegations'],
  ['slashing', 'missed_blocks'],
  ['slashing', 'signing_infos'],
  ['staking', 'delegations'],
  ['staking', 'last_validator_powers'],
  ['staking', 'redelegations'],
  ['staking', 'unbonding_delegations'],
  ['staking', 'validators'],
  ['tokenfactory', 'factory_denoms'],
]

function stateOf(document: GenesisDocument) {
  return initialized(document).map(({ store, key, value }) => [store, formatHex(key), value && formatHex(value)])
}

test('a genesis document with addresses in upper case gives the same state', () => {
  const document = richDocument()
  for (const [module, list] of LISTS) {
    const entries = (document.app_state[module] as { [key: string]: JsonValue })[list] as JsonValue[]
    expect(respelledJson(entries), `${module}.${list} has no address to respell`).not.toEqual(entries)
  }
  const respelledState = respelledJson(document.app_state as JsonValue) as typeof document.app_state
  expect(stateOf({ ...document, app_state: respelledState })).toEqual(stateOf(document))
})

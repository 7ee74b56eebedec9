/**
 * Modules that are not built, played from the recording: a machine whose built parts execute a block, while what the
 * others did to the state of built ones (coins that moved, validators slashed, accounts made) is taken from the block's
 * events at the moment it happened.
 */
import { create, fromBinary, type Message } from '@bufbuild/protobuf'
import { createEvmTxPath } from '../src/app/evm/path.ts'
import type { Machine } from '../src/app/machine.ts'
import { modules as builtModules } from '../src/app/modules.ts'
import { createRouter } from '../src/app/router.ts'
import { ProposalSchema } from '../src/gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../src/identity/address.ts'
import type { Identity } from '../src/identity/types.ts'
import { decodeAccount } from '../src/modules/auth/account-codec.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { parseEvm } from '../src/primitives/address.ts'
import { concat, encodeUint64, equal } from '../src/primitives/bytes.ts'
import { ChainError } from '../src/primitives/errors.ts'
import type { Context } from '../src/sdk/context.ts'
import { defineModule, type Module, type Route } from '../src/sdk/module.ts'
import { type DecodedTx, neutralTypeName } from '../src/sdk/tx.ts'
import type { Change } from '../src/store/types.ts'
import { DONE, decodeRecorded, execOf, FOREIGN, type ForeignMessage, granteeOf, type WitnessTx } from './foreign.ts'
import { accountKey, genesisModules } from './genesis-accounts.ts'
import { applyMovement, type Movement, moduleAccountNames, movementsOf } from './movements.ts'
import type { RecordedBlock, RecordedEvent, RecordedResult } from './recording.ts'
import { fundPool, shareRewards } from './shares.ts'
import { applySlashes, isSlashedFurther, unjail } from './slashes.ts'
import type { Touched } from './touched.ts'
import { ACCOUNT_NAMES, isUnbuilt, ownerOfAccount, ownerOfMessage } from './unbuilt.ts'

/** The block in play: what is taken from the recording, and where its execution has come to. */
interface Play {
  readonly block: RecordedBlock
  /** As the execution gets them. */
  readonly txs: readonly Uint8Array[]
  readonly recorded: readonly Change[]
  readonly touched: Touched
  /** Index of the transaction that runs; -1 before the first. */
  tx: number
  /** Index of the message that runs. */
  message: number
  decoded: WitnessTx | undefined
  /** What admission moved after the fee, of a transaction whose messages have not begun. */
  readonly payouts: Movement[]
  /** Who slashes in the phase of the block that runs. */
  slasher: string
  /** Names of the module accounts, by address text. */
  accounts: ReadonlyMap<string, string>
}

export interface Player {
  readonly machine: Machine
  /** The same with nothing played: for what comes before the first block. */
  readonly genesisMachine: Machine
  /** Says which block is played next. `touched` gathers what of built stores is left to the recording. */
  begin(block: RecordedBlock, txs: readonly Uint8Array[], recorded: readonly Change[], touched: Touched): void
  /** To be given to the block's execution, which calls it for each transaction in turn. */
  decode(bytes: Uint8Array): DecodedTx
}

export interface PlayerOptions {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  /** Told of failures that no transaction may have. */
  readonly onBug: (error: unknown) => void
}

const codeKey = (codeHash: Uint8Array): Uint8Array => concat(Uint8Array.of(0x01), codeHash)

const isOutOfGas = ({ codespace, code }: RecordedResult): boolean => codespace === 'sdk' && code === 11

/** Whether a transaction paid its fee: what follows admission may still have failed. */
const wasAdmitted = ({ code, events }: RecordedResult): boolean =>
  code === 0 || events.some(({ type }) => type === 'tx')

/** The first failing message that a log names. */
function failedMessage(log: string): number | undefined {
  const match = /message index: (\d+)/.exec(log)
  return match ? Number(match[1]) : undefined
}

/** Events of one message of a transaction that succeeded. */
function eventsOfMessage({ log }: RecordedResult, index: number): readonly RecordedEvent[] {
  const parts = JSON.parse(log) as { readonly msg_index?: number; readonly events: readonly RecordedEvent[] }[]
  return parts.find((part) => (part.msg_index ?? 0) === index)?.events ?? []
}

/** Events before those of the messages: what admission did. */
function eventsOfAdmission({ events }: RecordedResult): readonly RecordedEvent[] {
  const end = events.findIndex(
    ({ type, attributes }) => type === 'message' && attributes.some(({ key }) => key === 'action'),
  )
  return end < 0 ? events : events.slice(0, end)
}

export function createPlayer({ identity, chainId, evmChainId, onBug }: PlayerOptions): Player {
  let play: Play | undefined
  const current = (): Play => {
    if (!play) throw new Error('no block is played')
    return play
  }
  const result = (): RecordedResult => current().block.results[current().tx]!

  /** Whether a module that is not built made a movement outside of its own messages. */
  function isOfUnbuilt({ from, isBurn }: Movement): boolean {
    const name = current().accounts.get(from)
    if (name === undefined) return false
    const owner = ownerOfAccount(name)
    // Only a slash burns of the staking pools.
    return owner === 'staking' ? isBurn && isUnbuilt(current().slasher) : isUnbuilt(owner)
  }

  function applyUnbuilt(ctx: Context, events: readonly RecordedEvent[]): void {
    for (const movement of movementsOf(events)) if (isOfUnbuilt(movement)) applyMovement(ctx, movement)
  }

  /** Runs the built messages of what governance decided. */
  function executeProposals(ctx: Context, events: readonly RecordedEvent[]): void {
    for (const { type, attributes } of events) {
      const of = (key: string) => attributes.find((one) => one.key === key)?.value
      if (type !== 'active_proposal' || of('proposal_result') !== 'proposal_passed') continue
      const stored = ctx.store.get('gov', concat(Uint8Array.of(0), encodeUint64(BigInt(of('proposal_id') ?? 0))))
      if (!stored) continue
      for (const { typeUrl, value } of fromBinary(ProposalSchema, stored).messages) {
        const typeName = neutralTypeName(identity, typeUrl)
        // Coins that a proposal sends are among the block's movements.
        const route =
          ownerOfMessage(typeName) === 'bank' && !typeName.endsWith('.MsgUpdateParams') ? undefined : routeOf(typeName)
        if (route) run(ctx, route, value)
        else current().touched.by(ownerOfMessage(typeName), events)
      }
    }
  }

  function run(ctx: Context, route: Route<Context>, value: Uint8Array): void {
    route.handle(ctx, fromBinary(route.method.input, value))
  }

  const first = defineModule({
    name: 'recorded-first',
    stores: [],
    beginBlock(ctx) {
      current().accounts = moduleAccountNames(ctx, ACCOUNT_NAMES)
    },
    endBlock(ctx) {
      const { endBlockEvents } = current().block
      payOut(ctx)
      executeProposals(ctx, endBlockEvents)
      applyUnbuilt(ctx, endBlockEvents)
    },
  })
  const last = defineModule({
    name: 'recorded-last',
    stores: [],
    beginBlock(ctx) {
      const { beginBlockEvents } = current().block
      if (isUnbuilt('slashing')) {
        applySlashes(ctx, beginBlockEvents)
        if (isSlashedFurther(beginBlockEvents)) current().touched.slashes('slashing')
      }
      applyUnbuilt(ctx, beginBlockEvents)
      current().slasher = 'oracle'
      if (isUnbuilt('inflation')) fundPool(ctx, beginBlockEvents)
    },
    endBlock(ctx) {
      const { endBlockEvents } = current().block
      if (!isUnbuilt('oracle')) return
      shareRewards(ctx, endBlockEvents)
      applySlashes(ctx, endBlockEvents)
      if (isSlashedFurther(endBlockEvents)) current().touched.slashes('oracle')
    },
  })
  /** The end of staking's block; where its writes are left to the recording, the coins that it moved. */
  function endStaking(ctx: Context, { endBlock }: Module): void {
    if (!current().touched.isStakingLost()) {
      endBlock?.(ctx)
      return
    }
    for (const movement of movementsOf(current().block.endBlockEvents)) {
      const name = current().accounts.get(movement.from)
      if (name !== undefined && ownerOfAccount(name) === 'staking' && !movement.isBurn) applyMovement(ctx, movement)
    }
  }

  const played = builtModules.map((module) =>
    module.name === 'staking' ? { ...module, endBlock: (ctx: Context) => endStaking(ctx, module) } : module,
  )
  const modules: readonly Module[] = [first, ...played, last]
  const realRouter = createRouter(modules)

  /** A foreign message: it failed as recorded, or did what its events say. */
  function playForeign(ctx: Context, foreign: ForeignMessage): void {
    const recorded = result()
    if (recorded.code !== 0) {
      const failed = failedMessage(recorded.log)
      if (failed === undefined || failed === foreign.index) throw failure(recorded)
      return
    }
    const events = eventsOfMessage(recorded, foreign.index)
    const { typeName, value } = foreign
    const inner = typeName.endsWith('authz.v1beta1.MsgExec') ? execOf(value) : []
    const routes = inner.map(({ typeUrl }) => routeOf(neutralTypeName(identity, typeUrl)))
    if (inner.length > 0 && routes.every((route) => route !== undefined)) {
      applyUnbuilt(ctx, events)
      for (const [i, route] of routes.entries()) run(ctx, route!, inner[i]!.value)
      return
    }
    for (const movement of movementsOf(events)) applyMovement(ctx, movement)
    if (/\.(authz\.v1beta1\.MsgGrant|feegrant\.v1beta1\.MsgGrantAllowance)$/.test(typeName)) {
      auth.ensureAccount(ctx, address.parse(ctx, granteeOf(value)))
    }
    if (typeName.endsWith('slashing.v1beta1.MsgUnjail')) unjail(ctx, foreign)
    current().touched.by(ownerOfMessage(typeName), events)
    for (const { typeUrl } of inner) current().touched.by(ownerOfMessage(neutralTypeName(identity, typeUrl)), events)
  }

  function failure({ codespace, code, log }: RecordedResult): ChainError {
    return new ChainError(codespace, { code, status: 'unknown', text: log }, log)
  }

  const routeOf = (typeName: string): Route<Context> | undefined =>
    isUnbuilt(ownerOfMessage(typeName)) ? undefined : realRouter.route(typeName)

  /** A built message, after what hooks of others did to the state it works on. */
  function withHooks(route: Route<Context>): Route<Context> {
    const index = current().message
    const handle = (ctx: Context, message: Message): Message => {
      const recorded = result()
      // A transaction that fails keeps what admission did: it is paid out at the end of the block.
      if (recorded.code === 0) payOut(ctx)
      // What hooks and admission steps that are not built cost is not known.
      if (isOutOfGas(recorded)) throw failure(recorded)
      if (recorded.code === 0) applyUnbuilt(ctx, eventsOfMessage(recorded, index))
      const response = route.handle(ctx, message)
      if (recorded.code === 0) takeRecordedCode(ctx, eventsOfMessage(recorded, index))
      return response
    }
    return { ...route, handle }
  }

  const foreignRoute: Route<Context> = {
    method: { input: FOREIGN, output: DONE } as unknown as Route<Context>['method'],
    handle(ctx) {
      if (result().code === 0) payOut(ctx)
      playForeign(ctx, current().decoded!.foreign.get(current().message)!)
      return create(DONE)
    },
  }

  /** From here on the contract of a coin runs the code that the reference compiled, not ours. */
  function takeRecordedCode(ctx: Context, events: readonly RecordedEvent[]): void {
    const { recorded, touched } = current()
    for (const { type, attributes } of events) {
      if (!type.endsWith('.EventFunTokenCreated')) continue
      const of = (key: string) => JSON.parse(attributes.find((one) => one.key === key)?.value ?? 'null') as unknown
      const contract = of('is_made_from_coin') === true ? parseEvm(String(of('erc20_contract_address'))) : undefined
      const ours = contract && auth.getAccount(ctx, contract)
      const stored = contract && recorded.find(({ store, key }) => store === 'acc' && equal(key, accountKey(contract)))
      if (!ours || !stored?.value) continue
      const { codeHash } = decodeAccount(identity, contract, stored.value)
      const code = recorded.find(({ store, key }) => store === 'evm' && equal(key, codeKey(codeHash)))?.value
      if (!code) continue
      touched.code(ours.codeHash)
      touched.code(codeHash)
      ctx.store.set('evm', codeKey(codeHash), code)
      auth.setAccount(ctx, { ...ours, codeHash })
    }
  }

  /** The fee that an allowance paid. What developers get of a fee waits until it has been paid. */
  function playAdmission(ctx: Context): void {
    const { granter } = current().decoded!
    for (const movement of movementsOf(eventsOfAdmission(result()))) {
      if (movement.from === granter) applyMovement(ctx, movement)
      else if (isOfUnbuilt(movement)) current().payouts.push(movement)
    }
  }

  function payOut(ctx: Context): void {
    for (const movement of current().payouts.splice(0)) applyMovement(ctx, movement)
  }

  const genesisMachine: Machine = {
    identity,
    chainId,
    evmChainId,
    modules: genesisModules(identity, builtModules, current),
    evm: createEvmTxPath(),
    settings: { minGasPrices: '' },
    onBug,
    router: realRouter,
  }

  return {
    genesisMachine,
    machine: {
      ...genesisMachine,
      modules,
      router: {
        facts: realRouter.facts,
        route(typeName) {
          current().message++
          if (typeName === FOREIGN.typeName) return foreignRoute
          const route = realRouter.route(typeName)
          return route && withHooks(route)
        },
        validate(ctx, schema, message) {
          const recorded = result()
          const isForeign = schema.typeName === FOREIGN.typeName
          // Who signed a foreign message that was not admitted, and why it was not, only the recording knows.
          if (!wasAdmitted(recorded) && (isForeign || isOutOfGas(recorded))) throw failure(recorded)
          if (!isForeign) realRouter.validate(ctx, schema, message)
          // The first check of a message is the first step of admission that has a context to write to.
          if (current().decoded?.tx.messages[0]?.message === message) playAdmission(ctx as Context)
        },
      },
    },
    begin(block, txs, recorded, touched) {
      play = {
        block,
        txs,
        recorded,
        touched,
        tx: -1,
        message: -1,
        decoded: undefined,
        payouts: [],
        slasher: 'slashing',
        accounts: new Map(),
      }
    },
    decode(bytes) {
      const now = current()
      now.tx = now.txs.indexOf(bytes)
      now.message = -1
      now.touched.nextTx(now.tx)
      now.decoded = undefined
      const known = decodeRecorded(realRouter.facts, identity, bytes, result(), (name) => routeOf(name) === undefined)
      now.decoded = known
      return known.tx
    },
  }
}

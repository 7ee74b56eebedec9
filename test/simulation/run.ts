/** Runs a plan: blocks, restarts, exports and imports, with all invariants after each. */

import { almanac } from '../../src/identity/profiles/almanac.ts'
import type { Identity } from '../../src/identity/types.ts'
import * as auth from '../../src/modules/auth/keeper.ts'
import { formatHex } from '../../src/primitives/bytes.ts'
import { compile } from '../support/funtoken/contracts.ts'
import type { ActionKind } from './actions/action.ts'
import { kindOf } from './actions/table.ts'
import { actors } from './actors.ts'
import { type BlockSpec, type Chain, createChain, type MadeBlock, type View } from './chain.ts'
import { describe } from './describe.ts'
import { diceOf } from './dice.ts'
import { genesisOf } from './genesis.ts'
import type { Invariant, Sent } from './invariants/invariant.ts'
import { invariants as allInvariants } from './invariants/table.ts'
import type { Action, BlockStep, Plan, Step } from './plan.ts'
import { reimported } from './reimport.ts'
import { createTally, type Tally } from './tally.ts'
import { type SignerState, signWish, usesSequence } from './transactions.ts'
import type { Token, World } from './world.ts'

export interface Violation {
  readonly invariant: string
  readonly detail: string
  /** Index of the step after which the invariant was broken. */
  readonly step: number
}

export interface Outcome {
  readonly violation: Violation | undefined
  readonly tally: Tally
  /** App hash of the last block. */
  readonly appHash: string
}

export interface RunOptions {
  /** Whether a second node executes the same blocks, and must get the same hashes. */
  readonly twin?: boolean
  readonly invariants?: readonly Invariant[]
  /** Profile of the chain; `almanac` by default. */
  readonly identity?: Identity
  /** Receives a line for each transaction. */
  readonly onLine?: (line: string) => void
}

class Broken extends Error {
  readonly invariant: string
  constructor(invariant: string, detail: string) {
    super(detail)
    this.invariant = invariant
  }
}

let compiled: ReadonlyMap<string, Uint8Array> | undefined
const creationCode = (): ReadonlyMap<string, Uint8Array> => (compiled ??= compile())

/** Runs a plan to its end, or to the first broken invariant. */
export function runPlan(plan: Plan, options: RunOptions = {}): Outcome {
  const { invariants = allInvariants, onLine, identity = almanac } = options
  const genesis = genesisOf(plan.seed)
  let chain: Chain = createChain(genesis, identity)
  let twin: Chain | undefined = options.twin ? createChain(genesis, identity) : undefined
  const tally = createTally()
  const tokens: Token[] = []
  const memory = new Map<string, unknown>()
  let view: View | undefined
  let blocks = 0
  let appHash = ''

  /** Returns the transactions of a block, signed on the state of the tip. */
  function signed(actions: readonly Action[]): {
    readonly sent: Sent[]
    readonly txs: Uint8Array[]
    readonly kinds: ActionKind[]
  } {
    const values = new Map<string, unknown>()
    const ctx = view!.ctx
    const world: World = {
      ...{ ctx, tokens },
      get code() {
        return creationCode()
      },
      once<T>(name: string, make: () => T): T {
        if (!values.has(name)) values.set(name, make())
        return values.get(name) as T
      },
    }
    const states = new Map<number, SignerState>()
    const [sent, txs, kinds]: [Sent[], Uint8Array[], ActionKind[]] = [[], [], []]
    for (const action of actions) {
      const kind = kindOf(action.kind)
      const wish = kind.wish(world, diceOf(action.draws), actors[action.by % actors.length]!)
      if (!wish) {
        tally.skip(kind.name)
        continue
      }
      const { index, address } = wish.signer
      const account = states.has(index) ? undefined : auth.getAccount(ctx, address)
      const state = states.get(index) ?? { number: account?.number ?? 0n, sequence: account?.sequence ?? 0n }
      for (const one of signWish(identity, wish, state, action.spoil, action.draws.at(-1) ?? 0)) {
        sent.push({ wish, index: txs.length, feeWei: one.feeWei })
        txs.push(one.bytes)
        kinds.push(kind)
      }
      states.set(index, usesSequence(action.spoil) ? { ...state, sequence: state.sequence + 1n } : state)
      onLine?.(`  ${describe(kind.name, wish, action.spoil)}`)
    }
    return { sent, txs, kinds }
  }

  function check(block: MadeBlock | undefined, sent: readonly Sent[]): void {
    for (const invariant of invariants) {
      if (block && blocks % (invariant.every ?? 1) !== 0) continue
      const detail = invariant.broken({
        ctx: view!.ctx,
        tip: chain.tip(),
        ...(block && { block }),
        sent,
        tokens,
        memory,
      })
      tally.checked()
      if (detail !== undefined) throw new Broken(invariant.name, detail)
    }
  }

  function makeBlock(step: BlockStep): void {
    // The state of genesis can be read once the first block has committed it.
    if (!view) {
      const first: BlockSpec = { seconds: 5, absent: [], txs: [] }
      chain.makeBlock(first)
      twin?.makeBlock(first)
      view = chain.view()
    }
    const { sent, txs, kinds } = signed(step.actions)
    const spec: BlockSpec = { ...step, txs }
    const block = chain.makeBlock(spec)
    blocks++
    appHash = formatHex(block.appHash)
    if (twin) {
      const other = formatHex(twin.makeBlock(spec).appHash)
      if (other !== appHash) throw new Broken('two nodes agree', `app hashes ${appHash} and ${other}`)
    }
    view.close()
    view = chain.view()
    const { results, evmTxs } = block.output
    for (const [i, { code, codespace, log }] of results.entries()) {
      const failedCall = evmTxs.find(({ txIndex }) => txIndex === i)?.status === 0
      tally.result(
        kinds[i]!.name,
        code !== 0 ? `${codespace} ${code} ${String(log).slice(0, 160)}` : failedCall ? 'the call failed' : undefined,
      )
    }
    for (const { txIndex, contractAddress, status } of evmTxs) {
      const { wish } = sent[txIndex]!
      if (wish.kind === 'evm' && wish.token && contractAddress && status === 1) {
        tokens.push({ name: wish.token, address: contractAddress })
      }
    }
    check(block, sent)
  }

  /** Continues on a chain that starts from an export of this one. */
  function importExport(): void {
    if (!view) return
    const { document, fault } = reimported(chain, identity)
    if (fault) throw new Broken('an export is a valid genesis, and its chain has the same state', fault)
    view.close()
    view = undefined
    chain = createChain(document, identity)
    twin &&= createChain(document, identity)
  }

  for (const [i, step] of plan.steps.entries()) {
    try {
      onLine?.(titleOf(step))
      if (step.kind === 'block') makeBlock(step)
      else if (step.kind === 'reimport') importExport()
      else if (view) {
        view.close()
        chain.restart()
        view = chain.view()
      }
    } catch (error) {
      const isBroken = error instanceof Broken
      const detail =
        error instanceof Error ? (isBroken ? error.message : (error.stack ?? error.message)) : String(error)
      const invariant = isBroken ? error.invariant : `a ${step.kind} succeeds`
      return { violation: { invariant, detail, step: i }, tally, appHash }
    }
  }
  return { violation: undefined, tally, appHash }
}

/** Returns a readable line about a step. */
function titleOf(step: Step): string {
  if (step.kind !== 'block') return step.kind
  const { seconds, absent, evidence } = step
  const away = absent.length > 0 ? `, without the signatures of keys ${absent}` : ''
  const guilt = evidence ? `, with the double signature of key ${evidence.key}, ${evidence.age} blocks ago` : ''
  return `block, ${seconds} s later${away}${guilt}`
}

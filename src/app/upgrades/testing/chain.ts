/** A chain in memory for tests of upgrades: the test sets the plans and swaps the binaries. */

import { almanac } from '../../../identity/profiles/almanac.ts'
import * as upgradeModule from '../../../modules/upgrade/keeper.ts'
import { hex, utf8 } from '../../../primitives/bytes.ts'
import { sha256 } from '../../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { defineModule } from '../../../sdk/module.ts'
import { openMemory } from '../../../store/backend/memory.ts'
import { createEmptyBranch } from '../../../store/branch.ts'
import type { Change } from '../../../store/types.ts'
import { openVersionedStore, type VersionedStore } from '../../../store/versioned.ts'
import { type ApplicationOptions, createApplication } from '../../application.ts'
import type { Halt } from '../../halt.ts'
import { localnetGenesis } from '../../localnet.ts'
import { modules as builtModules } from '../../modules.ts'
import { ALMANAC_STORES } from '../../stores.ts'
import type { Application, BlockInput, BlockOutput } from '../../types.ts'

const CHAIN_ID = 'almanac-localnet-1'
const GENESIS_TIME_NS = 1_704_067_200_000_000_000n
const VALIDATOR_KEY = hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea')
const GOV = 'chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax'

export type ChainWishes = Partial<
  Pick<ApplicationOptions, 'modules' | 'upgrades' | 'skipUpgrades' | 'firstVersions' | 'progress'>
>

interface Plan {
  readonly name: string
  readonly height: bigint
  readonly info?: string
}

export interface TestChain {
  readonly store: VersionedStore
  /** Decisions of governance in the end hooks of a height: a plan, or its cancellation. */
  readonly decisions: Map<bigint, Plan | 'cancel'>
  /** Log lines of the applications about upgrades. */
  readonly lines: string[]
  /** Unexpected failures. */
  readonly bugs: unknown[]
  /** Creates a binary; by default with the modules of this build and without upgrades. */
  build(wishes?: ChainWishes): Application
  /** Makes blocks up to a height. Returns the halt that stopped it, if any. */
  run(app: Application, to: bigint): Halt | undefined
  contextAt(app: Application, height?: bigint): ReadContext
  planAt(app: Application, height?: bigint): upgradeModule.PlanFacts | undefined
  doneAt(app: Application, name: string, height?: bigint): bigint | undefined
  versionsAt(app: Application, height?: bigint): upgradeModule.VersionMap
}

/** Returns the engine's input of the block at a height. */
export const inputOf = (height: bigint): BlockInput => ({
  height,
  timeNs: GENESIS_TIME_NS + height * NS_PER_SECOND,
  proposer: hex('121963fc7bc5f94f2978f6b7a082d1263ee7f5e4'),
  hash: sha256(utf8(`block ${height}`)),
  lastCommitHash: sha256(utf8(`commit ${height}`)),
  txs: [],
  lastCommitVotes: [],
  evidence: [],
})

const genesis = () =>
  localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: sha256(utf8('first')).slice(0, 20), balanceUnative: 1_000_000n }],
    validators: [{ publicKey: VALIDATOR_KEY }],
  })

export function testChain(): TestChain {
  const store = openVersionedStore(openMemory(), ALMANAC_STORES)
  const decisions: TestChain['decisions'] = new Map()
  const lines: string[] = []
  const bugs: unknown[] = []

  /** The part of governance that these tests need. */
  const decider = defineModule({
    name: 'decider',
    stores: [],
    endBlock(ctx) {
      const decision = decisions.get(ctx.block.height)
      if (decision === undefined) return
      const send = (type: string, message: object): void => {
        const { handle } = ctx.app.handlerOf(`sdk.upgrade.v1beta1.${type}`)!
        handle(ctx, { authority: GOV, ...message } as never)
      }
      if (decision === 'cancel') send('MsgCancelUpgrade', {})
      else send('MsgSoftwareUpgrade', { plan: { info: '', ...decision } })
    },
  })

  function build(wishes: ChainWishes = {}): Application {
    return createApplication({
      identity: almanac,
      chainId: CHAIN_ID,
      evmChainId: 6930n,
      settings: { minGasPrices: '' },
      onUpgrade: (line) => lines.push(line),
      onBug: (error, upgrade) => bugs.push({ error, upgrade }),
      upgrades: [],
      ...wishes,
      modules: [...(wishes.modules ?? builtModules), decider],
    })
  }

  function run(app: Application, to: bigint): Halt | undefined {
    while (store.latestHeight() < to) {
      const height = store.latestHeight() + 1n
      const begun = height === 1n ? createEmptyBranch() : undefined
      if (begun) app.initChain(genesis(), begun)
      const snapshot = begun ? undefined : store.at()
      const outcome = app.executeBlock(begun ?? snapshot!, inputOf(height))
      if (!outcome.halt) commit(height, outcome, begun?.changes())
      snapshot?.close()
      if (outcome.halt) return outcome.halt
    }
    return undefined
  }

  function commit(height: bigint, { branch, stores }: BlockOutput, first: readonly Change[] = []): void {
    const merged = createEmptyBranch()
    for (const { store: name, key, value } of [...first, ...branch.changes()]) {
      if (value) merged.set(name, key, value)
      else merged.delete(name, key)
    }
    store.commit({ height, changes: merged.changes(), stores, staged: branch.staged() })
  }

  const contextAt: TestChain['contextAt'] = (app, height = store.latestHeight()) =>
    app.readContext(store.at(height), inputOf(height))

  return {
    ...{ store, decisions, lines, bugs, build, run, contextAt },
    planAt: (app, height) => upgradeModule.plan(contextAt(app, height)),
    doneAt: (app, name, height) => upgradeModule.doneHeight(contextAt(app, height), name),
    versionsAt: (app, height) => upgradeModule.moduleVersions(contextAt(app, height)),
  }
}

/** A chain on the application and the executor, in memory: its blocks are executed, prepared and committed as in a node. */
import { validateGenesis } from '../../src/app/genesis-validate.ts'
import { ALMANAC_STORES } from '../../src/app/stores.ts'
import { testApplication } from '../../src/app/testing.ts'
import type { Application, BlockInput, BlockOutput, GenesisDocument } from '../../src/app/types.ts'
import type { Executor } from '../../src/consensus/execution.ts'
import { createExecutor } from '../../src/consensus/executor.ts'
import { propose, storedBlock } from '../../src/consensus/solo/propose.ts'
import type { Tip } from '../../src/consensus/tip.ts'
import { profile } from '../../src/identity/profiles/almanac.ts'
import type { Identity } from '../../src/identity/types.ts'
import { ofEd25519 } from '../../src/primitives/address.ts'
import { toKey } from '../../src/primitives/bytes.ts'
import type { ReadContext } from '../../src/sdk/context.ts'
import { openMemory } from '../../src/store/backend/memory.ts'
import type { Change, Snapshot } from '../../src/store/types.ts'
import { openVersionedStore } from '../../src/store/versioned.ts'
import { consensusKeys } from './actors.ts'

const NS_PER_SECOND = 1_000_000_000n
const KEPT_HEIGHTS = 3
const SIGNATURE = new Uint8Array(64)

/** The contents of a block that the engine decides. */
export interface BlockSpec {
  readonly seconds: number
  readonly absent: readonly number[]
  readonly evidence?: { readonly key: number; readonly age: number }
  readonly txs: readonly Uint8Array[]
}

export interface MadeBlock {
  readonly input: BlockInput
  readonly output: BlockOutput
  readonly changes: readonly Change[]
  readonly appHash: Uint8Array
}

/** The state of a height, to read until `close`. */
export interface View {
  readonly ctx: ReadContext
  close(): void
}

export interface Chain {
  tip(): Tip
  makeBlock(spec: BlockSpec): MadeBlock
  view(): View
  /** Opens the stored state again in another application, as a restarted node does. */
  restart(): void
  /** Returns the document of a chain that continues from the tip. Throws a `ChainError` if no chain can start from it. */
  exported(): GenesisDocument
}

const addresses = consensusKeys.map(ofEd25519)

/** Creates a chain at its genesis. The first block commits the writes of genesis. */
export function createChain(genesis: GenesisDocument, identity: Identity): Chain {
  const backend = openMemory()
  let app: Application
  let executor: Executor

  function open(): void {
    app = testApplication({ identity })
    const store = openVersionedStore(backend, { ...ALMANAC_STORES, keepHeights: KEPT_HEIGHTS })
    const fail = (error: unknown): never => {
      throw error
    }
    executor = createExecutor({
      app,
      store,
      elapsed: () => 0,
      onHalt: ({ reason }) => fail(new Error(`the chain halted: ${reason}`)),
      onListenerFailure: fail,
    })
  }
  open()
  executor!.begin(genesis)

  /** Returns the evidence of a double signature, if the key had power at that height. */
  function evidenceOf({ evidence }: BlockSpec, tip: Tip): BlockInput['evidence'] {
    if (!evidence) return []
    const height = tip.height - BigInt(evidence.age)
    const block = height > 0n ? executor.blocks.block(height) : undefined
    const set = block ? executor.blocks.validators(height) : undefined
    const address = addresses[evidence.key]!
    const found = set?.find((one) => toKey(one.address) === toKey(address))
    if (!block || !set || !found) return []
    return [
      {
        kind: 'duplicateVote',
        validator: address,
        height,
        timeNs: block.header.timeNs,
        power: found.power,
        totalPower: set.reduce((sum, { power }) => sum + power, 0n),
      },
    ]
  }

  function view(): View {
    const { height, timeNs, hash } = executor.tip()
    const state: Snapshot = executor.state()
    const empty = new Uint8Array(0)
    const ctx = app.readContext(state, { height, timeNs, hash, proposer: empty, lastCommitHash: empty })
    return { ctx, close: () => state.close() }
  }

  return {
    tip: () => executor.tip(),
    view,
    makeBlock(spec) {
      const tip = executor.tip()
      const absent = new Set(spec.absent.map((i) => toKey(addresses[i]!)))
      const signers = tip.validators
        .filter(({ address }) => !absent.has(toKey(address)))
        .map(({ address }) => ({ address, sign: () => SIGNATURE }))
      const timeNs = tip.timeNs + BigInt(spec.seconds) * NS_PER_SECOND
      const proposal = propose(tip, spec.txs, timeNs, signers)
      const input = { ...proposal.input, evidence: evidenceOf(spec, tip) }
      const executed = executor.execute(input)
      const prepared = executor.prepare(executed, (appHash) => storedBlock(proposal, tip, executed.output, appHash))
      const { appHash } = prepared
      prepared.commit()
      return { input, output: executed.output, changes: executed.changes, appHash }
    },
    restart: open,
    exported() {
      const { ctx, close } = view()
      try {
        const document = app.exportGenesis(ctx, genesis)
        validateGenesis(document, profile)
        // Operators pass documents on as text.
        return JSON.parse(JSON.stringify(document)) as GenesisDocument
      } finally {
        close()
      }
    },
  }
}

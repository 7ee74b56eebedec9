/** Construction of the contexts that handlers receive, for the application, queries and tests. */
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import type { Identity } from '../identity/types.ts'
import { createBranch } from '../store/branch.ts'
import { createInfiniteGasMeter, type GasMeter, metered, TRANSIENT_PRICES } from '../store/gas.ts'
import type { Branch, EventAttribute, Reader, Writer } from '../store/types.ts'
import type { AppFacts, BlockInfo, BranchedContext, Context, ReadContext } from './context.ts'
import { typedEvent } from './typed-event.ts'

/** A meter that neither counts nor limits. Accesses under it skip metering altogether. */
const FREE_GAS: GasMeter = { limit: (1n << 64n) - 1n, used: 0n, consume() {} }

/** Whether reads and writes are not metered. */
export function hasFreeGas({ gas }: ReadContext): boolean {
  return gas === FREE_GAS
}

/** Returns a context on the same branch whose accesses cost no gas: for rules that the original chain does not read state for. */
export function withoutGas(ctx: Context): Context
export function withoutGas(ctx: ReadContext): ReadContext
export function withoutGas(ctx: Context | ReadContext): Context | ReadContext {
  return 'withGas' in ctx && !hasFreeGas(ctx) ? ctx.withGas(FREE_GAS) : ctx
}

const NOTHING: Reader = {
  get: () => undefined,
  has: () => false,
  iterate: () => [][Symbol.iterator](),
}

/** Returns an empty store for values that live for one block. */
export function createTransient(): Branch {
  return createBranch(NOTHING)
}

export interface ContextOptions {
  readonly branch: Branch
  readonly transient: Branch
  readonly block: BlockInfo
  readonly identity: Identity
  readonly app: AppFacts
  /** Free by default. */
  readonly gas?: GasMeter
}

type Texts = Readonly<Record<string, string>>

function toList(attributes: Texts): readonly EventAttribute[] {
  return Object.keys(attributes).map((key) => ({ key, value: attributes[key]! }))
}

/** Returns a context that writes to a branch. */
export function createContext(options: ContextOptions): BranchedContext {
  const { branch, transient, block, identity, app, gas = FREE_GAS } = options
  const free = gas === FREE_GAS
  const store: Writer = free ? branch : metered(branch, gas)
  return {
    store,
    // Few contexts use it, and precompiles make many contexts.
    get transient() {
      return free ? transient : metered(transient, gas, TRANSIENT_PRICES)
    },
    branchStore: branch,
    block,
    identity,
    app,
    gas,
    events: branch.events,
    emit<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) {
      branch.events.push(typedEvent({ identity, app }, schema, create(schema, init)))
    },
    emitEvent(type, attributes) {
      const list: readonly EventAttribute[] = Array.isArray(attributes) ? attributes : toList(attributes as Texts)
      branch.events.push({ type, attributes: list })
    },
    branch(own) {
      return createContext({
        branch: branch.branch(),
        transient: transient.branch(),
        block,
        identity,
        app,
        gas: own?.gas ?? gas,
      })
    },
    withGas: (meter) => createContext({ ...options, gas: meter }),
    merge() {
      branch.merge()
      transient.merge()
    },
  }
}

/** Returns a context that reads one state. Its gas is counted but not limited. */
export function createReadContext({
  store,
  block,
  identity,
  app,
}: {
  readonly store: Reader
  readonly block: Readonly<BlockInfo>
  readonly identity: Identity
  readonly app: AppFacts
}): ReadContext {
  return { store, block, identity, app, gas: createInfiniteGasMeter() }
}

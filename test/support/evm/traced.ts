/** Runs a transaction on a small state under a tracer, for tests of tracers. */
import { type ForkName, rulesOf } from '../../../src/evm/forks.ts'
import { standardPrecompiles } from '../../../src/evm/precompiles/index.ts'
import { traceFactoryOf } from '../../../src/evm/tracers/create.ts'
import { createOutput } from '../../../src/evm/tracers/output.ts'
import type { TraceFactory } from '../../../src/evm/tracers/tracer.ts'
import type { Authorization } from '../../../src/evm/transaction/types.ts'
import { executeTransaction } from '../../../src/evm/transition.ts'
import { EMPTY, encodeUint, hex } from '../../../src/primitives/bytes.ts'
import { CALLER, CONTRACT, OTHER } from './machine.ts'
import { createMemoryState, type MemoryState } from './memory-state.ts'

export const COINBASE = hex('c01b000000000000000000000000000000000001')
const GAS_LIMIT = 200_000n
/** Unit: wei. */
export const GAS_PRICE = 10n
export const BASE_FEE = 7n
export const FUNDS = 10n ** 18n

export interface World {
  readonly fork?: ForkName
  /** The code of CONTRACT and OTHER in hexadecimal. */
  readonly code?: string
  readonly other?: string
  /** The slots of CONTRACT. */
  readonly storage?: Readonly<Record<number, number>>
  readonly data?: Uint8Array
  readonly valueWei?: bigint
  readonly gasLimit?: bigint
  readonly creates?: boolean
  /** Authorizations of CALLER's transaction (EIP-7702). */
  readonly authorizations?: readonly Authorization[]
  /** Further accounts with code and nonce 1. */
  readonly accounts?: readonly (readonly [address: Uint8Array, code: string])[]
}

/** Returns the state before: CALLER has nonce 5 and funds, the contracts nonce 1, CONTRACT a thousand wei. */
function worldState({ code, other, storage = {}, accounts = [] }: World): MemoryState {
  const state = createMemoryState()
  state.put(CALLER, { nonce: 5n, balanceWei: FUNDS })
  if (code !== undefined) state.put(CONTRACT, { nonce: 1n, balanceWei: 1000n, code: hex(code) })
  if (other !== undefined) state.put(OTHER, { nonce: 1n, code: hex(other) })
  for (const [address, text] of accounts) state.put(address, { nonce: 1n, code: hex(text) })
  for (const [slot, value] of Object.entries(storage)) {
    state.setStorage(CONTRACT, encodeUint(BigInt(slot), 32), encodeUint(BigInt(value), 32))
  }
  return state
}

/** Returns the result of a tracer, given by name or factory, as text. CALLER calls CONTRACT, or creates with `data`. */
export function traceText(
  tracer: string | TraceFactory,
  world: World,
  config?: unknown,
  memoryBytes = 1 << 24,
): string {
  const chunks: Uint8Array[] = []
  const output = createOutput((chunk) => chunks.push(chunk))
  const context = { blockNumber: 1000n, txIndex: 3, firstLogIndex: 7 }
  const factory = typeof tracer === 'string' ? traceFactoryOf(tracer) : tracer
  const trace = factory({ config, context, output, memoryBytes })
  const rules = rulesOf(world.fork ?? 'Osaka')
  executeTransaction(
    worldState(world),
    {
      ...(world.authorizations ? { type: 4, authorizations: world.authorizations } : { type: 2 }),
      chainId: 6930n,
      nonce: 5n,
      gasLimit: world.gasLimit ?? GAS_LIMIT,
      maxFeePerGasWei: GAS_PRICE,
      maxPriorityFeePerGasWei: GAS_PRICE,
      to: world.creates ? undefined : CONTRACT,
      valueWei: world.valueWei ?? 0n,
      data: world.data ?? EMPTY,
      accessList: [],
    },
    CALLER,
    {
      rules,
      block: {
        number: 1000n,
        timestamp: 1_700_000_000n,
        coinbase: COINBASE,
        gasLimit: 60_000_000n,
        prevRandao: encodeUint(0xaaaan, 32),
        difficulty: 0n,
        baseFee: BASE_FEE,
        blobBaseFee: 1n,
        chainId: 6930n,
      },
      precompiles: standardPrecompiles(rules),
      tracer: trace.tracer,
      shouldStop: trace.isFull,
    },
  )
  trace.finish()
  output.flush()
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the parsed result of a tracer. */
export function traced(tracer: string | TraceFactory, world: World, config?: unknown): unknown {
  return JSON.parse(traceText(tracer, world, config))
}

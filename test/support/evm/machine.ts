/** An EVM with deployed contracts, for tests of single rules. */
import { type ForkName, rulesOf } from '../../../src/evm/forks.ts'
import { createEvm, type Evm } from '../../../src/evm/host.ts'
import type { CallResult, EvmOptions } from '../../../src/evm/types.ts'
import { decodeUint, EMPTY, encodeUint, hex } from '../../../src/primitives/bytes.ts'
import { createMemoryState, type MemoryState } from './memory-state.ts'

export const CALLER = hex('ca11e70000000000000000000000000000000001')
export const CONTRACT = hex('c0de000000000000000000000000000000000001')
export const OTHER = hex('c0de000000000000000000000000000000000002')
const COINBASE = hex('c01b000000000000000000000000000000000001')
export const GAS = 10_000_000n

export interface Setup extends Partial<Omit<EvmOptions, 'rules' | 'state'>> {
  readonly fork?: ForkName
  readonly extraEips?: readonly number[]
  /** The code of CONTRACT and OTHER in hexadecimal. */
  readonly code?: string
  readonly other?: string
}

export interface TestMachine {
  readonly evm: Evm
  readonly state: MemoryState
  /** Calls CONTRACT. */
  call(message?: { data?: Uint8Array; valueWei?: bigint; gas?: bigint; isStatic?: boolean }): CallResult
}

export function machine({ fork = 'Osaka', extraEips = [], code, other, ...options }: Setup = {}): TestMachine {
  const state = createMemoryState()
  state.put(CALLER, { balanceWei: 10n ** 18n })
  if (code !== undefined) state.put(CONTRACT, { nonce: 1n, balanceWei: 1000n, code: hex(code) })
  if (other !== undefined) state.put(OTHER, { nonce: 1n, code: hex(other) })
  const evm = createEvm({
    state,
    rules: rulesOf(fork, extraEips),
    block: {
      number: 1000n,
      timestamp: 1_700_000_000n,
      coinbase: COINBASE,
      gasLimit: 60_000_000n,
      prevRandao: encodeUint(0xaaaan, 32),
      difficulty: 0xddddn,
      baseFee: 7n,
      blobBaseFee: 3n,
      chainId: 6930n,
    },
    tx: { origin: CALLER, gasPrice: 10n, blobHashes: [encodeUint(0xb10bn, 32)] },
    precompiles: new Map(),
    optimiseAtCall: 1,
    ...options,
  })
  return {
    evm,
    state,
    call: ({ data = EMPTY, valueWei = 0n, gas = GAS, isStatic = false } = {}) =>
      evm.call({ caller: CALLER, to: CONTRACT, valueWei, data, gas, isStatic }),
  }
}

/** Returns code that pushes words, the last one on top. */
export function push(...words: readonly bigint[]): string {
  return words.map((word) => `7f${word.toString(16).padStart(64, '0')}`).join('')
}

/** Returns code that returns the top of the stack. */
export const RETURN_TOP = '5f5260205ff3'
const RETURN_TOP_FRONTIER = '60005260206000f3'

/** Runs code and returns the word on top of its stack. */
export function top(code: string, setup: Omit<Setup, 'code'> = {}): bigint {
  const { success, output, error } = machine({ ...setup, code: code + RETURN_TOP_FRONTIER }).call()
  if (!success) throw new Error(error)
  return decodeUint(output)
}

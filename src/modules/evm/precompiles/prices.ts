/**
 * Gas of the chain's precompiles (docs/modules/evm.md#precompiles): a base, the bytes of the arguments, and the work: changes that
 * have to be written first, the keepers' accesses, the module's calls. Under `flatPrecompileGas` the work is limited and not
 * charged (ADR 0012).
 */
import type { EvmState } from '../../../evm/state.ts'
import type { PendingWork } from '../../../evm/types.ts'
import { createGasMeter, type GasMeter } from '../../../store/gas.ts'
import type { ChainEvmState } from '../evm-state.ts'

interface Schedule {
  readonly write: { readonly flat: bigint; readonly perByte: bigint }
  readonly read: { readonly flat: bigint; readonly perByte: bigint }
  readonly unknownMethod: bigint
}

const REFERENCE: Schedule = {
  write: { flat: 2000n, perByte: 30n },
  read: { flat: 1000n, perByte: 3n },
  unknownMethod: 21_000n,
}

/** Gas without which no call runs under any schedule. */
export const LEAST_GAS = REFERENCE.read.flat

const OWN: Schedule = { ...REFERENCE, write: { flat: 10_000n, perByte: 30n }, read: { flat: 5000n, perByte: 3n } }

/** Gas of writing one changed account or balance to the state, so that the modules see it. */
const UNWRITTEN_GAS = 5000n
/** Gas of an access to the store that makes one gas of the call: the prices of the store are those of transactions of the SDK. */
const STORE_GAS_RATIO = 2n
/** Gas of a call by the module in addition to the gas that its code uses. */
export const CALL_GAS = 15_000n

/** Gas of a log with two topics, and of each byte of its data, as for LOG2. */
const LOG_GAS = 3n * 375n
const LOG_BYTE_GAS = 8n

/**
 * Limit of the work of a transaction's calls as a multiple of the precompile's gas, under `flatPrecompileGas`. The reference does
 * not charge it, so a contract that is slow on purpose could otherwise make a block slow.
 */
export const MAX_WORK_RATIO = 8n

/** Returns the state of the chain behind the state interface of the EVM. */
export function chainState(state: EvmState): ChainEvmState {
  if (!('context' in state)) throw new TypeError('a precompile of the chain needs a ChainEvmState')
  return state as ChainEvmState
}

const isFlat = (state: EvmState): boolean => chainState(state).context().identity.behaviours.flatPrecompileGas

/** Returns the price of a call without its work. `changesState` is undefined for an unknown method. */
export function priceOf(state: EvmState, changesState: boolean | undefined, argumentBytes: number): bigint {
  const { write, read, unknownMethod } = isFlat(state) ? REFERENCE : OWN
  if (changesState === undefined) return unknownMethod
  const { flat, perByte } = changesState ? write : read
  return flat + perByte * BigInt(argumentBytes)
}

/** Returns the gas that a call must have before anything is done for it: its price, and that of the changes to write. */
export function leastGas(price: bigint, { state, unwritten }: PendingWork): bigint {
  const pending = UNWRITTEN_GAS * BigInt(unwritten)
  if (!isFlat(state)) return price + pending
  const least = (chainState(state).addCallGas(0n) + pending) / MAX_WORK_RATIO
  return least > price ? least : price
}

/** The gas of the work of one call. */
export interface WorkGas {
  /** Meter of the keepers. */
  readonly meter: GasMeter
  /** Returns the gas that is left for a call by the module. */
  left(): bigint
  /** Charges a call by the module. */
  chargeCall(used: bigint): void
  /** Charges an event that becomes a log with two topics. */
  chargeLog(dataBytes: number): void
  /** Returns the gas that the precompile's call has used so far. */
  used(): bigint
}

/** Opens the gas of a call that has at least `leastGas`. */
export function openWork(gas: bigint, price: bigint, work: PendingWork): WorkGas {
  const least = leastGas(price, work)
  if (isFlat(work.state)) {
    chainState(work.state).addCallGas(UNWRITTEN_GAS * BigInt(work.unwritten))
    const meter = createGasMeter(gas - price)
    return { meter, left: () => meter.limit - meter.used, chargeCall() {}, chargeLog() {}, used: () => price }
  }
  const meter = createGasMeter((gas - least) * STORE_GAS_RATIO)
  const charge = (used: bigint, descriptor: string) => meter.consume(used * STORE_GAS_RATIO, descriptor)
  return {
    meter,
    left: () => (meter.limit - meter.used) / STORE_GAS_RATIO,
    chargeCall: (used) => charge(used, 'call of a contract'),
    chargeLog: (dataBytes) => charge(LOG_GAS + LOG_BYTE_GAS * BigInt(dataBytes), 'log'),
    used: () => least + (meter.used + STORE_GAS_RATIO - 1n) / STORE_GAS_RATIO,
  }
}

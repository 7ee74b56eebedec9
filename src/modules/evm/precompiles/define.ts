/** Precompiles of the chain: price, arguments, permissions, failures, and events as logs (docs/modules/evm.md#precompiles). */
import type { EvmState } from '../../../evm/state.ts'
import type { PrecompileContext, StatefulPrecompile } from '../../../evm/types.ts'
import { EMPTY, equal, formatHex, toKey, utf8 } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { Context } from '../../../sdk/context.ts'
import type { ChainEvent } from '../../../store/types.ts'
import * as auth from '../../auth/keeper.ts'
import { type AbiValue, decodeArguments, encodeArguments, encodeError, selectorOf } from '../calls/abi.ts'
import type { ContractCalls } from '../calls/contract-calls.ts'
import type { ChainEvmState } from '../evm-state.ts'
import { innerCalls } from './inner-calls.ts'
import { chainState, LEAST_GAS, leastGas, openWork, priceOf, type WorkGas } from './prices.ts'

/** One call of a method. */
export interface MethodCall {
  /** Its meter has the call's remaining gas (`prices.ts`). */
  readonly ctx: Context
  readonly calls: ContractCalls
  readonly caller: Uint8Array
}

export interface Method {
  /** Canonical text: `sendToBank(address,uint256,string)`. */
  readonly signature: string
  /** Types of the arguments that are decoded; all of the signature's by default. */
  readonly reads?: string
  /** Types of the results: `uint256,(address,string)`. */
  readonly returns: string
  /** Whether it changes state: static and delegated calls fail, also calls while the module calls a contract; its events become logs. */
  readonly changesState: boolean
  run(call: MethodCall, args: readonly AbiValue[]): readonly AbiValue[]
}

interface Prepared extends Method {
  readonly name: string
  readonly types: string
}

const SELECTOR_LENGTH = 4

const EVENT_TOPIC: Uint8Array = keccak256(utf8('AbciEvent(string,string)'))

/** Returns an error whose text becomes revert data, so that the text is part of a block's results. */
const refusal = (text: string): ChainError => queryError('failedPrecondition', text)

/** Throws 9 for a kind of call, or a value, that the method does not allow. */
function checkCall(context: PrecompileContext, state: ChainEvmState, { changesState, name }: Prepared): void {
  const { valueWei, kind, isStatic } = context
  if (!changesState) {
    if (valueWei === 0n) return
    const rule = 'funds (wei value) must not be expended calling a query function'
    throw refusal(`${name} method called: ${rule}; received wei value ${valueWei}`)
  }
  if (isStatic) throw refusal(`cannot write state from staticcall (a read-only call): ${name}`)
  if (kind !== 'CALL') throw refusal(`${name} is not for ${kind}`)
  if (state.isCalling()) throw refusal(`${name} inside of a call that the module makes`)
  if (valueWei !== 0n && !state.context().identity.behaviours.precompilesKeepValue) {
    throw refusal(`${name} takes no value; received wei value ${valueWei}`)
  }
}

/** Encodes a text as JSON the way Go does, with HTML characters escaped. */
function goJson(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Emits a module's event as a log: the hash of its type is a topic, its attributes are one JSON object. */
function logEvent(
  { log, codeAddress }: PrecompileContext,
  { chargeLog }: WorkGas,
  { type, attributes }: ChainEvent,
): void {
  const pairs = [{ key: 'eventType', value: type }, ...attributes]
  const json = `{${pairs.map(({ key, value }) => `${goJson(key)}:${goJson(value)}`).join(',')}}`
  const data = encodeArguments('string', [json])
  chargeLog(data.length)
  log({ address: codeAddress, topics: [EVENT_TOPIC, keccak256(utf8(type))], data })
}

/** Runs a method and returns its encoded results. Throws for a forbidden call, and the errors of the keepers. */
function runMethod(context: PrecompileContext, method: Prepared | undefined, work: WorkGas): Uint8Array {
  const { input, caller } = context
  const state = chainState(context.state)
  if (!method) {
    const shown = `0x${formatHex(input.subarray(0, SELECTOR_LENGTH))}`
    throw refusal(
      input.length < SELECTOR_LENGTH
        ? `input "${shown}" too short to extract method ID (less than 4 bytes)`
        : `unable to parse ABI method by its 4-byte ID: no method with id: ${shown}`,
    )
  }
  const base = state.context()
  const firstEvent = base.events.length
  const ctx = base.withGas(work.meter)
  const args = decodeArguments(method.types, input.subarray(SELECTOR_LENGTH))
  checkCall(context, state, method)
  const results = method.run({ ctx, caller, calls: innerCalls(context, state, ctx, work) }, args)
  if (method.changesState) for (const event of base.events.slice(firstEvent)) logEvent(context, work, event)
  return encodeArguments(method.returns, results)
}

/** Returns the result of a failed call, which uses all its gas. */
function failure({ state, gas }: PrecompileContext, title: string, error: ChainError) {
  const { codespace, code, message } = error
  const isOutOfGas = codespace === 'sdk' && code === 11
  const text = `precompile error: failed to run ${title}: ${isOutOfGas ? 'out of gas' : message}`
  const failed = { success: false, gasUsed: gas }
  if (chainState(state).context().identity.behaviours.silentPrecompileFailures) {
    return { ...failed, output: EMPTY, error: text }
  }
  if (isOutOfGas) return { ...failed, output: EMPTY, error: 'out of gas' }
  return { ...failed, output: encodeError(text) }
}

/**
 * Builds a precompile of the chain from its methods. `title` names it in errors. The first call creates the account of its
 * address, as the reference does for every called address.
 */
export function definePrecompile(title: string, methods: readonly Method[]): StatefulPrecompile {
  const bySelector = new Map<string, Prepared>()
  for (const method of methods) {
    const { signature, reads } = method
    const open = signature.indexOf('(')
    const prepared = { ...method, name: signature.slice(0, open), types: reads ?? signature.slice(open + 1, -1) }
    bySelector.set(toKey(selectorOf(signature)), prepared)
  }
  const methodOf = (input: Uint8Array) => bySelector.get(toKey(input.subarray(0, SELECTOR_LENGTH)))
  const price = (state: EvmState, method: Prepared | undefined, input: Uint8Array) =>
    priceOf(state, method?.changesState, input.length - SELECTOR_LENGTH)
  return {
    kind: 'stateful',
    least: LEAST_GAS,
    gas: (input, work) => leastGas(price(work.state, methodOf(input), input), work),
    run(context) {
      const { input, gas, kind, address, codeAddress } = context
      const method = methodOf(input)
      const work = openWork(gas, price(context.state, method, input), context)
      if (kind === 'CALL' && equal(address, codeAddress)) {
        auth.ensureAccount(chainState(context.state).context(), address)
      }
      try {
        const output = runMethod(context, method, work)
        return { success: true, gasUsed: work.used(), output }
      } catch (error) {
        if (error instanceof ChainError) return failure(context, title, error)
        throw error
      }
    },
  }
}

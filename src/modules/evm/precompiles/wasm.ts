/**
 * Precompile 0x802: Wasm contracts. This build has no Wasm VM: it reads what contracts store, and a call that would run one ends
 * the execution, whose result would be wrong (docs/modules/evm.md#precompiles).
 */
import * as address from '../../../identity/address.ts'
import { concat, EMPTY, encodeUint64 } from '../../../primitives/bytes.ts'
import { failureOf, NotExecutable } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { errors } from '../../../sdk/errors.ts'
import { definePrecompile, type Method } from './define.ts'

/** Store of the Wasm module, and the first byte of its keys (docs/state-layout.md#wasm-contracts). */
const STORE = 'wasm'
const CODE = 0x01
const CONTRACT = 0x02
const CONTRACT_STATE = 0x03

const keyOf = (prefix: number, key: Uint8Array): Uint8Array => concat(Uint8Array.of(prefix), key)

const isInvalid = (ctx: ReadContext, text: string): boolean => failureOf(() => address.parse(ctx, text)) !== undefined

/** Returns the address of a contract that the chain has. Throws sdk 38 for any other. */
function contractOf(ctx: ReadContext, text: string): Uint8Array {
  const contract = isInvalid(ctx, text) ? undefined : address.parse(ctx, text)
  if (!contract || !ctx.store.has(STORE, keyOf(CONTRACT, contract))) throw errors.notFound(`no such contract: ${text}`)
  return contract
}

/** Returns the error of a call that reaches the code of a contract. */
const beyond = (method: string, what: string): NotExecutable =>
  new NotExecutable(`${method} of precompile 0x802 runs ${what}, and this node has no Wasm VM`)

/** Defines a method whose first argument names a contract, and which runs its code. */
function ofContract(signature: string, changesState: boolean): Method {
  return {
    signature,
    reads: 'string',
    returns: '',
    changesState,
    run({ ctx }, args) {
      const text = args[0] as string
      contractOf(ctx, text)
      throw beyond(signature.slice(0, signature.indexOf('(')), `the Wasm contract ${text}`)
    },
  }
}

export const wasmPrecompile = definePrecompile('precompileWasm', [
  ofContract('execute(string,bytes,(string,uint256)[])', true),
  ofContract('query(string,bytes)', false),
  {
    signature: 'queryRaw(string,bytes)',
    returns: 'bytes',
    changesState: false,
    run({ ctx }, args) {
      const [text, key] = args as [string, Uint8Array]
      const contract = contractOf(ctx, text)
      return [ctx.store.get(STORE, keyOf(CONTRACT_STATE, concat(contract, key))) ?? EMPTY]
    },
  },
  {
    signature: 'executeMulti((string,bytes,(string,uint256)[])[])',
    reads: '',
    returns: '',
    changesState: true,
    run({ ctx }) {
      // The arguments are not decoded: on a chain with contracts some of them may be meant.
      const range = { start: Uint8Array.of(CONTRACT), end: Uint8Array.of(CONTRACT_STATE) }
      for (const _ of ctx.store.iterate(STORE, range)) throw beyond('executeMulti', 'Wasm contracts')
      throw errors.notFound('no such contract')
    },
  },
  {
    signature: 'instantiate(string,uint64,bytes,string,(string,uint256)[])',
    reads: 'string,uint64',
    returns: '',
    changesState: true,
    run({ ctx }, args) {
      const code = args[1] as bigint
      if (!ctx.store.has(STORE, keyOf(CODE, encodeUint64(code)))) throw errors.notFound(`no such code: ${code}`)
      throw beyond('instantiate', `the Wasm code ${code}`)
    },
  },
])

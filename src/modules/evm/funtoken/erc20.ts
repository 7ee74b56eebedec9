/** Name, symbol, decimals and a balance of an ERC-20 contract, for queries. Any answer of the contract can be missing or wrong. */
import { createEvm } from '../../../evm/host.ts'
import { decodeString } from '../../../evm/revert.ts'
import { concat, decodeUint, formatUtf8, hex, padLeft, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { callSetup } from '../calls/call-setup.ts'
import { chainRules } from '../rules.ts'

/** Caller of the module's queries. */
const READ_ONLY_CALLER: Uint8Array = hex('f9326317c0cc8bde88c2342da4ee8999bb918080')
const QUERY_GAS = 100_000n

const selector = (signature: string): Uint8Array => keccak256(utf8(signature)).slice(0, 4)
const BALANCE_OF = selector('balanceOf(address)')
const NAME = selector('name()')
const SYMBOL = selector('symbol()')
const DECIMALS = selector('decimals()')

export interface Erc20Reading {
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  readonly balance: bigint | undefined
}

/** Returns a function that calls a contract and returns its output; undefined if the call fails. */
function reader(ctx: ReadContext, contract: Uint8Array): (data: Uint8Array) => Uint8Array | undefined {
  const setup = callSetup(ctx)
  return (data) => {
    const evm = createEvm({
      state: setup.open(),
      rules: chainRules(ctx),
      block: setup.block,
      tx: { origin: READ_ONLY_CALLER, gasPrice: 0n, blobHashes: [] },
      precompiles: setup.precompiles,
    })
    const message = { caller: READ_ONLY_CALLER, to: contract, valueWei: 0n, data, gas: QUERY_GAS, isStatic: true }
    const { success, output } = evm.call(message)
    return success && output.length > 0 ? output : undefined
  }
}

/** Decodes an ABI `string`, or else a `bytes32` without its NUL bytes. */
export function readText(output: Uint8Array | undefined): string | undefined {
  if (!output) return undefined
  const text = decodeString(output)
  if (text !== undefined) return text
  return output.length >= 32 ? formatUtf8(output.subarray(0, 32)).replace(/^\0+|\0+$/g, '') : undefined
}

/** Returns the first word as a number. */
export function readNumber(output: Uint8Array | undefined): bigint | undefined {
  return output && output.length >= 32 ? decodeUint(output.subarray(0, 32)) : undefined
}

/** Reads name, symbol, decimals and the holder's balance; a field without an answer is undefined. */
export function readErc20(ctx: ReadContext, contract: Uint8Array, holder: Uint8Array): Erc20Reading {
  const read = reader(ctx, contract)
  const decimals = readNumber(read(DECIMALS))
  return {
    balance: readNumber(read(concat(BALANCE_OF, padLeft(holder, 32)))),
    name: readText(read(NAME)),
    symbol: readText(read(SYMBOL)),
    // Decimals are a uint8: only the low eight bits count.
    decimals: decimals === undefined ? undefined : Number(decimals & 255n),
  }
}

/** What an ERC-20 contract says of itself and of a holder, read without trusting it (evm.md §2.3). */
import { createEvm } from '../../../evm/host.ts'
import { decodeString } from '../../../evm/revert.ts'
import { concat, decodeUint, formatUtf8, hex, padLeft, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { callGround } from '../calls/call.ts'
import { chainRules } from '../rules.ts'

/** Who asks contracts for the module. */
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

/** Makes a function that asks a contract and gives what it returned; undefined when the call failed. */
function asker(ctx: ReadContext, contract: Uint8Array): (data: Uint8Array) => Uint8Array | undefined {
  const ground = callGround(ctx)
  return (data) => {
    const evm = createEvm({
      state: ground.open(),
      rules: chainRules(ctx),
      block: ground.block,
      tx: { origin: READ_ONLY_CALLER, gasPrice: 0n, blobHashes: [] },
      precompiles: ground.precompiles,
    })
    const message = { caller: READ_ONLY_CALLER, to: contract, valueWei: 0n, data, gas: QUERY_GAS, isStatic: true }
    const { success, output } = evm.call(message)
    return success && output.length > 0 ? output : undefined
  }
}

/** An ABI `string`, or else a `bytes32` without its NUL bytes. */
export function readText(output: Uint8Array | undefined): string | undefined {
  if (!output) return undefined
  const text = decodeString(output)
  if (text !== undefined) return text
  return output.length >= 32 ? formatUtf8(output.subarray(0, 32)).replace(/^\0+|\0+$/g, '') : undefined
}

/** The first word, whatever type it is meant as. */
export function readNumber(output: Uint8Array | undefined): bigint | undefined {
  return output && output.length >= 32 ? decodeUint(output.subarray(0, 32)) : undefined
}

/** Asks for name, symbol, decimals and the holder's balance, each as far as the contract answers. */
export function readErc20(ctx: ReadContext, contract: Uint8Array, holder: Uint8Array): Erc20Reading {
  const ask = asker(ctx, contract)
  const decimals = readNumber(ask(DECIMALS))
  return {
    balance: readNumber(ask(concat(BALANCE_OF, padLeft(holder, 32)))),
    name: readText(ask(NAME)),
    symbol: readText(ask(SYMBOL)),
    // A contract that answers more than eight bits means the low ones.
    decimals: decimals === undefined ? undefined : Number(decimals & 255n),
  }
}

/** An ERC-20 as the module uses it: nothing it says is believed that its balances do not bear out (evm.md §3.6). */
import { formatEip55 } from '../../../primitives/address.ts'
import { type AbiValue, decodeArguments, encodeCall } from '../abi.ts'
import { type ContractCalls, EXECUTE_GAS, QUERY_GAS } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'

const MODULE = evmAccount.address

/** Balance by the contract's word. Throws evm 4, evm 5. */
export function balanceOf(calls: ContractCalls, token: Uint8Array, holder: Uint8Array): bigint {
  const data = encodeCall('balanceOf(address)', [holder])
  const output = calls.call({ from: MODULE, to: token, data, gasLimit: QUERY_GAS, isStatic: true })
  return decodeArguments('uint256', output)[0] as bigint
}

function execute(calls: ContractCalls, from: Uint8Array, token: Uint8Array, signature: string, args: AbiValue[]) {
  return calls.call({ from, to: token, data: encodeCall(signature, args), gasLimit: EXECUTE_GAS })
}

/**
 * Moves tokens and gives what arrived, which is less than the amount if the token takes a fee. Throws evm 4, evm 5, and
 * evm 9 if it did not say `true` or nothing arrived.
 */
export function transfer(
  calls: ContractCalls,
  token: Uint8Array,
  { from, to, amount }: { readonly from: Uint8Array; readonly to: Uint8Array; readonly amount: bigint },
): bigint {
  const before = balanceOf(calls, token, to)
  const [success] = decodeArguments('bool', execute(calls, from, token, 'transfer(address,uint256)', [to, amount]))
  if (success !== true) throw errors.badToken('transfer executed but returned success=false')
  const increase = balanceOf(calls, token, to) - before
  if (increase <= 0n) {
    throw errors.badToken(
      `amount of ERC20 tokens received MUST be positive: the balance of recipient ${formatEip55(to)} would've changed by ${increase} for token ${formatEip55(token)}`,
    )
  }
  return increase
}

/** Makes tokens of a coin's contract, which the module owns. Throws evm 5. */
export function mint(calls: ContractCalls, token: Uint8Array, to: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'mint(address,uint256)', [to, amount])
}

/** Destroys tokens that the module holds. Throws evm 5. */
export function burn(calls: ContractCalls, token: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'burn(uint256)', [amount])
}

/** Destroys a holder's tokens of a coin's contract, which the module owns. Throws evm 5. */
export function burnFrom(calls: ContractCalls, token: Uint8Array, holder: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'burnFromAuthority(address,uint256)', [holder, amount])
}

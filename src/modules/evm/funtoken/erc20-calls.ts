/** Calls of ERC-20 contracts. Balances are measured before and after a transfer, so that transfer fees are the sender's loss. */
import { formatEip55 } from '../../../primitives/address.ts'
import { type AbiValue, decodeArguments, encodeCall } from '../calls/abi.ts'
import { type ContractCalls, EXECUTE_GAS, QUERY_GAS } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'

const MODULE = evmAccount.address

/** Returns the balance that the contract reports. Throws evm 4, evm 5. */
export function balanceOf(calls: ContractCalls, token: Uint8Array, holder: Uint8Array): bigint {
  const data = encodeCall('balanceOf(address)', [holder])
  const output = calls.call({ from: MODULE, to: token, data, gasLimit: QUERY_GAS, isStatic: true })
  return decodeArguments('uint256', output)[0] as bigint
}

function execute(calls: ContractCalls, from: Uint8Array, token: Uint8Array, signature: string, args: AbiValue[]) {
  return calls.call({ from, to: token, data: encodeCall(signature, args), gasLimit: EXECUTE_GAS })
}

/**
 * Transfers tokens and returns the increase of the recipient's balance, which is less than the amount if the token takes a fee.
 * Throws evm 4, evm 5, and evm 9 if the contract does not return `true` or the balance does not rise.
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

/** Mints tokens of a coin's contract, which the module owns. Throws evm 5. */
export function mint(calls: ContractCalls, token: Uint8Array, to: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'mint(address,uint256)', [to, amount])
}

/** Burns tokens of the module. Throws evm 5. */
export function burn(calls: ContractCalls, token: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'burn(uint256)', [amount])
}

/** Burns a holder's tokens of a coin's contract, which the module owns. Throws evm 5. */
export function burnFrom(calls: ContractCalls, token: Uint8Array, holder: Uint8Array, amount: bigint): void {
  execute(calls, MODULE, token, 'burnFromAuthority(address,uint256)', [holder, amount])
}

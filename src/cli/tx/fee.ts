/** Gas and fees of the command line's transactions. */
import type { Command } from 'commander'
import { type GasPrice, parseGasPrices } from '../../app/ante/gas-prices.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { tryParseText } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { queryError } from '../../primitives/errors.ts'
import { encodeUnsigned, type Fee, type UnsignedPlan } from '../../sdk/sign-tx.ts'
import type { NodeClient } from '../client.ts'
import { parseUint } from './account.ts'

export interface FeeFlags {
  readonly gasPrices?: string
  readonly fees?: string
  readonly feeGranter?: string
  readonly feePayer?: string
}

/** Adds the flags from which `feeOf` computes a fee. */
export function addFeeOptions(command: Command): Command {
  return command
    .option('--gas-prices <coins>', 'price of one unit of gas, such as 0.025unative (default: the minimum of the node)')
    .option('--fees <coins>', 'total fee of the transaction, such as 5000unative; overrides --gas-prices')
}

function pricesOf(text: string): readonly GasPrice[] {
  const prices = parseGasPrices(text)
  if (!prices) throw queryError('invalidArgument', `--gas-prices ${text}: must be prices such as 0.025unative`)
  return prices
}

/** Returns who pays instead of the first signer. */
function payersOf({ feeGranter, feePayer }: FeeFlags): Pick<Fee, 'granter' | 'payer'> {
  return {
    ...(feeGranter !== undefined && { granter: feeGranter }),
    ...(feePayer !== undefined && { payer: feePayer }),
  }
}

/** Computes the fee of a transaction from its flags. Throws `invalidArgument` for invalid coins or prices. */
export async function feeOf(node: NodeClient, flags: FeeFlags, gasLimit: bigint): Promise<Fee> {
  return (await feesOf(node, flags))(gasLimit)
}

/** Returns a function from a gas limit to the fee of the flags. Throws as `feeOf`. */
export async function feesOf(node: NodeClient, flags: FeeFlags): Promise<(gasLimit: bigint) => Fee> {
  const payers = payersOf(flags)
  if (flags.fees !== undefined) {
    const amount = tryParseText(flags.fees)
    if (!amount) throw queryError('invalidArgument', `--fees ${flags.fees}: must be coins such as 5000unative`)
    return (gasLimit) => ({ gasLimit, amount, ...payers })
  }
  const prices = pricesOf(flags.gasPrices ?? (await fetchMinGasPrice(node)))
  return (gasLimit) => {
    const amount = prices.map(({ denom, price }) => ({
      denom,
      amount: decimal.ceil(decimal.fromRaw(price * gasLimit)),
    }))
    return { gasLimit, amount: amount.filter((coin) => coin.amount > 0n), ...payers }
  }
}

async function fetchMinGasPrice(node: NodeClient): Promise<string> {
  const config = (await node.get('/sdk/base/node/v1beta1/config')) as { readonly minimum_gas_price: string }
  return config.minimum_gas_price
}

/** Returns the gas that a transaction would use. Throws the error of the simulation if it fails. */
export async function simulateGas(node: NodeClient, tx: Uint8Array): Promise<bigint> {
  const answer = (await node.post('/sdk/tx/v1beta1/simulate', { tx_bytes: formatBase64(tx) })) as {
    readonly gas_info: { readonly gas_used: string }
  }
  return BigInt(answer.gas_info.gas_used)
}

/** Returns the gas limit of the flags: a number, or that of a simulation times `--gas-adjustment`. */
export async function gasOf(
  node: NodeClient,
  plan: UnsignedPlan,
  flags: FeeFlags & { readonly gas: string; readonly gasAdjustment: string },
): Promise<bigint> {
  if (flags.gas !== 'auto') return parseUint('--gas', flags.gas)
  const factor = decimal.parse(flags.gasAdjustment)
  if (factor === undefined || factor <= 0n) {
    throw queryError('invalidArgument', `--gas-adjustment ${flags.gasAdjustment}: must be a positive number`)
  }
  const used = await simulateGas(node, encodeUnsigned(plan, { gasLimit: 0n, amount: [], ...payersOf(flags) }))
  return decimal.ceil(decimal.mul(decimal.fromInteger(used), factor))
}

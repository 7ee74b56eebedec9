/** Accounts with keys in the node (development chains only), and transactions completed for signing. */
import { impersonate } from '../../../app/evm/impersonation.ts'
import { encodeTransaction } from '../../../evm/transaction/encode.ts'
import { secp256k1 } from '../../../evm/transaction/secp256k1.ts'
import { addressOfPrivateKey, signTransaction } from '../../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../../evm/transaction/types.ts'
import type { CallArgs } from '../../../modules/evm/calls/call-args.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, equal, formatHex0x, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import type { GatewayNode } from '../../gateway.ts'
import { methodNotFound, serverError } from '../errors.ts'
import { formatSigned, formatUnsigned, type JsonObject } from '../format.ts'
import type { RpcCall } from '../method.ts'
import { estimateGas } from './calls.ts'
import { baseFee, suggestedTip } from './fees.ts'
import { sendRaw, transactionCount } from './transactions.ts'

const devKeysOf = ({ settings }: GatewayNode) => settings.devKeys?.() ?? []

/** Returns the addresses of the keys in order, in lower case. */
export function accounts(node: GatewayNode): readonly string[] {
  return devKeysOf(node).map((key) => formatHex0x(addressOfPrivateKey(key)))
}

/** Returns the key of an account. Throws -32601 on a node without keys, -32000 `unknown account` for another address. */
function keyOf(node: GatewayNode, address: Uint8Array, method: string): Uint8Array {
  if (!node.settings.devKeys) throw methodNotFound(method)
  const key = devKeysOf(node).find((candidate) => equal(addressOfPrivateKey(candidate), address))
  if (!key) throw serverError('unknown account')
  return key
}

/** Signs a hash. Returns 65 bytes: r, s, and 27 or 28. */
export function signHash(node: GatewayNode, address: Uint8Array, hash: Uint8Array, method: string): string {
  const { bytes, yParity } = secp256k1.sign(hash, keyOf(node, address, method))
  const signature = new Uint8Array(65)
  signature.set(bytes)
  signature[64] = 27 + yParity
  return formatHex0x(signature)
}

function dataOf(args: CallArgs): Uint8Array {
  if (args.data && args.input && !equal(args.data, args.input)) {
    throw serverError('both "data" and "input" are set and not equal. Please use "input" to pass transaction call data')
  }
  return args.input ?? args.data ?? EMPTY
}

function checkArgs(node: GatewayNode, args: CallArgs): void {
  if (args.blobs) throw serverError('blob transactions are not supported')
  const dynamic = args.maxFeePerGasWei !== undefined || args.maxPriorityFeePerGasWei !== undefined
  if (args.gasPriceWei !== undefined && dynamic) {
    throw serverError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (args.chainId !== undefined && args.chainId !== node.evmChainId) {
    throw serverError(`chainId does not match node's (have=${args.chainId}, want=${node.evmChainId})`)
  }
  if (args.to === undefined && dataOf(args).length === 0) {
    throw serverError('contract creation without any data provided')
  }
}

/** Returns the cap and tip of a transaction: those of the arguments, or prices that the next block accepts. Unit: wei. */
function dynamicFees(node: GatewayNode, { maxFeePerGasWei: cap, maxPriorityFeePerGasWei }: CallArgs) {
  const suggested = suggestedTip(node)
  const tip = maxPriorityFeePerGasWei ?? (cap !== undefined && cap < suggested ? cap : suggested)
  if (cap !== undefined && cap < tip) throw serverError(`maxFeePerGas (${cap}) < maxPriorityFeePerGas (${tip})`)
  return { maxPriorityFeePerGasWei: tip, maxFeePerGasWei: cap ?? baseFee(node) * 2n + tip }
}

/** Returns a transaction from arguments, with the missing nonce, fees and gas limit filled in. */
async function fill(call: RpcCall, args: CallArgs): Promise<UnsignedTransaction> {
  const { node } = call
  checkArgs(node, args)
  const fees = args.gasPriceWei === undefined ? dynamicFees(node, args) : undefined
  // An estimate for the sender's own prices fails as the transaction would; prices filled in here do not limit it.
  const priced =
    fees && (args.maxFeePerGasWei ?? args.maxPriorityFeePerGasWei) !== undefined ? { ...args, ...fees } : args
  const from = args.from ?? ZERO_ADDRESS
  const data = dataOf(args)
  const common = {
    chainId: node.evmChainId,
    nonce: args.nonce ?? transactionCount(node, from, { tag: 'pending' }),
    to: args.to,
    valueWei: args.valueWei ?? 0n,
    data,
    gasLimit: args.gas ?? (await estimateGas(call, { ...priced, from, data }, { tag: 'pending' })),
  }
  if (!fees) {
    const gasPriceWei = args.gasPriceWei!
    return args.accessList
      ? { ...common, type: 1, gasPriceWei, accessList: args.accessList }
      : { ...common, type: 0, gasPriceWei }
  }
  const dynamic = { ...common, ...fees, accessList: args.accessList ?? [] }
  return args.authorizations ? { ...dynamic, type: 4, authorizations: args.authorizations } : { ...dynamic, type: 2 }
}

/** `eth_fillTransaction`: returns the unsigned transaction and its bytes. */
export async function fillTransaction(call: RpcCall, args: CallArgs): Promise<JsonObject> {
  const tx = await fill(call, args)
  const unsigned = { ...tx, signature: { r: 0n, s: 0n, yParity: 0 } } as Parameters<typeof encodeTransaction>[0]
  return { raw: formatHex0x(encodeTransaction(unsigned)), tx: formatUnsigned(tx) }
}

/** `eth_signTransaction`. Throws in the texts of geth for missing fields and an unknown account. */
export async function signTransactionArgs(call: RpcCall, args: CallArgs): Promise<JsonObject> {
  const from = args.from ?? ZERO_ADDRESS
  const key = keyOf(call.node, from, 'eth_signTransaction')
  if (args.gas === undefined) throw serverError('gas not specified')
  if (args.gasPriceWei === undefined && args.maxFeePerGasWei === undefined) {
    throw serverError('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
  }
  if (args.nonce === undefined) throw serverError('nonce not specified')
  return formatSigned(signTransaction(await fill(call, args), key))
}

/** `eth_sendTransaction`: completes, signs and sends, or sends for an impersonated account. Resolves with the hash. */
export async function sendTransaction(call: RpcCall, args: CallArgs): Promise<string> {
  const from = args.from ?? ZERO_ADDRESS
  if (isImpersonated(call.node, from)) return sendAs(call, args, from)
  const key = keyOf(call.node, from, 'eth_sendTransaction')
  const tx = signTransaction(await fill(call, args), key)
  return sendRaw(call.node, encodeTransaction(tx))
}

function isImpersonated(node: GatewayNode, from: Uint8Array): boolean {
  return node.driver.development !== undefined && node.withContext(undefined, (ctx) => evm.isImpersonated(ctx, from))
}

async function sendAs(call: RpcCall, args: CallArgs, from: Uint8Array): Promise<string> {
  return sendRaw(call.node, encodeTransaction(impersonate(await fill(call, args), from)))
}

/** `eth_sendUnsignedTransaction`: sends for any account, and impersonates it from then on. */
export async function sendUnsigned(call: RpcCall, args: CallArgs): Promise<string> {
  const { development } = call.node.driver
  if (!development) throw methodNotFound('eth_sendUnsignedTransaction')
  const from = args.from ?? ZERO_ADDRESS
  if (!isImpersonated(call.node, from)) await development.amend([{ kind: 'impersonate', address: from, on: true }])
  return sendAs(call, args, from)
}

/** Accounts with keys in the node (development chains only), and transactions completed for signing. */
import { impersonate } from '../../../app/evm/impersonation.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import { encodeTransaction } from '../../../evm/transaction/encode.ts'
import { secp256k1 } from '../../../evm/transaction/secp256k1.ts'
import { addressOfPrivateKey, signTransaction } from '../../../evm/transaction/sender.ts'
import { feeCapOf, type Transaction, type UnsignedTransaction } from '../../../evm/transaction/types.ts'
import type { CallArgs } from '../../../modules/evm/calls/call-args.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { ofEthSecp256k1 } from '../../../primitives/address.ts'
import { EMPTY, equal, formatHex0x, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createSemaphore } from '../../transport/semaphore.ts'
import { methodNotFound, serverError } from '../errors.ts'
import { formatSigned, formatUnsigned, type JsonObject } from '../format.ts'
import type { RpcCall } from '../method.ts'
import { estimateGas, requireChainId } from './calls.ts'
import { baseFee, hasBaseFee, suggestedPrice, suggestedTip } from './fees.ts'
import { sendRawSync } from './send-sync.ts'
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

/** Returns the address whose key signed a hash with `signHash`. Throws -32000 in the texts of geth. */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): string {
  if (signature.length !== 65) throw serverError('signature must be 65 bytes long')
  const v = signature[64]!
  if (v !== 27 && v !== 28) throw serverError('invalid Ethereum signature (V is not 27 or 28)')
  const key = secp256k1.recover(hash, signature.subarray(0, 64), v - 27)
  if (!key) throw serverError('recovery failed')
  return formatHex0x(ofEthSecp256k1(key))
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
  requireChainId(node, args)
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

/** Arguments with a gas limit. */
type GasArgs = CallArgs & { readonly gas: bigint }

/** Returns the prices of arguments without a gas price. */
const feesOf = (node: GatewayNode, args: CallArgs) =>
  args.gasPriceWei === undefined ? dynamicFees(node, args) : undefined

/** Returns the gas price of a transaction without prices, on a chain whose fork has no other than gas prices. Unit: wei. */
function legacyPrice(node: GatewayNode, args: CallArgs): { readonly gasPriceWei?: bigint } {
  const isPriced = [args.gasPriceWei, args.maxFeePerGasWei, args.maxPriorityFeePerGasWei].some(
    (one) => one !== undefined,
  )
  return isPriced || hasBaseFee(node) ? {} : { gasPriceWei: suggestedPrice(node) }
}

/** Checks arguments, and returns them with a gas limit, which is estimated if it is absent, and the price of a legacy transaction. */
async function withGas(call: RpcCall, given: CallArgs): Promise<GasArgs> {
  const { node } = call
  checkArgs(node, given)
  const args = { ...given, ...legacyPrice(node, given) }
  const fees = feesOf(node, args)
  if (args.gas !== undefined) return { ...args, gas: args.gas }
  // An estimate for the sender's own prices fails as the transaction would; prices filled in here do not limit it.
  const priced =
    fees && (args.maxFeePerGasWei ?? args.maxPriorityFeePerGasWei) !== undefined ? { ...args, ...fees } : args
  const from = args.from ?? ZERO_ADDRESS
  return { ...args, gas: await estimateGas(call, { ...priced, from, data: dataOf(args) }, { tag: 'pending' }) }
}

/** Returns a transaction from arguments, with the missing nonce and fees filled in. */
function complete(node: GatewayNode, args: GasArgs): UnsignedTransaction {
  const fees = feesOf(node, args)
  const common = {
    chainId: node.evmChainId,
    nonce: args.nonce ?? transactionCount(node, args.from ?? ZERO_ADDRESS, { tag: 'pending' }),
    to: args.to,
    valueWei: args.valueWei ?? 0n,
    data: dataOf(args),
    gasLimit: args.gas,
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
  const tx = complete(call.node, await withGas(call, args))
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
  return formatSigned(signTransaction(complete(call.node, await withGas(call, args)), key))
}

/** Returns a function that signs for an account, or marks transactions as those of an impersonated one. Throws as `keyOf`. */
function signerOf(node: GatewayNode, from: Uint8Array, method: string): (tx: UnsignedTransaction) => Uint8Array {
  if (isImpersonated(node, from)) return (tx) => encodeTransaction(impersonate(tx, from))
  const key = keyOf(node, from, method)
  return (tx) => encodeTransaction(signTransaction(tx, key))
}

/** Turns of a node's senders: each reads its nonce after the transaction before it is in the pool. */
const turnsOf = cachePerObject((_: GatewayNode) =>
  createSemaphore({ permits: 1, queueLimit: Number.POSITIVE_INFINITY }),
)

/** Completes and signs a transaction, and sends its bytes. */
async function sendSigned<T>(
  call: RpcCall,
  args: CallArgs,
  method: string,
  send: (raw: Uint8Array) => Promise<T>,
): Promise<T> {
  const { node } = call
  const sign = signerOf(node, args.from ?? ZERO_ADDRESS, method)
  const priced = await withGas(call, args)
  const release = await turnsOf(node).acquire()
  try {
    return send(sign(complete(node, priced)))
  } finally {
    // The pool admits within this turn of the event loop; the answer can take until the block.
    setImmediate(release)
  }
}

/** `eth_sendTransaction`: completes, signs and sends, or sends for an impersonated account. Resolves with the hash. */
export const sendTransaction = (call: RpcCall, args: CallArgs): Promise<string> =>
  sendSigned(call, args, 'eth_sendTransaction', (raw) => sendRaw(call.node, raw))

/** `eth_sendTransactionSync`: sends as `eth_sendTransaction`, and resolves with the receipt as `sendRawSync`. */
export const sendTransactionSync = (call: RpcCall, args: CallArgs, timeout: unknown): Promise<unknown> =>
  sendSigned(call, args, 'eth_sendTransactionSync', (raw) => sendRawSync(call, raw, timeout))

/** Returns the waiting transaction of a sender that has these fields. Throws if no transaction with its nonce has all of them. */
function waitingLike({ node }: RpcCall, args: CallArgs): Transaction {
  const { from = ZERO_ADDRESS, nonce } = args
  if (nonce === undefined) throw serverError('missing transaction nonce in transaction spec')
  const waiting = node.driver.pool?.ofSender(from).txs.find(({ evm: tx }) => tx?.nonce === nonce)?.evm
  const shown = `transaction with nonce ${nonce} of ${formatHex0x(from)}`
  if (!waiting) throw serverError(`${shown} not found in the pool`)
  const tx = decodeTransaction(waiting.raw)
  const differs = (name: string): Error => serverError(`${shown} has another ${name}`)
  if (args.to && !(tx.to && equal(args.to, tx.to))) throw differs('to')
  if (args.valueWei !== undefined && args.valueWei !== tx.valueWei) throw differs('value')
  if ((args.input ?? args.data) !== undefined && !equal(dataOf(args), tx.data)) throw differs('input')
  if (args.gas !== undefined && args.gas !== tx.gasLimit) throw differs('gas')
  const price = args.gasPriceWei ?? args.maxFeePerGasWei
  if (price !== undefined && price !== feeCapOf(tx)) {
    throw differs(args.gasPriceWei === undefined ? 'maxFeePerGas' : 'gasPrice')
  }
  return tx
}

/**
 * `eth_resend`: replaces a waiting transaction by one with another price or gas limit, which are those of the old one if they
 * are absent or 0. A price becomes cap and tip of a transaction that has both. Resolves with the new hash.
 */
export async function resend(
  call: RpcCall,
  args: CallArgs,
  priceWei: bigint | undefined,
  gasLimit: bigint | undefined,
): Promise<string> {
  const { signature: _, ...old } = waitingLike(call, args)
  const from = args.from ?? ZERO_ADDRESS
  const gas = { gasLimit: gasLimit || old.gasLimit }
  const fees =
    old.type < 2 ? { gasPriceWei: priceWei } : { maxFeePerGasWei: priceWei, maxPriorityFeePerGasWei: priceWei }
  const tx = { ...old, ...gas, ...(priceWei && fees) } as UnsignedTransaction
  return sendRaw(call.node, signerOf(call.node, from, 'eth_resend')(tx))
}

function isImpersonated(node: GatewayNode, from: Uint8Array): boolean {
  return node.driver.development !== undefined && node.withContext(undefined, (ctx) => evm.isImpersonated(ctx, from))
}

/** `eth_sendUnsignedTransaction`: sends for any account, and impersonates it from then on. */
export async function sendUnsigned(call: RpcCall, args: CallArgs): Promise<string> {
  const { development } = call.node.driver
  if (!development) throw methodNotFound('eth_sendUnsignedTransaction')
  const from = args.from ?? ZERO_ADDRESS
  if (!isImpersonated(call.node, from)) await development.amend([{ kind: 'impersonate', address: from, on: true }])
  return sendSigned(call, args, 'eth_sendUnsignedTransaction', (raw) => sendRaw(call.node, raw))
}

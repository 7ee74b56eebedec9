/** Transactions as a whole: what happens around the call or creation that they are. */

import { formatEip55 } from '../primitives/address.ts'
import { concat, EMPTY, equal, hex } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import { delegationTarget } from './access.ts'
import { createAddress } from './contract-address.ts'
import { createEvm, type Evm } from './host.ts'
import type { EvmLog, EvmState } from './state.ts'
import type { TracedTransaction } from './trace.ts'
import { GAS_PER_BLOB } from './transaction/blob.ts'
import { refuse } from './transaction/errors.ts'
import { EXISTING_AUTHORITY_REFUND, effectiveGasPrice, type OwnGas, ownGas } from './transaction/gas.ts'
import { recoverAuthority } from './transaction/sender.ts'
import {
  type AccessList,
  type Authorization,
  accessListOf,
  feeCapOf,
  type UnsignedTransaction,
} from './transaction/types.ts'
import { validateTransaction } from './transaction/validate.ts'
import type { CreateResult, EvmOptions } from './types.ts'

const DESIGNATOR_PREFIX = hex('ef0100')
const MAX_NONCE = (1n << 64n) - 1n

/** What a transaction asks of the EVM, its sender known and its gas paid for. */
export interface Message {
  /** 20 bytes. */
  readonly from: Uint8Array
  /** 20 bytes, or undefined for a creation. */
  readonly to: Uint8Array | undefined
  /** The sender's nonce afterwards is one more, and a created contract's address comes from this one. */
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly accessList?: AccessList
  readonly authorizations?: readonly Authorization[]
}

export interface MessageResult {
  readonly success: boolean
  /** The failure in geth's words. */
  readonly error?: string | undefined
  /** True when `shouldStop` of the EVM ended it: the rest says nothing then. */
  readonly stopped?: boolean
  /** Return or revert data; the deployed code of a creation. */
  readonly output: Uint8Array
  /** What the sender pays for: after refunds, and no less than the floor. */
  readonly gasUsed: bigint
  readonly gasUsedBeforeRefund: bigint
  readonly logs: readonly EvmLog[]
  /** Of a creation, successful or not. */
  readonly contractAddress?: Uint8Array | undefined
}

/**
 * Runs a message that is valid (`validateTransaction`) and whose gas is paid: warm set, nonce, authorizations, call or
 * creation, refund. Fees are the caller's, before and after; so is `evm.journal.finalise()`.
 */
export function executeMessage(
  evm: Evm,
  message: Message,
  { intrinsic, floor }: OwnGas = ownGas(message, evm.options.rules),
): MessageResult {
  const { journal, options } = evm
  const { rules } = options
  const { from, to, valueWei, data, gasLimit, authorizations = [] } = message
  warmUp(evm, message)
  // Calls may pretend the highest nonce, with which no transaction is admitted.
  journal.setNonce(from, BigInt.asUintN(64, message.nonce + 1n))
  for (const authorization of authorizations) authorize(evm, authorization)
  const gas = gasLimit - intrinsic

  let result: CreateResult
  if (to) {
    const delegate = rules.eips.has(7702) ? delegationTarget(journal.code(to)) : undefined
    if (delegate) journal.warmAddress(delegate)
    result = evm.call({ caller: from, to, valueWei, data, gas })
  } else {
    result = evm.create({ caller: from, valueWei, initCode: data, gas, nonce: message.nonce })
  }

  const gasUsedBeforeRefund = gasLimit - result.gasLeft
  const mostRefund = gasUsedBeforeRefund / (rules.eips.has(3529) ? 5n : 2n)
  const counter = journal.refund()
  const used = gasUsedBeforeRefund - (counter > mostRefund ? mostRefund : counter)
  return {
    success: result.success,
    output: result.output,
    gasUsed: used > floor ? used : floor,
    gasUsedBeforeRefund,
    logs: journal.logs(),
    error: result.error,
    stopped: result.stopped === true,
    contractAddress: result.address,
  }
}

/** Marks what the transaction names as accessed (EIP-2929, 2930, 3651). Precompiles are warm by themselves. */
function warmUp({ journal, options }: Evm, { from, to, accessList = [] }: Message): void {
  const { rules, block } = options
  if (!rules.eips.has(2929)) return
  journal.warmFromStart(from)
  if (to) journal.warmFromStart(to)
  for (const { address, storageKeys } of accessList) {
    journal.warmFromStart(address)
    for (const slot of storageKeys) journal.warmSlot(address, slot)
  }
  if (rules.eips.has(3651)) journal.warmFromStart(block.coinbase)
}

/** Applies one authorization, or passes over it if anything about it does not fit (EIP-7702). */
function authorize({ journal, options }: Evm, authorization: Authorization): void {
  const { chainId, address, nonce } = authorization
  if (chainId !== 0n && chainId !== options.block.chainId) return
  if (nonce >= MAX_NONCE) return
  const authority = recoverAuthority(authorization)
  if (!authority) return
  journal.warmAddress(authority)
  const hasCode = !equal(journal.codeHash(authority), EMPTY_CODE_HASH)
  if (hasCode && !delegationTarget(journal.code(authority))) return
  if (journal.nonce(authority) !== nonce) return
  if (journal.exists(authority)) journal.addRefund(Number(EXISTING_AUTHORITY_REFUND))
  const clears = address.every((byte) => byte === 0)
  journal.setCode(authority, clears ? EMPTY : concat(DESIGNATOR_PREFIX, address))
  journal.setNonce(authority, nonce + 1n)
}

/** Where a transaction runs, with Ethereum's rules. */
export type Ground = Omit<EvmOptions, 'state' | 'tx'>

/**
 * Runs a transaction as a block of Ethereum does, fees included, and writes everything to the state.
 * Throws a refusal (transaction/errors.ts) before anything is written.
 */
export function executeTransaction(
  state: EvmState,
  transaction: UnsignedTransaction,
  sender: Uint8Array,
  ground: Ground,
): MessageResult {
  const { rules, block } = ground
  validateTransaction(transaction, rules)
  checkAgainstState(state, transaction, sender, ground)
  const baseFee = rules.eips.has(1559) ? block.baseFee : 0n
  const gasPrice = effectiveGasPrice(transaction, baseFee)
  const blobHashes = transaction.type === 3 ? transaction.blobHashes : []
  const blobFee = BigInt(blobHashes.length) * GAS_PER_BLOB * block.blobBaseFee
  const evm = createEvm({ ...ground, state, tx: { origin: sender, gasPrice, blobHashes } })
  const { journal } = evm
  ground.tracer?.start?.(tracedTransaction(transaction, sender, gasPrice, block), journal)
  journal.subBalance(sender, transaction.gasLimit * gasPrice + blobFee)
  const result = executeMessage(evm, {
    from: sender,
    to: transaction.to,
    nonce: transaction.nonce,
    gasLimit: transaction.gasLimit,
    valueWei: transaction.valueWei,
    data: transaction.data,
    accessList: accessListOf(transaction),
    authorizations: transaction.type === 4 ? transaction.authorizations : [],
  })
  journal.addBalance(sender, (transaction.gasLimit - result.gasUsed) * gasPrice)
  journal.addBalance(block.coinbase, result.gasUsed * (gasPrice - baseFee))
  ground.tracer?.end?.(result, journal)
  journal.finalise()
  return result
}

/** A transaction as a tracer hears of it. `gasPriceWei` is the effective price. */
export function tracedTransaction(
  transaction: UnsignedTransaction,
  from: Uint8Array,
  gasPriceWei: bigint,
  block: { readonly coinbase: Uint8Array },
): TracedTransaction {
  const authorizations = transaction.type === 4 ? transaction.authorizations : []
  return tracedMessage({ ...transaction, from, authorizations }, gasPriceWei, block)
}

/** A message as a tracer hears of it. */
export function tracedMessage(
  { from, to, nonce, gasLimit, valueWei, data, authorizations = [] }: Message,
  gasPriceWei: bigint,
  { coinbase }: { readonly coinbase: Uint8Array },
): TracedTransaction {
  return {
    from,
    to,
    contractAddress: to ? undefined : createAddress(from, nonce),
    gasLimit,
    gasPriceWei,
    valueWei,
    input: data,
    coinbase,
    authorities: authorizations.map(recoverAuthority).filter((authority) => authority !== undefined),
  }
}

/** The checks of a transaction against the sender's account and the block. */
function checkAgainstState(
  state: EvmState,
  transaction: UnsignedTransaction,
  sender: Uint8Array,
  { rules, block }: Ground,
): void {
  const account = state.account(sender)
  const who = `address ${formatEip55(sender)}`
  const nonce = account?.nonce ?? 0n
  const clash = `${who}, tx: ${transaction.nonce} state: ${nonce}`
  if (transaction.nonce < nonce) throw refuse('nonceTooLow', clash)
  if (transaction.nonce > nonce) throw refuse('nonceTooHigh', clash)
  if (account && !equal(account.codeHash, EMPTY_CODE_HASH)) {
    const code = state.code(account.codeHash)
    const isDelegated = rules.eips.has(7702) && delegationTarget(code) !== undefined
    if (code.length > 0 && !isDelegated) throw refuse('senderNotEoa', `${who}, len(code): ${code.length}`)
  }
  if (transaction.gasLimit > block.gasLimit) throw refuse('gasLimitReached')
  const feeCap = feeCapOf(transaction)
  if (rules.eips.has(1559) && feeCap < block.baseFee) {
    throw refuse('feeCapTooLow', `${who}, maxFeePerGas: ${feeCap}, baseFee: ${block.baseFee}`)
  }
  let cost = transaction.gasLimit * feeCap + transaction.valueWei
  if (transaction.type === 3) {
    const { maxFeePerBlobGasWei, blobHashes } = transaction
    if (maxFeePerBlobGasWei < block.blobBaseFee) {
      throw refuse(
        'blobFeeCapTooLow',
        `${who} blobGasFeeCap: ${maxFeePerBlobGasWei}, blobBaseFee: ${block.blobBaseFee}`,
      )
    }
    cost += BigInt(blobHashes.length) * GAS_PER_BLOB * maxFeePerBlobGasWei
  }
  const balance = account?.balanceWei ?? 0n
  if (balance < cost) throw refuse('insufficientFunds', `${who} have ${balance} want ${cost}`)
}

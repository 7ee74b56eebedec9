/** Whole transactions: the checks, fees, refunds and authorizations around their call or creation. */

import { formatEip55 } from '../primitives/address.ts'
import { concat, EMPTY, equal, hex } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import { createAddress } from './contract-address.ts'
import { delegationTarget } from './delegation.ts'
import { createEvm, type Evm } from './host.ts'
import type { EvmLog, EvmState } from './state.ts'
import type { TracedTransaction } from './trace.ts'
import { GAS_PER_BLOB } from './transaction/blob.ts'
import { refuse } from './transaction/errors.ts'
import { requireFeeCap } from './transaction/fee-checks.ts'
import { EXISTING_AUTHORITY_REFUND, effectiveGasPrice, type OwnGas, ownGas } from './transaction/gas.ts'
import { recoverAuthority } from './transaction/sender.ts'
import { requireNextNonce } from './transaction/sender-checks.ts'
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

/** A transaction for the EVM, with its sender recovered and its gas paid. */
export interface Message {
  /** 20 bytes. */
  readonly from: Uint8Array
  /** 20 bytes, or undefined for a creation. */
  readonly to: Uint8Array | undefined
  /** The nonce for the address of a created contract. Afterwards the sender's nonce is one more. */
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly accessList?: AccessList
  readonly authorizations?: readonly Authorization[]
}

export interface MessageResult {
  readonly success: boolean
  /** The error with geth's text. */
  readonly error?: string | undefined
  /** True if `shouldStop` ended the execution: then the other fields are meaningless. */
  readonly stopped?: boolean
  /** Return or revert data; for a creation the deployed code. */
  readonly output: Uint8Array
  /** The gas that the sender pays: after refunds, and at least the floor. */
  readonly gasUsed: bigint
  readonly gasUsedBeforeRefund: bigint
  readonly logs: readonly EvmLog[]
  /** The address of a created contract, also of a failed creation. */
  readonly contractAddress?: Uint8Array | undefined
}

/**
 * Runs a message that is valid (`validateTransaction`) and whose gas is paid: access sets, nonce, authorizations, call or
 * creation, refund. The caller takes and returns fees, and calls `evm.journal.finalise()`.
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
  // Simulated calls can use the highest nonce, which no admitted transaction has.
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

/** Warms the addresses and slots that the transaction names (EIP-2929, 2930, 3651). Precompiles are always warm. */
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

/** Applies one authorization, or skips it if it is invalid (EIP-7702). */
function authorize({ journal, options }: Evm, authorization: Authorization): void {
  const { chainId, address, nonce } = authorization
  if (chainId !== 0n && chainId !== options.block.chainId) return
  if (nonce >= MAX_NONCE) return
  const authority = recoverAuthority(authorization)
  if (!authority) return
  journal.warmAddress(authority)
  const hasCode = !equal(journal.codeHash(authority), EMPTY_CODE_HASH)
  if (hasCode && !delegationTarget(journal.code(authority))) return
  if (journal.refusesCode(authority)) return
  if (journal.nonce(authority) !== nonce) return
  if (journal.exists(authority)) journal.addRefund(Number(EXISTING_AUTHORITY_REFUND))
  const clears = address.every((byte) => byte === 0)
  journal.setCode(authority, clears ? EMPTY : concat(DESIGNATOR_PREFIX, address))
  journal.setNonce(authority, nonce + 1n)
}

/** The surroundings of a transaction under Ethereum's rules: rules, block, precompiles, tracer. */
export type TransactionContext = Omit<EvmOptions, 'state' | 'tx'>

/**
 * Runs a transaction as in a block of Ethereum, fees included, and writes the result to the state.
 * Throws a refusal (transaction/errors.ts) before it writes anything.
 */
export function executeTransaction(
  state: EvmState,
  transaction: UnsignedTransaction,
  sender: Uint8Array,
  context: TransactionContext,
): MessageResult {
  const { rules, block } = context
  validateTransaction(transaction, rules)
  checkAgainstState(state, transaction, sender, context)
  const baseFee = rules.eips.has(1559) ? block.baseFee : 0n
  const gasPrice = effectiveGasPrice(transaction, baseFee)
  const blobHashes = transaction.type === 3 ? transaction.blobHashes : []
  const blobFee = BigInt(blobHashes.length) * GAS_PER_BLOB * block.blobBaseFee
  const evm = createEvm({ ...context, state, tx: { origin: sender, gasPrice, blobHashes } })
  const { journal } = evm
  context.tracer?.start?.(tracedTransaction(transaction, sender, gasPrice, block), journal)
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
  context.tracer?.end?.(result, journal)
  journal.finalise()
  return result
}

/** Returns a transaction in a tracer's form. `gasPriceWei` is the effective price. */
export function tracedTransaction(
  transaction: UnsignedTransaction,
  from: Uint8Array,
  gasPriceWei: bigint,
  block: { readonly coinbase: Uint8Array },
): TracedTransaction {
  const authorizations = transaction.type === 4 ? transaction.authorizations : []
  return tracedMessage({ ...transaction, from, authorizations }, gasPriceWei, block)
}

/** Returns a message in a tracer's form. `gasPriceWei` is the effective price. */
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

/** Checks a transaction against the sender's account and the block. Throws a refusal. */
function checkAgainstState(
  state: EvmState,
  transaction: UnsignedTransaction,
  sender: Uint8Array,
  { rules, block }: TransactionContext,
): void {
  const account = state.account(sender)
  const who = `address ${formatEip55(sender)}`
  requireNextNonce(sender, transaction.nonce, account?.nonce ?? 0n)
  if (account && !equal(account.codeHash, EMPTY_CODE_HASH)) {
    const code = state.code(account.codeHash)
    const isDelegated = rules.eips.has(7702) && delegationTarget(code) !== undefined
    if (code.length > 0 && !isDelegated) throw refuse('senderNotEoa', `${who}, len(code): ${code.length}`)
  }
  if (transaction.gasLimit > block.gasLimit) throw refuse('gasLimitReached')
  const feeCap = feeCapOf(transaction)
  if (rules.eips.has(1559)) requireFeeCap(sender, feeCap, block.baseFee)
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

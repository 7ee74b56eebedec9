/** The path of Ethereum transactions from decoding to result (evm.md §3.3-3.5). */
import type { Rules } from '../../evm/forks.ts'
import { type RefusalName, refusalName } from '../../evm/transaction/errors.ts'
import { intrinsicGas } from '../../evm/transaction/gas.ts'
import { feeCapOf, tipCapOf } from '../../evm/transaction/types.ts'
import { tracedTransaction } from '../../evm/transition.ts'
import * as address from '../../identity/address.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x, toKey } from '../../primitives/bytes.ts'
import { ChainError, type ErrorFactory } from '../../primitives/errors.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { TxResult } from '../records.ts'
import type { EvmDelivery, EvmTxPath } from '../transaction.ts'
import type { CheckResult } from '../types.ts'
import { type Admitted, admit } from './admission.ts'
import { type EthereumTx, unwrapEthereumTx } from './envelope.ts'
import { execute } from './execute.ts'

const MESSAGE_TYPE = 'chain.evm.v1.MsgEthereumTx'

/** The chain's own code of a refusal; whatever is not named is an invalid request. */
const SDK_ERRORS: Partial<Record<RefusalName, ErrorFactory>> = {
  invalidSignature: errors.invalidSigner,
  invalidSender: errors.invalidSigner,
  invalidChainId: errors.invalidSigner,
  nonceTooLow: errors.wrongSequence,
  nonceTooHigh: errors.wrongSequence,
  nonceMax: errors.wrongSequence,
  insufficientFunds: errors.insufficientFunds,
  insufficientFundsForTransfer: errors.insufficientFunds,
  intrinsicGas: errors.outOfGas,
  floorGas: errors.outOfGas,
  senderNotEoa: errors.invalidType,
  typeNotSupported: errors.invalidType,
}

/** A failure as results name it. A bug is not one: it goes on. */
function chainErrorOf(error: unknown): ChainError {
  const name = refusalName(error)
  if (name) return (SDK_ERRORS[name] ?? errors.invalidRequest)((error as Error).message)
  if (error instanceof ChainError) return error
  throw error
}

/** The Ethereum transaction of these bytes: found out once. */
function ethereumTx(ctx: Context, tx: DecodedTx): EthereumTx {
  const known = tx.memo.evm as EthereumTx | undefined
  if (known) return known
  const found = unwrapEthereumTx(ctx.identity, ctx.block.evmChainId, tx)
  tx.memo.evm = found
  return found
}

function gasWanted(tx: DecodedTx): bigint {
  return tx.authInfo.fee?.gasLimit ?? 0n
}

function emitAdmission(ctx: Context, found: EthereumTx, { priceWei, zeroGas }: Admitted): void {
  const { transaction: tx, from, fromText, hash } = found
  const payer = address.format(ctx, from)
  if (!zeroGas) {
    const fee = (tx.gasLimit * priceWei).toString()
    ctx.emitEvent('tx', { fee, fee_payer: payer, fee_payer_evm: fromText })
  }
  ctx.emitEvent('pending_ethereum_tx', { eth_hash: formatHex0x(hash), index: evm.nextIndex(ctx).toString() })
  const action = `/${ctx.identity.toProfileName(MESSAGE_TYPE)}`
  ctx.emitEvent('message', { action, sender: payer })
}

function failedCheck(tx: DecodedTx, error: unknown): CheckResult {
  const { code, codespace, message } = chainErrorOf(error)
  return {
    code,
    codespace,
    log: message,
    data: EMPTY,
    gasWanted: gasWanted(tx),
    gasUsed: 0n,
    events: [],
    error: error as Error,
  }
}

/** A transaction that was not admitted: it pays nothing, and its intrinsic gas counts for the block. */
function refused(tx: DecodedTx, error: unknown, rules: Rules): TxResult {
  const { code, codespace, message } = chainErrorOf(error)
  const known = tx.memo.evm as EthereumTx | undefined
  const intrinsic = known ? intrinsicGas(known.transaction, rules) : 0n
  const wanted = gasWanted(tx)
  return {
    code,
    codespace,
    log: message,
    info: '',
    data: EMPTY,
    gasWanted: wanted,
    gasUsed: intrinsic < wanted ? intrinsic : wanted,
    events: [],
  }
}

/**
 * The path of Ethereum transactions, stateless: all it knows is in the context and the transaction. `print` is told what
 * code prints in blocks.
 */
export function createEvmTxPath(print?: (line: string) => void): EvmTxPath {
  return {
    check(ctx, tx, mode, settings, take): CheckResult {
      try {
        const found = ethereumTx(ctx, tx)
        const branch = ctx.branch()
        const admitted = admit(branch, found, evm.chainRules(ctx), mode, settings.minGasPrices)
        if (mode === 'simulate') return simulate(branch, tx, found, admitted)
        const { transaction, from, hash, raw } = found
        const result: CheckResult = {
          code: 0,
          codespace: '',
          log: '',
          data: EMPTY,
          gasWanted: transaction.gasLimit,
          gasUsed: admitted.intrinsicGas,
          events: [],
          order: {
            sender: toKey(from),
            nonce: transaction.nonce,
            priority: admitted.priority,
            stateNonce: admitted.stateNonce,
            feeCapWei: feeCapOf(transaction),
            tipCapWei: tipCapOf(transaction),
          },
          evm: { hash, raw, from, nonce: transaction.nonce },
        }
        take?.(result)
        branch.merge()
        return result
      } catch (error) {
        return failedCheck(tx, error)
      }
    },

    deliver(ctx: Context, tx: DecodedTx, { txIndex }, watch): EvmDelivery {
      const rules = evm.chainRules(ctx)
      const branch = ctx.branch()
      let found: EthereumTx
      let admitted: Admitted
      try {
        found = ethereumTx(ctx, tx)
        admitted = admit(branch, found, rules, 'deliver', '')
        emitAdmission(branch, found, admitted)
        const { transaction, from } = found
        watch?.tracer?.start?.(
          tracedTransaction(transaction, from, admitted.priceWei, evm.blockEnv(ctx)),
          evm.traceState(ctx),
        )
      } catch (error) {
        return { result: refused(tx, error, rules) }
      }
      // The event that names the message is the last of admission and the first of the message's own.
      const messageAt = branch.events.length - 1
      const { data, gasUsed, evmTx } = execute(branch, tx, found, rules, admitted, txIndex, watch, print)
      const events = [...branch.events]
      branch.merge()
      return {
        result: {
          code: 0,
          codespace: '',
          log: [messageAt],
          info: '',
          data,
          gasWanted: found.transaction.gasLimit,
          gasUsed,
          events,
        },
        evmTx,
      }
    },
  }
}

/** A full run that nobody keeps. */
function simulate(branch: Context, tx: DecodedTx, found: EthereumTx, admitted: Admitted): CheckResult {
  emitAdmission(branch, found, admitted)
  const { data, gasUsed } = execute(branch, tx, found, evm.chainRules(branch), admitted, 0)
  return {
    code: 0,
    codespace: '',
    log: '',
    data,
    gasWanted: found.transaction.gasLimit,
    gasUsed,
    events: [...branch.events],
  }
}

/** Ethereum transactions in a block (docs/modules/evm.md#execution). */
import type { Rules } from '../../evm/forks.ts'
import { intrinsicGas } from '../../evm/transaction/gas.ts'
import { tracedTransaction } from '../../evm/transition.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { TxResult } from '../records.ts'
import type { Delivery } from '../transaction.ts'
import type { TxWatch } from '../watch.ts'
import { type Admitted, admit, emitAdmission } from './admission.ts'
import { type EthereumTx, ethereumTxOf, gasWanted, unwrappedBefore } from './envelope.ts'
import { execute } from './execute.ts'
import { chainErrorOf } from './refusal.ts'

/**
 * Admits and executes a transaction on a branch of the block's context, and merges the branch. Expected failures are results.
 * The context's gas is free: the caller charges `result.gasUsed` to the block. `txIndex` is the index in the block. `print`
 * receives the lines that code prints.
 */
export function deliverEthereumTx(
  block: Context,
  tx: DecodedTx,
  txIndex: number,
  watch?: TxWatch,
  print?: (line: string) => void,
): Delivery {
  const rules = evm.chainRules(block)
  const branch = block.branch()
  let found: EthereumTx
  let admitted: Admitted
  try {
    found = ethereumTxOf(block, tx)
    admitted = admit(branch, found, rules, 'deliver', '')
    emitAdmission(branch, found, admitted)
    const { transaction, from } = found
    watch?.tracer?.start?.(
      tracedTransaction(transaction, from, admitted.priceWei, evm.blockEnv(block)),
      evm.traceState(block),
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
}

/** Returns the result of a transaction that was not admitted: it pays nothing, and its intrinsic gas counts for the block. */
function refused(tx: DecodedTx, error: unknown, rules: Rules): TxResult {
  const { code, codespace, message } = chainErrorOf(error)
  const known = unwrappedBefore(tx)
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

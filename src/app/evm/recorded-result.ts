/** Results of Ethereum transactions that another chain executed, in the form of those that this chain executes. */
import { create, toBinary } from '@bufbuild/protobuf'
import { EventEthereumTxSchema, EventTxLogSchema } from '../../gen/chain/evm/v1/events_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { logMessages } from '../../modules/evm/keeper.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { formatHex, formatHex0x } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { JsonNames } from '../../sdk/json.ts'
import { typedEvent } from '../../sdk/typed-event.ts'
import type { EvmTx, TxResult } from '../records.ts'
import { encodeResponse } from './response.ts'

interface RecordedRun {
  readonly block: { readonly height: bigint; readonly hash: Uint8Array }
  /** The transaction of this chain around the Ethereum one. */
  readonly wrapped: Uint8Array
  readonly gasLimit: bigint
  readonly evmTx: EvmTx
  readonly output: Uint8Array
  /** Text of a failure; empty for a success. */
  readonly vmError: string
}

/** Returns the result with its response and the events of the execution; those of fees and transfers are unknown. */
export function recordedResult(names: JsonNames, run: RecordedRun): TxResult {
  const { block, wrapped, gasLimit, evmTx, output, vmError } = run
  const hash = formatHex0x(evmTx.hash)
  const logs = logMessages({ block }, evmTx.logs, hash, evmTx)
  const executed = create(EventEthereumTxSchema, {
    ethHash: hash,
    index: String(evmTx.evmIndex),
    gasUsed: String(evmTx.gasUsed),
    hash: formatHex(sha256(wrapped)).toUpperCase(),
    recipient: evmTx.to ? formatEip55(evmTx.to) : '',
    vmError,
  })
  const message = { module: 'evm', sender: formatEip55(evmTx.from), tx_type: String(evmTx.type) }
  const response = create(MsgEthereumTxResponseSchema, { hash, logs, ret: output, vmError, gasUsed: evmTx.gasUsed })
  return {
    code: 0,
    codespace: '',
    log: [0],
    info: '',
    data: encodeResponse(names.identity, toBinary(MsgEthereumTxResponseSchema, response)),
    gasWanted: gasLimit,
    gasUsed: evmTx.gasUsed,
    events: [
      typedEvent(names, EventEthereumTxSchema, executed),
      { type: 'message', attributes: Object.entries(message).map(([key, value]) => ({ key, value })) },
      typedEvent(names, EventTxLogSchema, create(EventTxLogSchema, { logs })),
    ],
  }
}

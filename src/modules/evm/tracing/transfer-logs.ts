/** Moves of wei as logs of a token, among the logs of the code, in order (`traceTransfers` of `eth_simulateV1`). */
import type { EvmLog } from '../../../evm/state.ts'
import type { Tracer } from '../../../evm/trace.ts'
import { encodeUint, hex, padLeft, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'

/** Where the logs pretend to come from, as in geth. */
const PRETENDED_TOKEN = hex('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER = keccak256(utf8('Transfer(address,address,uint256)'))

export interface TransferLogs {
  readonly tracer: Tracer
  readonly logs: readonly EvmLog[]
}

/** Collects both kinds of logs. What a frame logged goes with the frame when it fails. */
export function collectTransferLogs(): TransferLogs {
  const logs: EvmLog[] = []
  const starts: number[] = []
  return {
    logs,
    tracer: {
      enter({ kind, from, to, valueWei }) {
        starts.push(logs.length)
        if (valueWei === 0n || kind === 'DELEGATECALL') return
        logs.push({
          address: PRETENDED_TOKEN,
          topics: [TRANSFER, padLeft(from, 32), padLeft(to, 32)],
          data: encodeUint(valueWei, 32),
        })
      },
      exit({ success }) {
        const start = starts.pop()
        if (!success && start !== undefined) logs.length = start
      },
      log: (log) => void logs.push(log),
    },
  }
}

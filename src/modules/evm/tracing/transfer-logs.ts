/** Transfers of wei as logs of a token, in order with the logs of the code (`traceTransfers` of `eth_simulateV1`). */
import type { EvmLog } from '../../../evm/state.ts'
import type { Tracer } from '../../../evm/trace.ts'
import { encodeUint, hex, padLeft, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'

/** Address of the logs, as in geth. */
const TOKEN = hex('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER = keccak256(utf8('Transfer(address,address,uint256)'))

export interface TransferLogs {
  readonly tracer: Tracer
  readonly logs: readonly EvmLog[]
}

/** Collects both kinds of logs. The logs of a failed frame are removed. */
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
          address: TOKEN,
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

/** `eth_simulateV1`: simulated blocks in the JSON of geth. */
import { decodeRevert } from '../../../evm/revert.ts'
import type { SimulatePayload } from '../../../modules/evm/calls/simulate.ts'
import { readSimulateArgs, type SimulateArgs } from '../../../modules/evm/calls/simulate-args.ts'
import type { SimulatedBlock, SimulatedCall } from '../../../modules/evm/calls/simulated-block.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import { serverError } from '../errors.ts'
import { formatEthereumHeader, formatLog, formatUnsigned, type JsonObject, quantity } from '../format.ts'
import type { RpcCall } from '../method.ts'
import type { BlockRef, Param } from '../params.ts'
import { stateHeight } from './block-ref.ts'

const REVERTED = 3
const VM_ERROR = -32015

export const simulateArgs: Param<SimulateArgs> = { required: true, read: readSimulateArgs }

function formatCall(block: SimulatedBlock, call: SimulatedCall, index: number, firstLog: number): JsonObject {
  const { vmError, output } = call
  const reason = decodeRevert(output)
  const error =
    vmError === 'execution reverted'
      ? {
          code: REVERTED,
          message: reason === undefined ? vmError : `${vmError}: ${reason}`,
          data: formatHex0x(output),
        }
      : { code: VM_ERROR, message: `vm execution error: ${vmError}` }
  return {
    returnData: formatHex0x(output),
    logs: call.logs.map((log, i) =>
      formatLog(log, {
        blockHash: block.hash,
        height: block.header.number,
        timeNs: block.header.timestamp * NS_PER_SECOND,
        txHash: call.hash,
        evmIndex: index,
        logIndex: firstLog + i,
      }),
    ),
    gasUsed: quantity(call.gasUsed),
    maxUsedGas: quantity(call.maxGasUsed),
    status: vmError === '' ? '0x1' : '0x0',
    ...(vmError === '' ? {} : { error }),
  }
}

function formatTransaction(block: SimulatedBlock, call: SimulatedCall, index: number): JsonObject {
  return {
    blockHash: formatHex0x(block.hash),
    blockNumber: quantity(block.header.number),
    blockTimestamp: quantity(block.header.timestamp),
    transactionIndex: quantity(index),
    from: formatHex0x(call.from),
    hash: formatHex0x(call.hash),
    ...formatUnsigned(call.transaction),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(call.transaction.type > 0 && { yParity: '0x0' }),
  }
}

function formatSimulated(block: SimulatedBlock, whole: boolean): JsonObject {
  const { header, calls } = block
  let logs = 0
  return {
    ...formatEthereumHeader(header, block.hash),
    size: quantity(block.sizeBytes),
    transactions: calls.map((call, i) => (whole ? formatTransaction(block, call, i) : formatHex0x(call.hash))),
    uncles: [],
    ...(header.withdrawalsRoot ? { withdrawals: [] } : {}),
    calls: calls.map((call, i) => {
      const text = formatCall(block, call, i, logs)
      logs += call.logs.length
      return text
    }),
  }
}

/** Simulates blocks and returns them with the results of their calls. Throws the -380xx codes of geth. */
export async function simulateV1(call: RpcCall, args: SimulateArgs, block: BlockRef): Promise<readonly JsonObject[]> {
  const { node, signal } = call
  if (args.blocks.some(({ calls }) => calls.some(({ blobs }) => blobs))) {
    throw serverError('blob transactions are not supported')
  }
  const payload: SimulatePayload = { args, gasCap: node.settings.gasCap }
  const options = { height: stateHeight(node, block), signal: signal(), timeoutMs: node.settings.evmTimeoutMs }
  const blocks = (await node.compute.run('simulateV1', payload, options)) as readonly SimulatedBlock[]
  return blocks.map((simulated) => formatSimulated(simulated, args.whole))
}

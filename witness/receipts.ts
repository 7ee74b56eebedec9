/** Receipts of EVM transactions in a recorded block, made from the results, in which the reference stores them. */
import { fromBinary } from '@bufbuild/protobuf'
import { chargedPrice } from '../src/app/evm/price.ts'
import type { EvmTx, TxResult } from '../src/app/records.ts'
import { bloomOf } from '../src/evm/bloom.ts'
import { createAddress } from '../src/evm/contract-address.ts'
import { encodeTransaction } from '../src/evm/transaction/encode.ts'
import { recoverSender } from '../src/evm/transaction/sender.ts'
import { MsgEthereumTxResponseSchema, MsgEthereumTxSchema } from '../src/gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../src/gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { TxSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../src/identity/types.ts'
import { unpackTxData } from '../src/modules/evm/tx-data.ts'
import { BASE_FEE_WEI } from '../src/modules/evm/wei.ts'
import { hex } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'

/** Returns the EVM transactions that a block executed, with receipts, in order. */
export function receiptsOf(
  identity: Identity,
  evmChainId: bigint,
  txs: readonly Uint8Array[],
  results: readonly TxResult[],
): EvmTx[] {
  const found: EvmTx[] = []
  let cumulativeGasUsed = 0n
  let firstLogIndex = 0
  txs.forEach((bytes, txIndex) => {
    const result = results[txIndex]!
    if (result.code !== 0) return
    const messages = fromBinary(TxSchema, bytes).body?.messages ?? []
    const responses = fromBinary(TxMsgDataSchema, result.data).msgResponses
    messages.forEach(({ typeUrl, value }, i) => {
      if (identity.toNeutralName(typeUrl.slice(1)) !== MsgEthereumTxSchema.typeName) return
      const transaction = unpackTxData(identity, fromBinary(MsgEthereumTxSchema, value).data!)
      const response = fromBinary(MsgEthereumTxResponseSchema, responses[i]!.value)
      const raw = encodeTransaction(transaction)
      const from = recoverSender(transaction, { chainId: evmChainId })
      const status = response.vmError === '' ? 1 : 0
      const logs = response.logs.map(({ address, topics, data }) => ({
        address: hex(address.slice(2)),
        topics: topics.map((topic) => hex(topic.slice(2))),
        data,
      }))
      cumulativeGasUsed += response.gasUsed
      found.push({
        hash: keccak256(raw),
        raw,
        txIndex,
        evmIndex: found.length,
        from,
        to: transaction.to,
        contractAddress: transaction.to ? undefined : createAddress(from, transaction.nonce),
        status,
        gasUsed: response.gasUsed,
        cumulativeGasUsed,
        effectiveGasPrice: chargedPrice(identity, transaction, BASE_FEE_WEI),
        type: transaction.type,
        bloom: bloomOf(logs),
        firstLogIndex,
        logs,
      })
      firstLogIndex += logs.length
    })
  })
  return found
}

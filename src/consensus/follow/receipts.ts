/** Receipts of the EVM transactions of a block that another node executed: the reference stores them in the results. */
import { fromBinary } from '@bufbuild/protobuf'
import { chargedPrice } from '../../app/evm/price.ts'
import type { EvmTx, TxResult } from '../../app/records.ts'
import { bloomOf } from '../../evm/bloom.ts'
import { createAddress } from '../../evm/contract-address.ts'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { recoverSender } from '../../evm/transaction/sender.ts'
import { MsgEthereumTxResponseSchema, MsgEthereumTxSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { unpackTxData } from '../../modules/evm/tx-data.ts'
import { BASE_FEE_WEI } from '../../modules/evm/wei.ts'
import { hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'

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

/** The data of a result: the response to a message, as ABCI's `TxMsgData`. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type MsgEthereumTxResponse, MsgEthereumTxResponseSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import type { Identity } from '../../identity/types.ts'

/** Returns the data around an encoded response to an Ethereum transaction. */
export function encodeResponse(identity: Identity, value: Uint8Array): Uint8Array {
  const typeUrl = `/${identity.toProfileName(MsgEthereumTxResponseSchema.typeName)}`
  return toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses: [{ typeUrl, value }] }))
}

/** Returns the response to an Ethereum transaction inside the data of its result; undefined if the data is empty. */
export function decodeResponse(data: Uint8Array): MsgEthereumTxResponse | undefined {
  const [response] = fromBinary(TxMsgDataSchema, data).msgResponses
  return response && fromBinary(MsgEthereumTxResponseSchema, response.value)
}

/** Conversion between Ethereum transactions and the messages inside `MsgEthereumTx` (docs/modules/evm.md#envelope). */
import { create, type Message, toBinary } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { signatureV } from '../../evm/transaction/encode.ts'
import type { AccessList, Authorization, Signature, Transaction } from '../../evm/transaction/types.ts'
import {
  AccessListTxSchema,
  DynamicFeeTxSchema,
  LegacyTxSchema,
  SetCodeTxSchema,
} from '../../gen/chain/evm/v1/tx_pb.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import type { Identity } from '../../identity/types.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { decodeUint, encodeUintMinimal, formatHex0x, parseHex } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { decodeMessage } from '../../sdk/decode.ts'
import { errors } from '../../sdk/errors.ts'

const SCHEMAS = [LegacyTxSchema, AccessListTxSchema, DynamicFeeTxSchema, SetCodeTxSchema] as const

function accesses(list: AccessList) {
  return list.map(({ address, storageKeys }) => ({
    address: formatEip55(address),
    storageKeys: storageKeys.map(formatHex0x),
  }))
}

function common(tx: Transaction) {
  return {
    nonce: tx.nonce,
    gas: tx.gasLimit,
    to: tx.to ? formatEip55(tx.to) : '',
    value: tx.valueWei.toString(),
    data: tx.data,
    v: encodeUintMinimal(signatureV(tx)),
    r: encodeUintMinimal(tx.signature.r),
    s: encodeUintMinimal(tx.signature.s),
  }
}

function authorizationMessages(list: readonly Authorization[]) {
  return list.map(({ chainId, address, nonce, yParity, r, s }) => ({
    chainId: chainId.toString(),
    address: formatEip55(address),
    nonce,
    v: encodeUintMinimal(BigInt(yParity)),
    r: encodeUintMinimal(r),
    s: encodeUintMinimal(s),
  }))
}

/** Encodes a transaction as a message under the profile's type URL. Throws sdk 37 for a blob transaction. */
export function packTxData(
  identity: Identity,
  tx: Transaction,
): { readonly typeUrl: string; readonly value: Uint8Array } {
  const pack = (typeName: string, value: Uint8Array) => ({ typeUrl: `/${identity.toProfileName(typeName)}`, value })
  switch (tx.type) {
    case 0:
      return pack(
        LegacyTxSchema.typeName,
        toBinary(LegacyTxSchema, create(LegacyTxSchema, { ...common(tx), gasPrice: tx.gasPriceWei.toString() })),
      )
    case 1: {
      const gasPrice = tx.gasPriceWei.toString()
      const fields = { ...common(tx), chainId: tx.chainId.toString(), gasPrice, accesses: accesses(tx.accessList) }
      return pack(AccessListTxSchema.typeName, toBinary(AccessListTxSchema, create(AccessListTxSchema, fields)))
    }
    case 2:
      return pack(
        DynamicFeeTxSchema.typeName,
        toBinary(DynamicFeeTxSchema, create(DynamicFeeTxSchema, { ...common(tx), ...dynamic(tx) })),
      )
    case 3:
      throw errors.notSupported('blob transactions')
    case 4: {
      const authorizations = authorizationMessages(tx.authorizations)
      const fields = { ...common(tx), ...dynamic(tx), authorizations }
      return pack(SetCodeTxSchema.typeName, toBinary(SetCodeTxSchema, create(SetCodeTxSchema, fields)))
    }
  }
}

function dynamic(tx: Transaction & { type: 2 | 4 }) {
  return {
    chainId: tx.chainId.toString(),
    gasTipCap: tx.maxPriorityFeePerGasWei.toString(),
    gasFeeCap: tx.maxFeePerGasWei.toString(),
    accesses: accesses(tx.accessList),
  }
}

const invalid = (detail: string): Error => errors.invalidRequest(detail)

const MAX_UINT256_DIGITS = 78

function integer(value: string | undefined, name: string): bigint {
  if (value === undefined || value === '') throw invalid(`${name} cannot be nil`)
  if (!/^\d+$/.test(value) || value.length > MAX_UINT256_DIGITS || BigInt(value) >> 256n !== 0n) {
    throw invalid(`${name} is not an unsigned integer of 256 bits: ${value.slice(0, 80)}`)
  }
  return BigInt(value)
}

function addressOf(value: string, name: string): Uint8Array {
  const bytes = parseEvm(value)
  if (!bytes) throw invalid(`invalid ${name} address ${value.slice(0, 80)}`)
  return bytes
}

function accessList(
  list: readonly { readonly address: string; readonly storageKeys: readonly string[] }[],
): AccessList {
  return list.map(({ address, storageKeys }) => ({
    address: addressOf(address, 'access list'),
    storageKeys: storageKeys.map((key) => {
      const bytes = parseHex(key)
      if (bytes?.length !== 32) throw invalid(`invalid storage key ${key.slice(0, 80)}`)
      return bytes
    }),
  }))
}

function word(bytes: Uint8Array, name: string): bigint {
  if (bytes.length > 32) throw invalid(`${name} has more than 32 bytes`)
  return decodeUint(bytes)
}

function signature(tx: { readonly v: Uint8Array; readonly r: Uint8Array; readonly s: Uint8Array }): Signature {
  const v = word(tx.v, 'v')
  if (v > 1n) throw invalid('v of a typed transaction is neither 0 nor 1')
  return { yParity: v === 1n ? 1 : 0, r: word(tx.r, 'r'), s: word(tx.s, 's') }
}

function legacySignature(tx: { readonly v: Uint8Array; readonly r: Uint8Array; readonly s: Uint8Array }): {
  readonly chainId: bigint | undefined
  readonly signature: Signature
} {
  const v = word(tx.v, 'v')
  const r = word(tx.r, 'r')
  const s = word(tx.s, 's')
  if (v === 27n || v === 28n) return { chainId: undefined, signature: { yParity: v === 28n ? 1 : 0, r, s } }
  if (v < 35n) throw invalid(`invalid v ${v}`)
  return { chainId: (v - 35n) / 2n, signature: { yParity: (v - 35n) % 2n === 1n ? 1 : 0, r, s } }
}

type Common = {
  readonly nonce: bigint
  readonly gas: bigint
  readonly to: string
  readonly value?: string | undefined
  readonly data: Uint8Array
}

/** Reads the fields that all types share; an absent value is 0. */
function commonOf(tx: Common) {
  return {
    nonce: tx.nonce,
    gasLimit: tx.gas,
    to: tx.to === '' ? undefined : addressOf(tx.to, 'to'),
    valueWei: tx.value === undefined ? 0n : integer(tx.value, 'value'),
    data: tx.data,
  }
}

type Dynamic = {
  readonly chainId?: string | undefined
  readonly gasTipCap?: string | undefined
  readonly gasFeeCap?: string | undefined
  readonly accesses: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
}

function dynamicOf(tx: Dynamic) {
  return {
    chainId: integer(tx.chainId, 'chain id'),
    maxPriorityFeePerGasWei: integer(tx.gasTipCap, 'gas tip cap'),
    maxFeePerGasWei: integer(tx.gasFeeCap, 'gas fee cap'),
    accessList: accessList(tx.accesses),
  }
}

function readAuthorizations(
  list: readonly {
    readonly chainId?: string | undefined
    readonly address: string
    readonly nonce: bigint
    readonly v: Uint8Array
    readonly r: Uint8Array
    readonly s: Uint8Array
  }[],
): readonly Authorization[] {
  return list.map(({ chainId, address, nonce, v, r, s }) => ({
    chainId: chainId === undefined || chainId === '' ? 0n : integer(chainId, 'authorization chain id'),
    address: addressOf(address, 'authorization'),
    nonce,
    yParity: v.length > 1 ? 255 : Number(decodeUint(v)),
    r: word(r, 'authorization r'),
    s: word(s, 'authorization s'),
  }))
}

/** Decodes the transaction of a message. Throws sdk 34 for an unknown type, sdk 18 for an invalid field. */
export function unpackTxData(identity: Identity, { typeUrl, value }: Pick<Any, 'typeUrl' | 'value'>): Transaction {
  const typeName = neutralTypeName(identity, typeUrl)
  const schema = SCHEMAS.find((candidate) => candidate.typeName === typeName)
  if (!schema) throw errors.unpackAny(`transaction data of type ${typeUrl}`)
  let message: Message
  try {
    message = decodeMessage(schema, value)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw errors.unpackAny(error.message)
  }
  return read(message as never)
}

type TxMessage =
  | ReturnType<typeof create<typeof LegacyTxSchema>>
  | ReturnType<typeof create<typeof AccessListTxSchema>>
  | ReturnType<typeof create<typeof DynamicFeeTxSchema>>
  | ReturnType<typeof create<typeof SetCodeTxSchema>>

function read(tx: TxMessage): Transaction {
  switch (tx.$typeName) {
    case 'chain.evm.v1.LegacyTx':
      return { ...commonOf(tx), type: 0, gasPriceWei: integer(tx.gasPrice, 'gas price'), ...legacySignature(tx) }
    case 'chain.evm.v1.AccessListTx':
      return {
        ...commonOf(tx),
        type: 1,
        chainId: integer(tx.chainId, 'chain id'),
        gasPriceWei: integer(tx.gasPrice, 'gas price'),
        accessList: accessList(tx.accesses),
        signature: signature(tx),
      }
    case 'chain.evm.v1.DynamicFeeTx':
      return { ...commonOf(tx), ...dynamicOf(tx), type: 2, signature: signature(tx) }
    case 'chain.evm.v1.SetCodeTx':
      return {
        ...commonOf(tx),
        ...dynamicOf(tx),
        type: 4,
        authorizations: readAuthorizations(tx.authorizations),
        signature: signature(tx),
      }
  }
}

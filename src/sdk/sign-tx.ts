/** Transactions assembled and signed by one key. */
import { create, type DescMessage, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { PubKeySchema as EthPubKeySchema } from '../gen/chain/crypto/v1/ethsecp256k1/keys_pb.ts'
import { PubKeySchema } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { SignMode } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { complete } from '../identity/complete.ts'
import type { Identity } from '../identity/types.ts'
import type { Coin } from '../primitives/coin.ts'
import * as coin from '../primitives/coin.ts'
import { signBytesWith } from './crypto.ts'

type Algorithm = 'secp256k1' | 'eth_secp256k1'

/** One message of a transaction. */
export interface PlannedMessage {
  readonly schema: DescMessage
  readonly message: Message
}

export interface TxPlan {
  readonly identity: Identity
  readonly messages: readonly PlannedMessage[]
  readonly memo: string
  readonly timeoutHeight: bigint
  /** The compressed public key, 33 bytes. */
  readonly key: { readonly algorithm: Algorithm; readonly publicKey: Uint8Array }
  readonly chainId: string
  readonly accountNumber: bigint
  readonly sequence: bigint
}

export interface Fee {
  readonly gasLimit: bigint
  readonly amount: readonly Coin[]
  /** Address text of the fee granter, which pays instead of the signer under an allowance. */
  readonly granter?: string
  /** Address text of the fee payer, which signs too; the first signer by default. */
  readonly payer?: string
}

const KEY_SCHEMAS = { secp256k1: PubKeySchema, eth_secp256k1: EthPubKeySchema } as const satisfies Record<
  Algorithm,
  DescMessage
>

/** A plan whose signer can be unknown, or sign by several keys. */
export type UnsignedPlan = Omit<TxPlan, 'key'> & { readonly key?: TxPlan['key'] | undefined }

function encodeBody({ identity, messages, memo, timeoutHeight }: UnsignedPlan): Uint8Array {
  return toBinary(
    TxBodySchema,
    create(TxBodySchema, {
      messages: messages.map(({ schema, message }) => ({
        typeUrl: `/${identity.toProfileName(schema.typeName)}`,
        value: toBinary(schema, complete(schema, message)),
      })),
      memo,
      timeoutHeight,
    }),
  )
}

function encodeAuthInfo({ identity, key, sequence }: UnsignedPlan, fee: Fee, mode: SignMode): Uint8Array {
  return toBinary(
    AuthInfoSchema,
    create(AuthInfoSchema, {
      signerInfos: key
        ? [{ publicKey: packedKey(identity, key), modeInfo: { sum: { case: 'single', value: { mode } } }, sequence }]
        : [],
      fee: { ...fee, amount: fee.amount.map(coin.toText) },
    }),
  )
}

function packedKey(identity: Identity, { algorithm, publicKey }: TxPlan['key']) {
  const schema = KEY_SCHEMAS[algorithm]
  const value = toBinary(schema, create(schema, { key: publicKey } as MessageInitShape<typeof schema>))
  return { typeUrl: `/${identity.toProfileName(schema.typeName)}`, value }
}

/**
 * Encodes a TxRaw with an empty signature of the plan's key. Mode UNSPECIFIED is for simulation; a signature needs the mode in
 * which it is made.
 */
export function encodeUnsigned(plan: UnsignedPlan, fee: Fee, mode: SignMode = SignMode.UNSPECIFIED): Uint8Array {
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: encodeBody(plan),
      authInfoBytes: encodeAuthInfo(plan, fee, mode),
      signatures: plan.key ? [new Uint8Array(0)] : [],
    }),
  )
}

/** Encodes a TxRaw signed in SIGN_MODE_DIRECT: 64 bytes over the SignDoc (docs/transactions.md#signatures). */
export function encodeSigned(plan: TxPlan, fee: Fee, privateKey: Uint8Array): Uint8Array {
  const bodyBytes = encodeBody(plan)
  const authInfoBytes = encodeAuthInfo(plan, fee, SignMode.DIRECT)
  const { chainId, accountNumber } = plan
  const signDoc = toBinary(SignDocSchema, create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber }))
  const kind = plan.key.algorithm === 'secp256k1' ? 'secp256k1' : 'ethSecp256k1'
  const signature = signBytesWith(kind, signDoc, privateKey)
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
}

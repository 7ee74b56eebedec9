/** The bytes that signers sign in the modes DIRECT, DIRECT_AUX and LEGACY_AMINO_JSON (docs/transactions.md#signatures). */
import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { SignMode } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { SignDocDirectAuxSchema, SignDocSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../identity/types.ts'
import { utf8 } from '../primitives/bytes.ts'
import type { AminoValue } from './amino-fields.ts'
import { type AminoNames, aminoMessage, canonicalJson } from './amino-json.ts'
import type { AppFacts } from './context.ts'
import { errors } from './errors.ts'
import type { DecodedTx } from './tx.ts'

/** Facts that a signature covers, besides the transaction. */
export interface SignerFacts {
  readonly chainId: string
  readonly accountNumber: bigint
  readonly sequence: bigint
  /** The signer's key from the account; DIRECT_AUX signs it. */
  readonly publicKey?: Any | undefined
  /** Whether another account pays the fee. Only then is a signature that omits the fee accepted, as DIRECT_AUX does. */
  readonly paysNothing?: boolean
}

/** The names in which messages are signed, and their types. */
export interface SigningNames {
  readonly identity: Identity
  readonly app: Pick<AppFacts, 'message'>
}

/** Returns the sign bytes of DIRECT, with the parts as received. */
export function directSignBytes(
  raw: { readonly bodyBytes: Uint8Array; readonly authInfoBytes: Uint8Array },
  { chainId, accountNumber }: Pick<SignerFacts, 'chainId' | 'accountNumber'>,
): Uint8Array {
  const { bodyBytes, authInfoBytes } = raw
  return toBinary(SignDocSchema, create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber }))
}

function directAuxSignBytes(tx: DecodedTx, facts: SignerFacts): Uint8Array {
  const { chainId, accountNumber, sequence, publicKey } = facts
  const doc = create(SignDocDirectAuxSchema, { bodyBytes: tx.raw.bodyBytes, chainId, accountNumber, sequence })
  if (publicKey) doc.publicKey = create(AnySchema, publicKey)
  if (tx.authInfo.tip) doc.tip = tx.authInfo.tip
  return toBinary(SignDocDirectAuxSchema, doc)
}

/**
 * Returns the text of LEGACY_AMINO_JSON. Throws sdk 37 for a message without amino name, sdk 18 for contents that the form
 * cannot express.
 */
export function aminoSignJson(
  names: AminoNames,
  tx: Pick<DecodedTx, 'body' | 'authInfo' | 'messages' | 'hasNonCriticalFields'>,
  { chainId, accountNumber, sequence }: SignerFacts,
): string {
  const { body, authInfo } = tx
  if (tx.hasNonCriticalFields) throw errors.invalidRequest('protobuf transaction contains unknown non-critical fields')
  if (body.extensionOptions.length > 0 || body.nonCriticalExtensionOptions.length > 0) {
    throw errors.invalidRequest('SIGN_MODE_LEGACY_AMINO_JSON does not support protobuf extension options')
  }
  const fee: { [key: string]: AminoValue } = {
    amount: (authInfo.fee?.amount ?? []).map(({ denom, amount }) => ({ denom, amount })),
    gas: (authInfo.fee?.gasLimit ?? 0n).toString(),
  }
  if (authInfo.fee?.payer) fee['payer'] = authInfo.fee.payer
  if (authInfo.fee?.granter) fee['granter'] = authInfo.fee.granter
  const doc: { [key: string]: AminoValue } = {
    account_number: accountNumber.toString(),
    chain_id: chainId,
    fee,
    memo: body.memo,
    msgs: tx.messages.map(({ schema, message }) => aminoMessage(names, schema, message)),
    sequence: sequence.toString(),
  }
  if (body.timeoutHeight > 0n) doc['timeout_height'] = body.timeoutHeight.toString()
  return canonicalJson(doc)
}

/**
 * Returns the sign bytes that are accepted in a mode: one form for the protobuf modes; for amino one per accepted family of
 * names, twice if a message has two names. Returns an empty list for DIRECT_AUX of the fee payer, since a holder of that
 * signature could choose the fee (Cosmos SDK v0.47.11, x/auth/tx/direct_aux.go). Throws sdk 37 for a mode that is not enabled.
 */
export function signBytesOf(
  ctx: SigningNames,
  tx: DecodedTx,
  mode: SignMode,
  facts: SignerFacts,
): readonly Uint8Array[] {
  switch (mode) {
    case SignMode.DIRECT:
      return [directSignBytes(tx.raw, facts)]
    case SignMode.DIRECT_AUX:
      return facts.paysNothing ? [directAuxSignBytes(tx, facts)] : []
    case SignMode.LEGACY_AMINO_JSON: {
      const { identity, app } = ctx
      const families = [identity.toProfileAmino, ...identity.aminoAliases]
      const texts = families.flatMap((toName) =>
        [false, true].map((byOtherName) => aminoSignJson({ identity, app, toName, byOtherName }, tx, facts)),
      )
      return [...new Set(texts)].map(utf8)
    }
    default:
      throw errors.notSupported(`sign mode ${mode}`)
  }
}

/** Verification of a transaction's signatures. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { CompactBitArray } from '../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { MultiSignatureSchema } from '../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { SignMode } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import type { ModeInfo } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { equal } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { decodeMessage } from './decode.ts'
import { type MultisigKey, type PublicKey, verifySignature } from './public-key.ts'
import { type SignerFacts, type SigningNames, signBytesOf } from './sign-bytes.ts'
import type { DecodedTx } from './tx.ts'

/**
 * Whether the key made the signature, in the mode of its signer info. Returns false for a malformed signature. Bounded by: the
 * keys within a key.
 */
export function isSignedBy(
  ctx: SigningNames,
  tx: DecodedTx,
  key: PublicKey,
  modeInfo: ModeInfo | undefined,
  signature: Uint8Array,
  facts: SignerFacts,
): boolean {
  const sum = modeInfo?.sum
  if (key.kind !== 'multisig') {
    if (sum?.case !== 'single') return false
    return signBytesOf(ctx, tx, sum.value.mode, facts).some((bytes) => verifySignature(key, bytes, signature))
  }
  if (sum?.case !== 'multi') return false
  const present = presentKeys(key, sum.value.bitarray)
  const parts = multiSignatures(signature)
  if (!present || !parts || present.length < key.threshold) return false
  if (parts.length !== present.length || sum.value.modeInfos.length !== present.length) return false
  return present.every((part, i) => isSignedBy(ctx, tx, part, sum.value.modeInfos[i], parts[i]!, facts))
}

/** Returns the keys of a multisig whose bits are set; undefined if the bit array does not fit the keys. */
export function presentKeys(key: MultisigKey, bits: CompactBitArray | undefined): readonly PublicKey[] | undefined {
  if (!bits) return undefined
  const { elems, extraBitsStored } = bits
  const count = extraBitsStored === 0 ? elems.length * 8 : (elems.length - 1) * 8 + extraBitsStored
  if (extraBitsStored > 7 || count !== key.keys.length) return undefined
  return key.keys.filter((_, i) => (elems[i >> 3]! & (0x80 >> (i & 7))) !== 0)
}

/** Returns the signatures in a multisignature; undefined unless it has the only encoding, since no one signs these bytes. */
function multiSignatures(signature: Uint8Array): readonly Uint8Array[] | undefined {
  try {
    const { signatures } = decodeMessage(MultiSignatureSchema, signature)
    const only = toBinary(MultiSignatureSchema, create(MultiSignatureSchema, { signatures }))
    return equal(only, signature) ? signatures : undefined
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return undefined
  }
}

/**
 * Whether a signer uses amino form at any depth. The failure text then also contains the sequence. Bounded by: `MAX_LEVELS`,
 * which decoding counted.
 */
export function usesAmino(modeInfo: ModeInfo | undefined): boolean {
  const sum = modeInfo?.sum
  if (sum?.case === 'multi') return sum.value.modeInfos.some(usesAmino)
  return sum?.case === 'single' && sum.value.mode === SignMode.LEGACY_AMINO_JSON
}

/** Sign bytes of transactions, and signatures by keys of a keyring or of another program. */
import { create, toBinary } from '@bufbuild/protobuf'
import { SignMode } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, type Tx, TxBodySchema, TxRawSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { messageType } from '../../identity/registry.ts'
import type { Identity } from '../../identity/types.ts'
import { queryError } from '../../primitives/errors.ts'
import { signBytesWith } from '../../sdk/crypto.ts'
import { type SignerFacts, type SigningNames, signBytesOf } from '../../sdk/sign-bytes.ts'
import { type DecodedTx, decodeTx } from '../../sdk/tx.ts'
import type { Keyring } from '../keyring.ts'
import { signExternally } from '../keys/external-signer.ts'
import { type KeyRecord, publicKeyOfRecord } from '../keys/record.ts'

/** Modes by their name in the command line. */
const MODES: Readonly<Record<string, SignMode>> = {
  direct: SignMode.DIRECT,
  'amino-json': SignMode.LEGACY_AMINO_JSON,
}

/** Parses the value of `--sign-mode`. Throws `invalidArgument` for another text. */
export function parseSignMode(text: string): SignMode {
  const mode = MODES[text]
  if (mode === undefined) throw queryError('invalidArgument', `--sign-mode ${text}: must be direct or amino-json`)
  return mode
}

const nameOfMode = (mode: SignMode): string =>
  mode === SignMode.LEGACY_AMINO_JSON ? 'SIGN_MODE_LEGACY_AMINO_JSON' : 'SIGN_MODE_DIRECT'

/** Types of all messages: whether a chain executes one is the node's to say. */
const APP = { message: messageType, isRouted: () => true }

export const signingNames = (identity: Identity): SigningNames => ({ identity, app: APP })

/** Encodes a transaction as TxRaw. */
export function encodeTx({ body, authInfo, signatures }: Tx): Uint8Array {
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, body ?? create(TxBodySchema)),
      authInfoBytes: toBinary(AuthInfoSchema, authInfo ?? create(AuthInfoSchema)),
      signatures,
    }),
  )
}

export const decodeBytes = (identity: Identity, bytes: Uint8Array): DecodedTx => decodeTx(APP, identity, bytes)

/**
 * Returns a signature of a transaction in a mode, 64 bytes. The transaction contains the signer info of the key, which DIRECT
 * covers.
 */
export async function signDecoded(
  identity: Identity,
  keyring: Keyring,
  record: KeyRecord,
  tx: DecodedTx,
  mode: SignMode,
  facts: SignerFacts,
): Promise<Uint8Array> {
  const [bytes] = signBytesOf(signingNames(identity), tx, mode, facts)
  if (!bytes) throw queryError('invalidArgument', `${nameOfMode(mode)} cannot sign this transaction`)
  if (record.place === 'external') return await signExternally(record, nameOfMode(mode), bytes)
  const key = publicKeyOfRecord(record)
  const privateKey = await keyring.privateKey(record.name)
  return signBytesWith(key.kind === 'ethSecp256k1' ? 'ethSecp256k1' : 'secp256k1', bytes, privateKey)
}

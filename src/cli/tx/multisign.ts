/** `almanac tx multisign`: joins signatures of members of a multisig into a transaction. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { CompactBitArraySchema, MultiSignatureSchema } from '../../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { type SignatureDescriptor, SignatureDescriptorsSchema } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, ModeInfoSchema, SignerInfoSchema, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { addressOf, decodePublicKey, encodePublicKey, type MultisigKey, type PublicKey } from '../../sdk/public-key.ts'
import { isSignedBy } from '../../sdk/signature.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import { addNodeOptions, type NodeFlags, openNode } from '../client.ts'
import { addKeyringOptions, findAnyKey, type KeyringFlags, openKeyring } from '../keys/open.ts'
import { identityOfFlags } from '../profile.ts'
import { addFactOptions } from '../send-tx.ts'
import type { Terminal } from '../terminal.ts'
import { type FactFlags, type Facts, factsOf } from './account.ts'
import { decodeBytes, encodeTx, signingNames } from './signing.ts'
import {
  addDocumentOptions,
  type DocumentFlags,
  readInput,
  readMessageText,
  readTxFile,
  writeDocument,
} from './tx-file.ts'

type MultisignFlags = KeyringFlags & NodeFlags & FactFlags & DocumentFlags & { readonly output: string }

/** Adds `tx multisign FILE NAME SIGNATURE…`. */
export function addMultisign(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('multisign <file> <name> <signatures...>')
    .alias('multi-sign')
    .description('Join signatures of members of a multisig, from files of `tx sign --multisig`, into a transaction')
  addDocumentOptions(addFactOptions(addNodeOptions(addKeyringOptions(command, 'json'))))
  command.action((file: string, name: string, signatures: string[]) =>
    multisign(file, name, signatures, command.opts<MultisignFlags>(), terminal),
  )
}

/** A member's signature, by its place in the multisig. */
interface Part {
  readonly place: number
  readonly descriptor: SignatureDescriptor
}

async function multisign(
  file: string,
  name: string,
  paths: readonly string[],
  flags: MultisignFlags,
  terminal: Terminal,
): Promise<void> {
  const identity = identityOfFlags(flags)
  const record = findAnyKey(openKeyring(flags, terminal), name)
  if (record.place !== 'multi')
    throw queryError('invalidArgument', `${name} is not a multisig: name the key that holds its members`)
  const tx = readTxFile(identity, file)
  const facts = await factsOf(() => openNode(flags), flags, formatBech32(identity.bech32.account, record.address))
  const decoded = decodeBytes(identity, encodeTx({ ...tx, signatures: [] }))
  const parts = paths.flatMap((path) => readParts(identity, record.key, decoded, facts, path))
  const chosen = [...new Map(parts.map((part) => [part.place, part])).values()]
    .sort((a, b) => a.place - b.place)
    .slice(0, record.key.threshold)
  if (chosen.length < record.key.threshold) {
    throw queryError(
      'invalidArgument',
      `${name} needs ${record.key.threshold} signatures, and there are ${chosen.length}`,
    )
  }
  const info = create(SignerInfoSchema, {
    publicKey: encodePublicKey(identity, record.key),
    modeInfo: {
      sum: {
        case: 'multi',
        value: { bitarray: bitsOf(record.key, chosen), modeInfos: chosen.map(({ descriptor }) => modeOf(descriptor)) },
      },
    },
    sequence: facts.sequence,
  })
  const signature = toBinary(
    MultiSignatureSchema,
    create(MultiSignatureSchema, { signatures: chosen.map(({ descriptor }) => signatureOf(descriptor)) }),
  )
  const authInfo = create(AuthInfoSchema, { ...tx.authInfo, signerInfos: [info] })
  writeDocument(identity, TxSchema, create(TxSchema, { ...tx, authInfo, signatures: [signature] }), flags, terminal)
}

const single = ({ data }: SignatureDescriptor) => (data?.sum.case === 'single' ? data.sum.value : undefined)
const signatureOf = (descriptor: SignatureDescriptor): Uint8Array => single(descriptor)?.signature ?? new Uint8Array(0)

const modeOf = (descriptor: SignatureDescriptor) =>
  create(ModeInfoSchema, { sum: { case: 'single', value: { mode: single(descriptor)?.mode ?? 0 } } })

/** Reads the signatures in a file. Throws `invalidArgument` for one that is not of a member, or not of this transaction. */
function readParts(identity: Identity, multisig: MultisigKey, tx: DecodedTx, facts: Facts, path: string): Part[] {
  const { signatures } = readMessageText(identity, SignatureDescriptorsSchema, readInput(path), path)
  if (signatures.length === 0)
    throw queryError('invalidArgument', `${path}: no signature: make one with \`almanac tx sign --multisig\``)
  return signatures.map((descriptor) => {
    if (!descriptor.publicKey) throw queryError('invalidArgument', `${path}: a signature without its public key`)
    const key = decodePublicKey(identity, descriptor.publicKey)
    const place = multisig.keys.findIndex((member) => isSame(member, key))
    if (place < 0) {
      const address = formatBech32(identity.bech32.account, addressOf(identity, key))
      throw queryError('invalidArgument', `${path}: the signature is of ${address}, which is no member`)
    }
    if (!isSignedBy(signingNames(identity), tx, key, modeOf(descriptor), signatureOf(descriptor), facts)) {
      throw queryError(
        'invalidArgument',
        `${path}: not a signature of this transaction with chain id ${facts.chainId}, account number ` +
          `${facts.accountNumber} and sequence ${facts.sequence} of the multisig`,
      )
    }
    return { place, descriptor }
  })
}

const isSame = (a: PublicKey, b: PublicKey): boolean =>
  a.kind !== 'multisig' && b.kind === a.kind && formatBase64(a.key) === formatBase64((b as typeof a).key)

/** Returns the bits of the members that signed, the first member in the highest bit of the first byte. */
function bitsOf({ keys }: MultisigKey, parts: readonly Part[]) {
  const elems = new Uint8Array(Math.ceil(keys.length / 8))
  for (const { place } of parts) elems[place >> 3]! |= 0x80 >> (place & 7)
  return create(CompactBitArraySchema, { extraBitsStored: keys.length % 8, elems })
}

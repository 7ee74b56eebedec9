/** `almanac tx multisign` and `tx multisign-batch`: join signatures of members of a multisig into transactions. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { CompactBitArraySchema, MultiSignatureSchema } from '../../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { type SignatureDescriptor, SignatureDescriptorsSchema } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, ModeInfoSchema, SignerInfoSchema, type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { readInputText } from '../../node/input-file.ts'
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
  readLines,
  readMessageText,
  readTxFile,
  readTxLines,
  writeDocument,
  writeLines,
} from './tx-file.ts'

type MultisignFlags = KeyringFlags & NodeFlags & FactFlags & DocumentFlags & { readonly output: string }

/** Adds `tx multisign FILE NAME SIGNATURE…` and `tx multisign-batch` of the same arguments. */
export function addMultisign(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('multisign <file> <name> <signatures...>')
    .alias('multi-sign')
    .description('Join signatures of members of a multisig, from files of `tx sign --multisig`, into a transaction')
  addDocumentOptions(addFactOptions(addNodeOptions(addKeyringOptions(command, 'json'))))
  command.action((file: string, name: string, signatures: string[]) =>
    multisign(file, name, signatures, command.opts<MultisignFlags>(), terminal),
  )
  const batch = parent
    .command('multisign-batch <file> <name> <signatures...>')
    .description(
      'Join signatures of members of a multisig, from files of `tx sign-batch --multisig`, into the transactions of a file, line by line',
    )
  addDocumentOptions(addFactOptions(addNodeOptions(addKeyringOptions(batch, 'json'))))
  batch.action((file: string, name: string, signatures: string[]) =>
    multisignBatch(file, name, signatures, batch.opts<MultisignFlags>(), terminal),
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
  const team = openTeam(name, flags, terminal)
  const tx = readTxFile(team.identity, file)
  const facts = await factsOfTeam(team, flags)
  const texts = paths.map((path) => ({ text: readInputText(path), place: path }))
  writeDocument(team.identity, TxSchema, joinSignatures(team, tx, facts, texts), flags, terminal)
}

/** Joins line i of each file of signatures into the transaction of line i, with ascending sequences. */
async function multisignBatch(
  file: string,
  name: string,
  paths: readonly string[],
  flags: MultisignFlags,
  terminal: Terminal,
): Promise<void> {
  const team = openTeam(name, flags, terminal)
  const txs = readTxLines(team.identity, file)
  const columns = paths.map((path) => {
    const lines = readLines(path)
    if (lines.length === txs.length) return lines
    throw queryError(
      'invalidArgument',
      `${path} has ${lines.length} signatures, and ${file} ${txs.length} transactions`,
    )
  })
  const facts = await factsOfTeam(team, flags)
  const joined = txs.map(({ tx }, i) => {
    const ofTx = { ...facts, sequence: facts.sequence + BigInt(i) }
    return {
      schema: TxSchema,
      message: joinSignatures(
        team,
        tx,
        ofTx,
        columns.map((lines) => lines[i]!),
      ),
    }
  })
  writeLines(team.identity, joined, flags, terminal)
}

/** A multisig, by its name in the keyring. */
interface Team {
  readonly identity: Identity
  readonly name: string
  readonly address: Uint8Array
  readonly key: MultisigKey
}

function openTeam(name: string, flags: MultisignFlags, terminal: Terminal): Team {
  const record = findAnyKey(openKeyring(flags, terminal), name)
  if (record.place !== 'multi')
    throw queryError('invalidArgument', `${name} is not a multisig: name the key that holds its members`)
  return { identity: identityOfFlags(flags), name, address: record.address, key: record.key }
}

const factsOfTeam = ({ identity, address }: Team, flags: MultisignFlags): Promise<Facts> =>
  factsOf(() => openNode(flags), flags, formatBech32(identity.bech32.account, address))

/** A document with its place for errors. */
interface PlacedText {
  readonly text: string
  readonly place: string
}

/** Returns the transaction with the signatures of as many members as its multisig needs. Throws `invalidArgument`. */
function joinSignatures({ identity, name, key }: Team, tx: Tx, facts: Facts, texts: readonly PlacedText[]): Tx {
  const decoded = decodeBytes(identity, encodeTx({ ...tx, signatures: [] }))
  const parts = texts.flatMap((text) => readParts(identity, key, decoded, facts, text))
  const chosen = [...new Map(parts.map((part) => [part.place, part])).values()]
    .sort((a, b) => a.place - b.place)
    .slice(0, key.threshold)
  if (chosen.length < key.threshold)
    throw queryError('invalidArgument', `${name} needs ${key.threshold} signatures, and there are ${chosen.length}`)
  const info = create(SignerInfoSchema, {
    publicKey: encodePublicKey(identity, key),
    modeInfo: {
      sum: {
        case: 'multi',
        value: { bitarray: bitsOf(key, chosen), modeInfos: chosen.map(({ descriptor }) => modeOf(descriptor)) },
      },
    },
    sequence: facts.sequence,
  })
  const signature = toBinary(
    MultiSignatureSchema,
    create(MultiSignatureSchema, { signatures: chosen.map(({ descriptor }) => signatureOf(descriptor)) }),
  )
  const authInfo = create(AuthInfoSchema, { ...tx.authInfo, signerInfos: [info] })
  return create(TxSchema, { ...tx, authInfo, signatures: [signature] })
}

const single = ({ data }: SignatureDescriptor) => (data?.sum.case === 'single' ? data.sum.value : undefined)
const signatureOf = (descriptor: SignatureDescriptor): Uint8Array => single(descriptor)?.signature ?? new Uint8Array(0)

const modeOf = (descriptor: SignatureDescriptor) =>
  create(ModeInfoSchema, { sum: { case: 'single', value: { mode: single(descriptor)?.mode ?? 0 } } })

/** Reads the signatures in a file. Throws `invalidArgument` for one that is not of a member, or not of this transaction. */
function readParts(
  identity: Identity,
  multisig: MultisigKey,
  tx: DecodedTx,
  facts: Facts,
  { text, place: path }: PlacedText,
): Part[] {
  const { signatures } = readMessageText(identity, SignatureDescriptorsSchema, text, path)
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

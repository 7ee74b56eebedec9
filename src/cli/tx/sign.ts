/** `almanac tx sign` and `tx sign-batch`: sign transactions in files, alone or as a member of a multisig. */
import { create } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import {
  type SignatureDescriptor,
  SignatureDescriptorSchema,
  SignatureDescriptorsSchema,
  SignMode,
} from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, type SignerInfo, SignerInfoSchema, type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { addressOf, decodePublicKey, encodePublicKey } from '../../sdk/public-key.ts'
import { signersOfTx } from '../../sdk/tx.ts'
import { addNodeOptions, type NodeFlags, openNode } from '../client.ts'
import type { Keyring } from '../keyring.ts'
import { addKeyringOptions, findKey, type KeyringFlags, openKeyring, tryParseAddress } from '../keys/open.ts'
import { type AnyRecord, type KeyRecord, publicKeyOfRecord } from '../keys/record.ts'
import { identityOfFlags } from '../profile.ts'
import { addFactOptions } from '../send-tx.ts'
import type { Terminal } from '../terminal.ts'
import { type FactFlags, type Facts, factsOf } from './account.ts'
import { decodeBytes, encodeTx, parseSignMode, signDecoded } from './signing.ts'
import {
  addDocumentOptions,
  type Document,
  type DocumentFlags,
  readTxFile,
  readTxLines,
  writeDocument,
  writeLines,
} from './tx-file.ts'

interface SignFlags extends KeyringFlags, NodeFlags, FactFlags, DocumentFlags {
  readonly from?: string
  readonly multisig?: string
  readonly signMode?: string
  readonly signatureOnly?: boolean
  readonly overwrite?: boolean
  readonly output: string
}

/** Adds `tx sign FILE` and `tx sign-batch FILE…`. */
export function addSign(parent: Command, terminal: Terminal): void {
  const one = addSignOptions(
    parent.command('sign <file>').description('Sign the transaction in a JSON file; - reads standard input'),
  )
  one.action((file: string) => sign(file, one.opts<SignFlags>(), terminal))
  const batch = addSignOptions(
    parent
      .command('sign-batch <files...>')
      .description(
        'Sign the transactions in JSON files, one a line, with ascending sequences; prints one a line; - reads standard input',
      ),
  )
  batch.action((files: string[]) => signBatch(files, batch.opts<SignFlags>(), terminal))
}

function addSignOptions(command: Command): Command {
  command
    .option('--from <key>', 'name or address of the key that signs')
    .option('--multisig <key>', 'name or address of the multisig that the key signs for; prints the signature')
    .option(
      '--sign-mode <mode>',
      'direct or amino-json (default: direct, for a multisig or several signers amino-json)',
    )
    .option('--signature-only', 'print the signature, not the transaction')
    .option('--overwrite', 'replace the signatures in the file')
  return addDocumentOptions(addFactOptions(addNodeOptions(addKeyringOptions(command, 'json'))))
}

async function sign(file: string, flags: SignFlags, terminal: Terminal): Promise<void> {
  const signing = openSigning(flags, terminal)
  const signed = await signOne(signing, readTxFile(signing.identity, file), file, () => factsOfSigning(signing))
  writeDocument(signing.identity, signed.schema, signed.message, flags, terminal)
}

/** Signs each transaction with the next sequence, so that blocks can take them in their order. */
async function signBatch(files: readonly string[], flags: SignFlags, terminal: Terminal): Promise<void> {
  const signing = openSigning(flags, terminal)
  const txs = files.flatMap((file) => readTxLines(signing.identity, file))
  let facts: Facts | undefined
  const documents: Signed[] = []
  for (const [i, { tx, place }] of txs.entries()) {
    const factsOfTx = async () => {
      facts ??= await factsOfSigning(signing)
      return { ...facts, sequence: facts.sequence + BigInt(i) }
    }
    documents.push(await signOne(signing, tx, place, factsOfTx))
  }
  writeLines(signing.identity, documents, flags, terminal)
}

/** The key that signs, and for whom. */
interface Signing {
  readonly identity: Identity
  readonly keyring: Keyring
  readonly key: KeyRecord
  /** Address of the account, 20 bytes: that of the key, or of the multisig. */
  readonly account: Uint8Array
  readonly flags: SignFlags
}

function openSigning(flags: SignFlags, terminal: Terminal): Signing {
  const { from, multisig } = flags
  if (from === undefined)
    throw queryError('invalidArgument', '--from is missing: name the key that signs, as `almanac keys list` shows it')
  const keyring = openKeyring(flags, terminal)
  const key = findKey(keyring, from)
  const identity = identityOfFlags(flags)
  const account = multisig === undefined ? key.address : addressOfMultisig(identity, keyring, multisig, key)
  return { identity, keyring, key, account, flags }
}

const factsOfSigning = ({ identity, account, flags }: Signing): Promise<Facts> =>
  factsOf(() => openNode(flags), flags, formatBech32(identity.bech32.account, account))

type Signed = Document<typeof TxSchema> | Document<typeof SignatureDescriptorsSchema>

/** Returns the signed transaction, or its signature if a flag selects that. `file` is its place in errors. */
async function signOne(
  { identity, keyring, key, account, flags }: Signing,
  tx: Tx,
  file: string,
  factsOfTx: () => Promise<Facts>,
): Promise<Signed> {
  const { multisig } = flags
  const signers = signersOf(identity, tx)
  if (!signers.some((signer) => equal(signer, account))) {
    const shown = signers.map((signer) => formatBech32(identity.bech32.account, signer)).join(', ')
    throw queryError('invalidArgument', `${file} is to be signed by ${shown}, not by ${multisig ?? key.name}`)
  }
  const isShared = multisig !== undefined || signers.length > 1
  const mode = parseSignMode(flags.signMode ?? (isShared ? 'amino-json' : 'direct'))
  if (isShared && mode === SignMode.DIRECT) {
    throw queryError('invalidArgument', '--sign-mode direct is for one signer with one key: use amino-json')
  }
  const facts = await factsOfTx()
  const info = signerInfo(identity, key, mode, facts)
  const kept = flags.overwrite || multisig !== undefined ? [] : keptSignatures(identity, tx, key.address)
  const place = (address: Uint8Array) => signers.findIndex((signer) => equal(signer, address))
  const draft = [...kept, { info, address: key.address, signature: new Uint8Array(0) }]
  if (multisig === undefined) draft.sort((a, b) => place(a.address) - place(b.address))
  const assembled = withSignatures(tx, draft)
  const decoded = decodeBytes(identity, encodeTx(assembled))
  const signature = await signDecoded(identity, keyring, key, decoded, mode, facts)
  if (multisig !== undefined || flags.signatureOnly) {
    const signatures = [descriptorOf(info, mode, signature)]
    return { schema: SignatureDescriptorsSchema, message: create(SignatureDescriptorsSchema, { signatures }) }
  }
  const signed = draft.map((one) => (one.info === info ? { ...one, signature } : one))
  return { schema: TxSchema, message: withSignatures(tx, signed) }
}

/**
 * Returns the address of a multisig, 20 bytes. Throws `notFound` for an unknown name, and `invalidArgument` if the keyring knows
 * the key as another kind, or the signer is none of its members.
 */
function addressOfMultisig(identity: Identity, keyring: Keyring, nameOrAddress: string, signer: KeyRecord): Uint8Array {
  const address = tryParseAddress(nameOrAddress)
  const records = keyring.list()
  const isMeant = (record: AnyRecord) => record.name === nameOrAddress || (address && equal(record.address, address))
  if (address && !records.some(isMeant)) return address
  const multisig = keyring.find(nameOrAddress, address)
  if (multisig.place !== 'multi')
    throw queryError('invalidArgument', `--multisig ${nameOrAddress}: ${multisig.name} is no multisig`)
  const members = multisig.key.keys.map((key) => addressOf(identity, key))
  if (members.some((member) => equal(member, signer.address))) return multisig.address
  const shown = members.map(
    (member) =>
      records.find((record) => equal(record.address, member))?.name ?? formatBech32(identity.bech32.account, member),
  )
  throw queryError(
    'invalidArgument',
    `${signer.name} is no member of ${multisig.name}: its members are ${shown.join(', ')}`,
  )
}

const signersOf = (identity: Identity, tx: Tx): Uint8Array[] =>
  signersOfTx({ identity }, decodeBytes(identity, encodeTx(tx)))

function signerInfo(identity: Identity, key: KeyRecord, mode: SignMode, { sequence }: Facts): SignerInfo {
  return create(SignerInfoSchema, {
    publicKey: encodePublicKey(identity, publicKeyOfRecord(key)),
    modeInfo: { sum: { case: 'single', value: { mode } } },
    sequence,
  })
}

interface Signature {
  readonly info: SignerInfo
  readonly address: Uint8Array
  readonly signature: Uint8Array
}

/** Returns the signatures of other signers in a file. */
function keptSignatures(identity: Identity, { authInfo, signatures }: Tx, own: Uint8Array): Signature[] {
  return (authInfo?.signerInfos ?? []).flatMap((info, i) => {
    const signature = signatures[i]
    if (!info.publicKey || !signature || signature.length === 0) return []
    const address = addressOf(identity, decodePublicKey(identity, info.publicKey))
    return equal(address, own) ? [] : [{ info, address, signature }]
  })
}

function withSignatures(tx: Tx, signed: readonly Signature[]): Tx {
  const authInfo = create(AuthInfoSchema, { ...tx.authInfo, signerInfos: signed.map(({ info }) => info) })
  return create(TxSchema, { ...tx, authInfo, signatures: signed.map(({ signature }) => signature) })
}

function descriptorOf({ publicKey, sequence }: SignerInfo, mode: SignMode, signature: Uint8Array): SignatureDescriptor {
  return create(SignatureDescriptorSchema, {
    ...(publicKey && { publicKey }),
    data: { sum: { case: 'single', value: { mode, signature } } },
    sequence,
  })
}

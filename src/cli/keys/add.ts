/** `almanac keys add`: new and recovered keys, multisigs, public keys of others, and keys in another program. */
import type { Command } from 'commander'
import type { Identity } from '../../identity/types.ts'
import { diskFiles } from '../../node/files.ts'
import { compare, formatHex, parseBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Keyring } from '../keyring.ts'
import { readMnemonicFile } from '../mnemonic-file.ts'
import { formatOutput, parseOutputFormat } from '../output.ts'
import { identityOfFlags } from '../profile.ts'
import type { Terminal } from '../terminal.ts'
import { publicKeyOfSigner } from './external-signer.ts'
import { createMnemonic, keyOfMnemonic, pathOf } from './mnemonic.ts'
import { findKey, type KeyringFlags, keyJson, openKeyring } from './open.ts'
import { type Algorithm, type AnyRecord, addressOfKey, multisigFile, parseAlgorithm } from './record.ts'

interface AddFlags extends KeyringFlags {
  readonly algo: string
  readonly recover?: boolean
  readonly hdPath?: string
  readonly coinType?: string
  readonly account?: string
  readonly index?: string
  readonly unsafe?: boolean
  readonly backup: boolean
  readonly mnemonicFile?: string
  readonly multisig?: string
  readonly multisigThreshold: string
  readonly sort: boolean
  readonly pubkey?: string
  readonly signer?: string
  readonly ledger?: boolean
}

/** Adds the flags of `keys add`. */
export function addKeyOptions(command: Command): Command {
  return command
    .option('--recover', 'recover a key from its mnemonic, which is prompted for, or read from --mnemonic-file')
    .option('--algo <algorithm>', 'key algorithm: secp256k1 or eth_secp256k1', 'secp256k1')
    .option(
      '--hd-path <path>',
      `derivation path (default: ${pathOf('secp256k1')}, for eth_secp256k1 ${pathOf('eth_secp256k1')})`,
    )
    .option('--coin-type <number>', 'coin type of the derivation path (default: 118, for eth_secp256k1 60)')
    .option('--account <number>', 'account of the derivation path (default: 0)')
    .option('--index <number>', 'index of the derivation path (default: 0)')
    .option('--unsafe', 'print the mnemonic of the new key')
    .option(
      '--mnemonic-file <path>',
      'write the mnemonic to a new file; with --recover read it there (-: standard input)',
    )
    .option('--no-backup', 'do not store the mnemonic with the key')
    .option('--multisig <keys>', 'make a multisig of keys in the keyring, by name, separated by commas')
    .option('--multisig-threshold <number>', 'signatures that a multisig needs', '1')
    .option('--no-sort', 'keep the members of a multisig as given instead of sorting them by address')
    .option('--nosort', 'same as --no-sort')
    .option('--pubkey <json>', `store the public key of another person: {"@type": "…", "key": "base64"}`)
    .option('--signer <url>', 'store a key of another program that signs, at unix:///PATH')
    .option('--ledger', 'not supported by itself: see --signer')
}

/** Returns the record of a new key and what else the command prints. */
export async function addKey(name: string, flags: AddFlags & { nosort?: boolean }, terminal: Terminal): Promise<void> {
  if (flags.ledger) {
    throw queryError(
      'unimplemented',
      '--ledger: this program does not speak to devices; --signer unix:///PATH uses a program that does (docs/keys.md)',
    )
  }
  requireOneSource(flags)
  // The flags are checked before a key is created: a mnemonic that cannot be shown is lost.
  const identity = identityOfFlags(flags)
  const format = parseOutputFormat(flags.output ?? 'yaml')
  const algorithm = parseAlgorithm(flags.algo)
  const keyring = openKeyring(flags, terminal)
  const show = (record: AnyRecord, more = {}) =>
    terminal.print(formatOutput({ ...keyJson(record, identity), ...more }, format))
  if (flags.multisig !== undefined) return show(addMultisig(identity, keyring, name, flags))
  if (flags.pubkey !== undefined) return show(addPublicKey(identity, keyring, name, flags.pubkey))
  if (flags.signer !== undefined) {
    const { publicKey, algorithm: found } = await publicKeyOfSigner(flags.signer, algorithm, hdPathOf(algorithm, flags))
    addressOfKey(found, publicKey)
    const file = { name, algorithm: found, public_key: formatHex(publicKey), signer: flags.signer }
    return show(keyring.addPublic(file))
  }
  await addLocal(name, algorithm, flags, keyring, terminal, show)
}

/** Throws `invalidArgument` if the flags name several origins of the key: all but one would be ignored. */
function requireOneSource({ multisig, pubkey, signer, recover }: AddFlags): void {
  const sources = Object.entries({ multisig, pubkey, signer, recover })
  const given = sources.filter(([, value]) => value !== undefined).map(([name]) => `--${name}`)
  if (given.length > 1) throw queryError('invalidArgument', `${given.join(' and ')} exclude each other`)
}

function hdPathOf(algorithm: Algorithm, { hdPath, coinType, account, index }: AddFlags): string {
  return hdPath ?? pathOf(algorithm, coinType, account, index)
}

async function addLocal(
  name: string,
  algorithm: Algorithm,
  flags: AddFlags,
  keyring: Keyring,
  terminal: Terminal,
  show: (record: AnyRecord, more?: object) => void,
): Promise<void> {
  const { recover, mnemonicFile, unsafe, backup } = flags
  const mnemonic = recover ? await readMnemonic(mnemonicFile, terminal) : createMnemonic()
  const privateKey = keyOfMnemonic(mnemonic, hdPathOf(algorithm, flags))
  if (!recover && mnemonicFile !== undefined) writeMnemonic(mnemonicFile, mnemonic)
  const record = await keyring
    .add(name, algorithm, privateKey, !recover && backup ? mnemonic : undefined)
    .catch((error: unknown) => {
      // There is no key that the file would recover.
      if (!recover && mnemonicFile !== undefined) diskFiles.remove(mnemonicFile)
      throw error
    })
  show(record, !recover && unsafe ? { mnemonic } : {})
  if (!recover) terminal.note(fateOf(name, flags))
}

async function readMnemonic(path: string | undefined, terminal: Terminal): Promise<string> {
  return path === undefined ? ((await terminal.askSecret('Mnemonic:')) ?? '') : readMnemonicFile(path, undefined)
}

function writeMnemonic(path: string, mnemonic: string): void {
  if (diskFiles.exists(path)) throw queryError('alreadyExists', `--mnemonic-file ${path} exists: name a new file`)
  diskFiles.write(path, `${mnemonic}\n`, { secret: true, durable: true })
}

/** Returns what a person does about the mnemonic of a new key. */
function fateOf(name: string, { unsafe, backup, mnemonicFile }: AddFlags): string {
  if (unsafe) return 'Write the mnemonic down: it recovers this key.'
  if (mnemonicFile !== undefined)
    return `The mnemonic is in ${mnemonicFile}: keep a copy elsewhere, since it recovers this key.`
  if (!backup) return 'The mnemonic was not kept: only a copy of the keyring recovers this key.'
  return `The mnemonic is stored with the key: \`almanac keys export ${name} --mnemonic --unsafe\` prints it. Write it down.`
}

function addMultisig(
  identity: Identity,
  keyring: Keyring,
  name: string,
  flags: AddFlags & { nosort?: boolean },
): AnyRecord {
  const members = (flags.multisig ?? '').split(',').map((member) => findKey(keyring, member.trim()))
  const threshold = Number(flags.multisigThreshold)
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > members.length) {
    throw queryError(
      'invalidArgument',
      `--multisig-threshold ${flags.multisigThreshold}: must be a number from 1 to ${members.length}, the members`,
    )
  }
  if (flags.sort && !flags.nosort) members.sort((a, b) => compare(a.address, b.address))
  return keyring.addPublic(multisigFile(identity, name, threshold, members))
}

function addPublicKey(identity: Identity, keyring: Keyring, name: string, text: string): AnyRecord {
  const shape = `--pubkey: must be JSON such as {"@type": "/${identity.toProfileName('sdk.crypto.secp256k1.PubKey')}", "key": "base64"}`
  let json: { readonly '@type'?: unknown; readonly key?: unknown } | null
  try {
    json = JSON.parse(text) as typeof json
  } catch {
    throw queryError('invalidArgument', shape)
  }
  const type = identity.toNeutralName(String(json?.['@type']).replace(/^.*\//, ''))
  const publicKey = parseBase64(String(json?.key))
  const algorithm = /ethsecp256k1\.PubKey$/.test(type)
    ? 'eth_secp256k1'
    : /\.secp256k1\.PubKey$/.test(type)
      ? 'secp256k1'
      : undefined
  if (algorithm === undefined || publicKey?.length !== 33) throw queryError('invalidArgument', shape)
  addressOfKey(algorithm, publicKey)
  return keyring.addPublic({ name, algorithm, public_key: formatHex(publicKey), offline: true })
}

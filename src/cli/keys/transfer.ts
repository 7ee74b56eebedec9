/** `almanac keys export` and `import`: the armor of the family, Web3 secret storage, and hexadecimal text. */
import { readInputText } from '../../node/input-file.ts'
import { formatHex, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { identityOfFlags } from '../profile.ts'
import type { Terminal } from '../terminal.ts'
import { armorKey, type ImportedKey, isArmored, openArmoredKey } from './armored-key.ts'
import { formatKeystore, isKeystore, openKeystore } from './keystore.ts'
import { askNewPassphrase, askPassphrase, findKey, type KeyringFlags, openKeyring } from './open.ts'
import { type KeyRecord, parseAlgorithm } from './record.ts'
import { isSealed, unseal } from './sealed.ts'

export interface ExportFlags extends KeyringFlags {
  readonly format: string
  readonly unarmoredHex?: boolean
  readonly mnemonic?: boolean
  readonly unsafe?: boolean
}

/** Prints a key. Throws `invalidArgument` if it would be in the clear without `--unsafe`. */
export async function exportKey(name: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { format, unarmoredHex, mnemonic, unsafe } = flags
  const clear = unarmoredHex ? '--unarmored-hex' : mnemonic ? '--mnemonic' : undefined
  if (clear !== undefined && !unsafe) {
    throw queryError(
      'invalidArgument',
      `${clear} prints a secret in the clear, and who sees it controls the account: add --unsafe if that is meant`,
    )
  }
  if (format !== 'armor' && format !== 'web3')
    throw queryError('invalidArgument', `--format ${format}: must be armor or web3`)
  const keyring = openKeyring(flags, terminal)
  const record = findKey(keyring, name)
  if (format === 'web3' && record.algorithm !== 'eth_secp256k1') {
    throw queryError('invalidArgument', `${record.name} is a secp256k1 key: --format web3 is for keys of eth_secp256k1`)
  }
  const identity = identityOfFlags(flags)
  const secret = await keyring.secret(record.name)
  if (unarmoredHex) return terminal.print(formatHex(secret.privateKey))
  if (mnemonic) return terminal.print(mnemonicOf(record, secret.mnemonic))
  const passphrase = await askNewPassphrase(terminal, 'exported key')
  const { algorithm } = record
  const text =
    format === 'web3'
      ? formatKeystore(secret.privateKey, passphrase)
      : await armorKey(identity, { algorithm, privateKey: secret.privateKey }, passphrase)
  terminal.print(text)
}

function mnemonicOf({ name }: KeyRecord, mnemonic: string | undefined): string {
  if (mnemonic !== undefined) return mnemonic
  throw queryError(
    'notFound',
    `the keyring has no mnemonic of ${name}: it was imported, or added with --recover or --no-backup`,
  )
}

export interface ImportFlags extends KeyringFlags {
  readonly hex?: boolean
  readonly algo: string
}

/** Reads the key of `keys import`: from a file in any format that this program knows, or in the clear with `--hex`. */
export async function readImport(
  file: string | undefined,
  { hex, algo }: Pick<ImportFlags, 'hex' | 'algo'>,
  terminal: Terminal,
): Promise<ImportedKey> {
  if (file === undefined && !hex) {
    throw queryError(
      'invalidArgument',
      'no key given: pass the file of an exported key, or --hex to be prompted for a private key',
    )
  }
  const text = file === undefined ? ((await terminal.askSecret('Private key:')) ?? '') : readInputText(file)
  if (hex) return { algorithm: parseAlgorithm(algo), privateKey: parsePrivateKey(text) }
  const ask = () => askPassphrase(terminal, 'Passphrase of the exported key:')
  return isArmored(text) ? await openArmoredKey(text, ask) : await openJson(text, ask)
}

/** Parses a private key of 64 hexadecimal digits, with or without `0x`. */
export function parsePrivateKey(text: string): Uint8Array {
  const bytes = parseHex(text.trim())
  if (bytes?.length !== 32) throw queryError('invalidArgument', 'the private key must be 64 hexadecimal digits')
  return bytes
}

/** Decrypts a key in JSON: Web3 secret storage, or the format in which earlier builds exported keys. */
async function openJson(text: string, ask: () => Promise<string>): Promise<ImportedKey> {
  const notExported = () =>
    queryError('invalidArgument', 'the file is not an exported key: neither armor nor Web3 secret storage')
  let parsed: { format?: unknown; algorithm?: unknown; public_key?: unknown; sealed?: unknown } | null
  try {
    parsed = JSON.parse(text) as typeof parsed
  } catch {
    throw notExported()
  }
  if (isKeystore(parsed)) return { algorithm: 'eth_secp256k1', privateKey: await openKeystore(parsed, ask) }
  const publicKey = parseHex(String(parsed?.public_key))
  if (parsed?.format !== 'almanac-key-1' || !publicKey) throw notExported()
  const algorithm = parseAlgorithm(String(parsed.algorithm))
  if (!isSealed(parsed.sealed)) {
    throw queryError('invalidArgument', 'the exported key uses an encryption that this build does not support')
  }
  return { algorithm, privateKey: unseal(await ask(), parsed.sealed, publicKey, 'exported key') }
}

/** Private keys derived from mnemonics. */
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { queryError } from '../../primitives/errors.ts'
import type { Algorithm } from './record.ts'

const MNEMONIC_BITS = 256

/** Coin types of the default derivation paths. */
const COIN_TYPES: Readonly<Record<Algorithm, string>> = { secp256k1: '118', eth_secp256k1: '60' }

/** Returns a derivation path; its defaults are the first account of the algorithm's coin type. */
export function pathOf(algorithm: Algorithm, coinType = COIN_TYPES[algorithm], account = '0', index = '0'): string {
  return `m/44'/${coinType}'/${account}'/0/${index}`
}

/** Returns a new mnemonic of 24 words. */
export const createMnemonic = (): string => generateMnemonic(wordlist, MNEMONIC_BITS)

/** Derives the private key of a mnemonic at a path, 32 bytes. Throws `invalidArgument` for an invalid mnemonic or path. */
export function keyOfMnemonic(mnemonic: string, path: string): Uint8Array {
  const words = mnemonic.trim().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist))
    throw queryError('invalidArgument', 'the mnemonic is not valid: give the 12 to 24 English words of BIP-39')
  try {
    const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(path)
    if (privateKey) return privateKey
  } catch {
    // Reported below: the library's messages do not name the flag.
  }
  throw queryError('invalidArgument', `--hd-path ${path}: must be a derivation path such as ${pathOf('secp256k1')}`)
}

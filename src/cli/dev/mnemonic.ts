/** Mnemonics that `almanac dev` makes: random ones, and those that follow from a number. */
import { randomBytes } from 'node:crypto'
import { configError } from '../../node/config.ts'
import { seededBytes } from './seeded-bytes.ts'

const WORD_COUNTS = [12, 15, 18, 21, 24]
const MAX_SEED = 2n ** 64n - 1n
/** Entropy of twelve words. Unit: bytes. */
const TWELVE_WORDS_BYTES = 16

async function mnemonicOf(entropy: Uint8Array): Promise<string> {
  const [{ entropyToMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  return entropyToMnemonic(entropy, wordlist)
}

/** Returns a random mnemonic of a number of words; 12 for an empty text. Rejects with `invalidArgument` for another number. */
export async function randomMnemonic(words: string): Promise<string> {
  const count = words === '' ? 12 : Number(words)
  if (!WORD_COUNTS.includes(count)) {
    throw configError(`--mnemonic-random ${words}: must be one of ${WORD_COUNTS.join(', ')} words`)
  }
  return mnemonicOf(new Uint8Array(randomBytes((count / 3) * 4)))
}

/** Returns the mnemonic of twelve words that anvil makes from a seed. Rejects with `invalidArgument` for a seed out of range. */
export async function seededMnemonic(seed: string): Promise<string> {
  const value = /^\d{1,20}$/.test(seed) ? BigInt(seed) : -1n
  if (value < 0n || value > MAX_SEED) {
    throw configError(`--mnemonic-seed-unsafe ${seed}: must be an integer from 0 to ${MAX_SEED}`)
  }
  return mnemonicOf(seededBytes(value, TWELVE_WORDS_BYTES))
}

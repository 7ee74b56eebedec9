/** The words of a development chain's accounts, checked where somebody has chosen them. */
import { configError } from './config.ts'

/** Rejects with 3 for words that no wallet would take: most often one of them is misspelt. */
export async function requireMnemonic(words: string): Promise<void> {
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  if (validateMnemonic(words, wordlist)) return
  const unknown = words.split(/\s+/).find((word) => !wordlist.includes(word))
  const fault = unknown === undefined ? 'their number or their order is wrong' : `"${unknown}" is none of its words`
  throw configError(`chain.mnemonic is not a BIP-39 mnemonic in English: ${fault}`)
}

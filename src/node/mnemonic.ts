/** The check of a mnemonic that the operator chose. */
import { configError } from './config.ts'

/**
 * Rejects with `invalidArgument` for a mnemonic that is not valid under BIP-39, with the first misspelt word. `name` is that of
 * the setting or flag.
 */
export async function requireMnemonic(words: string, name = 'chain.mnemonic'): Promise<void> {
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  if (validateMnemonic(words, wordlist)) return
  const unknown = words.split(/\s+/).find((word) => !wordlist.includes(word))
  const fault =
    unknown === undefined ? 'the number or the order of its words is wrong' : `"${unknown}" is not in its word list`
  throw configError(`${name} is not a BIP-39 mnemonic in English: ${fault}`)
}

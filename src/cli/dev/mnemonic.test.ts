import { expect, test } from 'vitest'
import { randomMnemonic, seededMnemonic } from './mnemonic.ts'

/** Mnemonics that anvil 1.7.1 prints for seeds. */
const OF_ANVIL: Readonly<Record<string, string>> = {
  '0': 'leisure need topic clown code attend earn lounge baby omit vault crunch',
  '1': 'gesture car maximum regret pudding merry fatal electric sea grab crack social',
  '42': 'pen brief eager pepper brass detect problem vital physical tent assume damp',
  '18446744073709551615': 'reunion eager public radio victory silver palm elite make sing accuse moon',
}

test.each(Object.entries(OF_ANVIL))('the seed %s gives the mnemonic of anvil', async (seed, mnemonic) => {
  expect(await seededMnemonic(seed)).toBe(mnemonic)
})

test('a seed out of range or of another form is refused', async () => {
  for (const seed of ['-1', '', 'x', '1.5', '18446744073709551616']) {
    await expect(seededMnemonic(seed), seed).rejects.toThrow('must be an integer from 0 to 18446744073709551615')
  }
})

test('a random mnemonic has the number of words, and is new each time', async () => {
  for (const words of ['12', '15', '18', '21', '24']) {
    expect((await randomMnemonic(words)).split(' ')).toHaveLength(Number(words))
  }
  expect(await randomMnemonic('')).not.toBe(await randomMnemonic(''))
  for (const words of ['13', '0', 'many']) await expect(randomMnemonic(words)).rejects.toThrow('must be one of 12, 15')
})

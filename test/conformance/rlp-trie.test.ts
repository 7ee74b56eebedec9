import { expect, test } from 'vitest'
import { decodeTransaction } from '../../src/evm/transaction/decode.ts'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../src/evm/transaction/sender.ts'
import { compactPath, secureTrieRoot, trieRoot } from '../../src/evm/trie.ts'
import { encodeUintMinimal, formatHex, formatHex0x, hex, utf8 } from '../../src/primitives/bytes.ts'
import { decode, encode, type RlpItem } from '../../src/primitives/rlp.ts'
import { isPresent, jsonFiles } from '../support/public-data.ts'

type RlpInput = string | number | readonly RlpInput[]

const files = isPresent
  ? new Map([...jsonFiles('rlp-trie-basic')].map(({ name, content }) => [name, content] as const))
  : new Map<string, unknown>()

const cases = <T>(file: string): [string, T][] => Object.entries(files.get(file) as Record<string, T>)

/** Decodes an item of the data: text is bytes, `#` starts a decimal number, an array is a list. */
function itemOf(input: RlpInput): RlpItem {
  if (Array.isArray(input)) return input.map(itemOf)
  if (typeof input === 'number') return encodeUintMinimal(BigInt(input))
  const text = input as string
  return text.startsWith('#') ? encodeUintMinimal(BigInt(text.slice(1))) : utf8(text)
}

/** Runs all cases of a file and prints how many passed. */
function tally<T>(file: string, holds: (value: T, name: string) => boolean): void {
  const wrong = cases<T>(file).filter(([name, value]) => !holds(value, name))
  console.log(`${file}: ${cases(file).length - wrong.length} of ${cases(file).length}`)
  expect(wrong.map(([name]) => name)).toEqual([])
  expect(cases(file).length).toBeGreaterThan(0)
}

function isRefused(bytes: Uint8Array): boolean {
  try {
    decode(bytes)
    return false
  } catch {
    return true
  }
}

test.runIf(isPresent)('every RLP sample is encoded as expected, and decoded again', () => {
  tally<{ in: RlpInput; out: string }>('RLPTests/rlptest.json', ({ in: input, out }) => {
    const encoded = encode(itemOf(input))
    return formatHex(encoded) === formatHex(hex(out)) && formatHex(encode(decode(encoded))) === formatHex(encoded)
  })
})

test.runIf(isPresent)('every malformed RLP is refused', () => {
  tally<{ out: string }>('RLPTests/invalidRLPTest.json', ({ out }) => isRefused(hex(out)))
})

test.runIf(isPresent)('the random RLP sample is decoded as expected', () => {
  tally<{ in: string; out: string }>('RLPTests/RandomRLPTests/example.json', ({ in: input, out }) =>
    input === 'VALID' ? formatHex(encode(decode(hex(out)))) === formatHex(hex(out)) : isRefused(hex(out)),
  )
})

interface TrieTest {
  readonly in: readonly (readonly [string, string | null])[] | Readonly<Record<string, string | null>>
  readonly root: string
}

const bytesOf = (text: string): Uint8Array => (text.startsWith('0x') ? hex(text) : utf8(text))

/** Returns the entries after all writes; a write of null deletes. */
function contentsOf(test: TrieTest): [Uint8Array, Uint8Array][] {
  const writes = Array.isArray(test.in) ? (test.in as [string, string | null][]) : Object.entries(test.in)
  const left = new Map<string, string>()
  for (const [key, value] of writes) {
    if (value === null) left.delete(key)
    else left.set(key, value)
  }
  return [...left].map(([key, value]) => [bytesOf(key), bytesOf(value)])
}

test.runIf(isPresent).each(['TrieTests/trietest.json', 'TrieTests/trieanyorder.json'])(
  '%s has the expected roots',
  (file) => {
    tally<TrieTest>(file, (sample) => formatHex0x(trieRoot(contentsOf(sample))) === sample.root)
  },
)

test
  .runIf(isPresent)
  .each([
    'TrieTests/trietest_secureTrie.json',
    'TrieTests/trieanyorder_secureTrie.json',
    'TrieTests/hex_encoded_securetrie_test.json',
  ])('%s has the expected roots', (file) => {
  tally<TrieTest>(file, (sample) => formatHex0x(secureTrieRoot(contentsOf(sample))) === sample.root)
})

interface TxTest {
  readonly key: string
  readonly nonce: number
  readonly gasprice: number
  readonly startgas: number
  readonly to: string
  readonly value: number
  readonly data: string
  readonly signed: string
}

test.runIf(isPresent)(
  'transactions made from fields are those of the samples, up to the choice of the nonce of signing',
  () => {
    tally<TxTest>('BasicTests/txtest.json', ({ key, nonce, gasprice, startgas, to, value, data, signed }) => {
      const expected = decodeTransaction(hex(signed))
      const { signature: _, ...fields } = expected
      const made = signTransaction(
        {
          type: 0,
          chainId: undefined,
          nonce: BigInt(nonce),
          gasPriceWei: BigInt(gasprice),
          gasLimit: BigInt(startgas),
          to: to === '' ? undefined : hex(to),
          valueWei: BigInt(value),
          data: hex(data),
        },
        hex(key),
      )
      const { signature: __, ...madeFields } = made
      expect(madeFields).toEqual(fields)
      return formatHex(encodeTransaction(expected)) === signed
    })
  },
)

test.runIf(isPresent)('keys give the expected addresses', () => {
  tally<{ key: string; addr: string }>(
    'BasicTests/keyaddrtest.json',
    ({ key, addr }) => formatHex(addressOfPrivateKey(hex(key))) === addr,
  )
})

test.runIf(isPresent)('nibble paths are packed as expected', () => {
  tally<{ seq: readonly number[]; term: boolean; out: string }>(
    'BasicTests/hexencodetest.json',
    ({ seq, term, out }) => {
      const digits = seq.map((nibble) => nibble.toString(16)).join('')
      const key = hex(digits.length % 2 === 0 ? digits : `${digits}0`)
      return formatHex(compactPath(key, 0, seq.length, term)) === out
    },
  )
})

/** Files without a counterpart in this node: iteration over a trie, and the encryption of Ethereum's network. */
const NOT_OURS = ['TrieTests/trietestnextprev.json', 'BasicTests/crypto.json']

test.runIf(isPresent)('every file is tested or listed as skipped', () => {
  expect(files.size).toBe(13)
  for (const name of NOT_OURS) expect(files.has(name)).toBe(true)
})

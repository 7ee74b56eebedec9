import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { debug } from './debug.ts'

/** The generator of the curve, and its address in BIP-173. Its private key is 1, whose Ethereum account is widely known. */
const GENERATOR = '0279BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798'
const GENERATOR_ADDRESS = '751E76E8199196D454941C45D1B3A323F1433BD6'
const ETHEREUM_ACCOUNT = '7E5F4552091A69125D5DFCB7B8C2659029395BDF'
/** The public key of the first test vector of RFC 8032. */
const ED25519 = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

async function run(...words: readonly string[]): Promise<string> {
  const printed: string[] = []
  const terminal = { print: (text: string) => printed.push(text), note: () => {}, interactive: false }
  const never = async () => undefined
  await debug(words, undefined, { ...terminal, ask: never, askSecret: never })
  return printed.join('\n')
}
const json = async (...words: readonly string[]) => JSON.parse(await run(...words, '--output', 'json'))

test('a raw key has the address of its algorithm', async () => {
  expect(await json('pubkey-raw', GENERATOR, '--type', 'secp256k1')).toMatchObject({
    hex: GENERATOR,
    address: GENERATOR_ADDRESS,
    pubkey: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: Buffer.from(GENERATOR, 'hex').toString('base64') },
  })
  const base64 = Buffer.from(GENERATOR, 'hex').toString('base64')
  expect((await json('pubkey-raw', base64, '-t', 'eth_secp256k1')).address).toBe(ETHEREUM_ACCOUNT)
  const digest = createHash('sha256').update(ED25519, 'hex').digest('hex')
  expect((await json('pubkey-raw', ED25519)).address).toBe(digest.slice(0, 40).toUpperCase())
  await expect(run('pubkey-raw', GENERATOR)).rejects.toThrow('must be 32 bytes of ed25519')
  await expect(run('pubkey-raw', GENERATOR, '--type', 'rsa')).rejects.toThrow('--type rsa: must be one of ed25519, ')
  await expect(run('pubkey-raw', `05${ED25519}`, '-t', 'eth_secp256k1')).rejects.toThrow('not a point of the curve')
})

test('a key of JSON is read back as it is printed, also a multisig', async () => {
  const { pubkey } = await json('pubkey-raw', GENERATOR, '--type', 'secp256k1')
  expect(await json('pubkey', JSON.stringify(pubkey))).toMatchObject({ pubkey, address: GENERATOR_ADDRESS })
  const type = '/cosmos.crypto.multisig.LegacyAminoPubKey'
  const multisig = { '@type': type, threshold: 1, public_keys: [pubkey] }
  const shown = await json('pubkey', JSON.stringify(multisig))
  // Amino: the prefix of the type, the threshold, and the key with the prefix of its own type.
  const amino = Buffer.from(`22c1f7e208011226eb5ae98721${GENERATOR}`, 'hex')
  const address = createHash('sha256').update(amino).digest('hex').slice(0, 40)
  expect(shown).toMatchObject({ pubkey: multisig, address: address.toUpperCase() })
  await expect(run('pubkey', '{')).rejects.toThrow('key: invalid value for "body"')
})

test('bytes, addresses and prefixes are converted', async () => {
  const bytes = [...Buffer.from('Hello, playground')]
  const digits = '48656C6C6F2C20706C617967726F756E64'
  expect(await run('raw-bytes', `[${bytes.join(' ')}]`)).toBe(digits)
  expect(await run('raw-bytes', bytes.join(','))).toBe(digits)
  await expect(run('raw-bytes', '[256]')).rejects.toThrow('numbers from 0 to 255')
  const { formats } = await json('addr', GENERATOR_ADDRESS)
  expect((await json('addr', formats[1])).bytes).toBe(GENERATOR_ADDRESS)
  const prefixes = await json('prefixes', '--profile', 'nibiru')
  expect(prefixes).toEqual({ account: 'nibi', validator: 'nibivaloper', consensus: 'nibivalcons' })
})

test('packed messages are decoded wherever the JSON has them', async () => {
  // Field 1 is the receiver, field 3 a coin with its two fields.
  const coin = Buffer.concat([Buffer.from('\x0a\x04unib'), Buffer.from('\x12\x017')])
  const value = Buffer.concat([Buffer.from('\x0a\x01a'), Buffer.from([0x1a, coin.length]), coin]).toString('base64')
  const packed = { type_url: '/cosmos.bank.v1beta1.MsgSend', value }
  const message = { from_address: 'a', to_address: '', amount: [{ denom: 'unib', amount: '7' }] }
  expect(await json('base64-decode', JSON.stringify({ one: [{ stargate: packed }] }))).toEqual([
    { type_url: packed.type_url, value: message },
  ])
  const wrong = (change: object) => run('base64-decode', JSON.stringify({ ...packed, ...change }))
  await expect(wrong({ type_url: '/cosmos.no.Such' })).rejects.toThrow('type_url /cosmos.no.Such: this build has no')
  await expect(wrong({ value: '*' })).rejects.toThrow('value of /cosmos.bank.v1beta1.MsgSend: must be base64')
  await expect(wrong({ value: 'Cgk=' })).rejects.toThrow('value of /cosmos.bank.v1beta1.MsgSend: ')
  await expect(run('base64-decode', '[]')).rejects.toThrow('no object with the texts type_url and value')
})

import { createMultisigThresholdPubkey, encodeSecp256k1Pubkey, pubkeyToRawAddress } from '@cosmjs/amino'
import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { publicKeyOf } from './crypto.ts'
import { addressOf, decodePublicKey, encodePublicKey, type PublicKey } from './public-key.ts'

const privateKeyOf = (name: string) => sha256(utf8(`spec test key ${name}`))
const alice = publicKeyOf(privateKeyOf('alice'))
const bob = publicKeyOf(privateKeyOf('bob'))
const carol = publicKeyOf(privateKeyOf('carol'))
const chain = (key: PublicKey) => formatBech32('chain', addressOf(almanac, key))

test('a key has one address under each rule', () => {
  expect(formatHex(alice)).toBe('028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3')
  expect(chain({ kind: 'secp256k1', key: alice })).toBe('chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57')
  expect(chain({ kind: 'ethSecp256k1', key: alice })).toBe('chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue')
  expect(chain({ kind: 'secp256k1', key: bob })).toBe('chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch')
  expect(chain({ kind: 'ethSecp256k1', key: bob })).toBe('chain1shkwtvnnwcf36ttgmk98uj8vwag7zzcl953qfy')
  expect(chain({ kind: 'secp256k1', key: carol })).toBe('chain1nc740su45uz6l28pnq7a5ay8a92lrdfacrsthc')
  const validator = hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea')
  expect(formatHex(addressOf(almanac, { kind: 'ed25519', key: validator }))).toBe(
    '121963fc7bc5f94f2978f6b7a082d1263ee7f5e4',
  )
})

test('a multisig key has the address that CosmJS gives it', () => {
  const keys = [alice, bob, carol]
  const theirs = createMultisigThresholdPubkey(keys.map(encodeSecp256k1Pubkey), 2, true)
  const ours: PublicKey = { kind: 'multisig', threshold: 2, keys: keys.map((key) => ({ kind: 'secp256k1', key })) }
  expect(formatHex(addressOf(almanac, ours))).toBe(formatHex(pubkeyToRawAddress(theirs)))
  expect(decodePublicKey(almanac, encodePublicKey(almanac, ours))).toEqual(ours)
})

test('keys of the wrong length, unknown kind or impossible threshold are refused with sdk 8', () => {
  const refused = expect.objectContaining({ codespace: 'sdk', code: 8 })
  const decode = (typeUrl: string, value: Uint8Array) => () => decodePublicKey(almanac, { typeUrl, value })
  expect(decode('/sdk.crypto.secp256k1.PubKey', hex('0a0102'))).toThrow(refused)
  expect(decode('/sdk.crypto.sr25519.PubKey', hex('0a0102'))).toThrow(refused)
  expect(decode('/sdk.crypto.multisig.LegacyAminoPubKey', hex('0803'))).toThrow(refused)
  expect(decode('/sdk.crypto.multisig.LegacyAminoPubKey', hex('ff'))).toThrow(refused)
  expect(() => addressOf(almanac, { kind: 'ethSecp256k1', key: new Uint8Array(33) })).toThrow(refused)
})

test('the type names of the other profile are accepted', () => {
  const value = hex(`0a21${formatHex(alice)}`)
  expect(decodePublicKey(almanac, { typeUrl: '/cosmos.crypto.secp256k1.PubKey', value })).toEqual({
    kind: 'secp256k1',
    key: alice,
  })
})

import { expect, test } from 'vitest'
import { createIdentity } from './identity.ts'
import { almanac, profile } from './profiles/almanac.ts'

test('the default profile answers in neutral names and understands those of public clients', () => {
  expect(almanac.toProfileName('sdk.bank.v1beta1.MsgSend')).toBe('sdk.bank.v1beta1.MsgSend')
  expect(almanac.toNeutralName('cosmos.bank.v1beta1.MsgSend')).toBe('sdk.bank.v1beta1.MsgSend')
  expect(almanac.toNeutralName('ethermint.crypto.v1.ethsecp256k1.PubKey')).toBe('chain.crypto.v1.ethsecp256k1.PubKey')
  expect(almanac.toNeutralName('cosmos.evm.crypto.v1.ethsecp256k1.PubKey')).toBe('chain.crypto.v1.ethsecp256k1.PubKey')
  expect(almanac.toNeutralName('cosmosx.bank')).toBe('cosmosx.bank')
  expect(almanac.toNeutralPath('/cosmos/bank/v1beta1/supply')).toBe('/sdk/bank/v1beta1/supply')
  expect(almanac.toNeutralPath('/cosmosx/bank')).toBe('/cosmosx/bank')
  expect(almanac.aminoAliases.map((alias) => alias('sdk/MsgSend'))).toContain('cosmos-sdk/MsgSend')
})

test('a profile renames packages by the longest entry, both ways, and keeps understanding neutral names', () => {
  const other = createIdentity({
    ...profile,
    name: 'other',
    names: {
      packages: { chain: 'brand', 'chain.evm': 'eth', 'chain.epochs.v1beta1': 'brand.epochs.v1', sdk: 'cosmos' },
      paths: { '/chain': '/brand', '/sdk': '/cosmos' },
      amino: { chain: 'brand' },
      fields: { base_fee_unative: 'base_fee_ubrand' },
    },
    behaviours: ['expose_eth_account'],
  })
  expect(other.toProfileName('chain.oracle.v1beta1.Query')).toBe('brand.oracle.v1beta1.Query')
  expect(other.toProfileName('chain.evm.v1.Query')).toBe('eth.v1.Query')
  expect(other.toProfileName('chain.epochs.v1beta1.EventEpochEnd')).toBe('brand.epochs.v1.EventEpochEnd')
  expect(other.toNeutralName('brand.epochs.v1.EventEpochEnd')).toBe('chain.epochs.v1beta1.EventEpochEnd')
  expect(other.toNeutralName('chain.oracle.v1beta1.Query')).toBe('chain.oracle.v1beta1.Query')
  expect(other.toProfilePath('/chain/evm/v1/params')).toBe('/brand/evm/v1/params')
  expect(other.toNeutralPath('/brand/evm/v1/params')).toBe('/chain/evm/v1/params')
  expect(other.toProfileAmino('chain/MsgRegisterFeeShare')).toBe('brand/MsgRegisterFeeShare')
  expect(other.toProfileField('base_fee_unative')).toBe('base_fee_ubrand')
  expect(other.toNeutralField('base_fee_ubrand')).toBe('base_fee_unative')
  expect(other.toProfileField('base_fee')).toBe('base_fee')
  expect(other.behaviours.has('expose_eth_account')).toBe(true)
})

import { expect, test } from 'vitest'
import { createIdentity, evmChainIdOf } from './identity.ts'
import { almanac, profile } from './profiles/almanac.ts'
import { findProfile, identityOf } from './profiles.ts'

test('the default profile names types of the SDK as the family does, and accepts other names', () => {
  expect(almanac.toProfileName('sdk.bank.v1beta1.MsgSend')).toBe('cosmos.bank.v1beta1.MsgSend')
  expect(almanac.toProfileName('chain.evm.v1.MsgEthereumTx')).toBe('chain.evm.v1.MsgEthereumTx')
  expect(almanac.toNeutralName('cosmos.bank.v1beta1.MsgSend')).toBe('sdk.bank.v1beta1.MsgSend')
  expect(almanac.toNeutralName('ethermint.crypto.v1.ethsecp256k1.PubKey')).toBe('chain.crypto.v1.ethsecp256k1.PubKey')
  expect(almanac.toNeutralName('cosmos.evm.crypto.v1.ethsecp256k1.PubKey')).toBe('chain.crypto.v1.ethsecp256k1.PubKey')
  expect(almanac.toNeutralName('cosmosx.bank')).toBe('cosmosx.bank')
  expect(almanac.toNeutralPath('/cosmos/bank/v1beta1/supply')).toBe('/sdk/bank/v1beta1/supply')
  expect(almanac.toNeutralPath('/cosmosx/bank')).toBe('/cosmosx/bank')
  expect(almanac.aminoAliases.map((alias) => alias('sdk/MsgSend'))).toContain('cosmos-sdk/MsgSend')
})

test('a profile renames packages by the longest entry, in both directions, and still accepts neutral names', () => {
  const other = createIdentity({
    ...profile,
    name: 'other',
    names: {
      packages: { chain: 'brand', 'chain.evm': 'eth', 'chain.epochs.v1beta1': 'brand.epochs.v1', sdk: 'cosmos' },
      paths: { '/chain': '/brand', '/sdk': '/cosmos' },
      amino: { chain: 'brand' },
      fields: { base_fee_unative: 'base_fee_ubrand' },
    },
    behaviours: ['exposeEthAccount'],
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
  expect(other.behaviours.exposeEthAccount).toBe(true)
  expect(almanac.behaviours.exposeEthAccount).toBe(false)
})

test('the profile of the reference chain has its names, and still accepts neutral ones', () => {
  const nibiru = identityOf('nibiru')
  expect(nibiru.toProfileName('chain.evm.v1.MsgEthereumTx')).toBe('eth.evm.v1.MsgEthereumTx')
  expect(nibiru.toProfileName('chain.types.v1.EthAccount')).toBe('eth.types.v1.EthAccount')
  expect(nibiru.toProfileName('chain.crypto.v1.ethsecp256k1.PubKey')).toBe('ethermint.crypto.v1.ethsecp256k1.PubKey')
  expect(nibiru.toProfileName('chain.oracle.v1beta1.Query')).toBe('nibiru.oracle.v1.Query')
  expect(nibiru.toProfileName('chain.epochs.v1beta1.EventEpochEnd')).toBe('nibiru.epochs.v1.EventEpochEnd')
  expect(nibiru.toProfileName('chain.tokenfactory.v1.MsgMint')).toBe('nibiru.tokenfactory.v1.MsgMint')
  expect(nibiru.toProfileName('sdk.bank.v1beta1.MsgSend')).toBe('cosmos.bank.v1beta1.MsgSend')
  expect(nibiru.toProfileName('chain.errors.v1.HeightBounds')).toBe('chain.errors.v1.HeightBounds')
  expect(nibiru.toNeutralName('nibiru.oracle.v1.Query')).toBe('chain.oracle.v1beta1.Query')
  expect(nibiru.toNeutralName('chain.oracle.v1beta1.Query')).toBe('chain.oracle.v1beta1.Query')
  expect(nibiru.toNeutralName('cosmos.evm.crypto.v1.ethsecp256k1.PubKey')).toBe('chain.crypto.v1.ethsecp256k1.PubKey')
  expect(nibiru.toProfilePath('/chain/oracle/v1beta1/params')).toBe('/nibiru/oracle/v1beta1/params')
  expect(nibiru.toNeutralPath('/nibiru/sudo/sudoers')).toBe('/chain/sudo/sudoers')
  expect(nibiru.toProfileAmino('chain/tokenfactory/mint')).toBe('nibiru/tokenfactory/mint')
  expect(nibiru.toNeutralField('canonical_wnibi')).toBe('canonical_wnative')
  expect(nibiru.toNeutralField('canonical_wnative')).toBe('canonical_wnative')
  expect(evmChainIdOf(nibiru, 'cataclysm-1')).toBe(6900n)
  expect(evmChainIdOf(nibiru, 'nibiru-localnet-3')).toBe(6933n)
  expect(evmChainIdOf(nibiru, 'another')).toBe(6930n)
})

test('another release line of a chain differs only by its name and its behaviours', () => {
  const { name, behaviours, ...facts } = findProfile('nibiru@2.17')!
  const { name: line, behaviours: others, ...same } = findProfile('nibiru')!
  expect(facts).toEqual(same)
  expect([name, line]).toEqual(['nibiru@2.17', 'nibiru'])
})

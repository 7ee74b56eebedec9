import { create } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import { ZeroGasActorsSchema } from '../../gen/chain/sudo/v1/state_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { decodeBech32, formatBech32 } from '../../primitives/address.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { genesis } from './genesis.ts'
import * as sudo from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const root = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const rootBytes = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const other = 'chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch'
const otherBytes = (decodeBech32(other) as { bytes: Uint8Array }).bytes
const contract = 'chain1ejpjr43ht3y56pplm5pxpusmcrk9rkkvna4tklusnnwdxpqm0zlshspffs'
const gov = formatBech32('chain', governance)
const unauthorized = expect.objectContaining({ codespace: 'sudo', code: 2, status: 'permissionDenied' })

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext()
})

describe('with a root', () => {
  beforeEach(() => genesis.init(ctx, { sudoers: { root, contracts: [] } }))

  test('only governance and the root are authorities', () => {
    sudo.requireAuthority(ctx, root)
    sudo.requireAuthority(ctx, gov)
    expect(() => sudo.requireAuthority(ctx, other)).toThrow(unauthorized)
    expect(() => sudo.requireAuthority(ctx, 'nobody')).toThrow('invalid address')
  })

  test('listed contracts are sudoers but not authorities, and the record matches byte for byte', () => {
    messages.editSudoers(ctx, { action: 'add_contracts', contracts: [contract], sender: root })
    expect(formatHex(ctx.store.get('sudo', hex('010000000000000000'))!)).toBe(
      '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e35371240636861696e31656a706a72343368743379353670706c6d3570787075736d63726b39726b6b766e6134746b6c75736e6e77647870716d307a6c73687370666673',
    )
    const bytes = sudo.parseListed(ctx, contract)
    expect(sudo.isSudoer(ctx, bytes)).toBe(true)
    expect(sudo.isAuthority(ctx, bytes)).toBe(false)
    messages.editSudoers(ctx, { action: 'remove_contracts', contracts: [contract], sender: gov })
    expect(sudo.isSudoer(ctx, bytes)).toBe(false)
    expect(ctx.events.map(({ type }) => type)).toEqual(Array(2).fill('chain.sudo.v1.EventUpdateSudoers'))
    expect(ctx.events[0]!.attributes).toEqual([
      { key: 'action', value: '"add_contracts"' },
      { key: 'sudoers', value: `{"root":"${root}","contracts":["${contract}"]}` },
    ])
  })

  test('only an authority edits the list, with a known action', () => {
    const edit = (action: string, sender: string) => () =>
      messages.editSudoers(ctx, { action, contracts: [other], sender })
    expect(edit('add_contracts', other)).toThrow(unauthorized)
    expect(edit('toggle', root)).toThrow('invalid action type toggle')
    expect(() => messages.changeRoot(ctx, { sender: other, newRoot: other })).toThrow(unauthorized)
    messages.changeRoot(ctx, { sender: root, newRoot: other })
    expect(queries.querySudoers(ctx, {}).sudoers!.root).toBe(other)
    expect(() => sudo.requireAuthority(ctx, root)).toThrow(unauthorized)
  })
})

test('a contract is listed once, in whichever spelling and form it is named', () => {
  genesis.init(ctx, { sudoers: { root: root.toUpperCase(), contracts: [other.toUpperCase(), other] } })
  expect(queries.querySudoers(ctx, {}).sudoers).toMatchObject({ root, contracts: [other] })
  const edit = (action: string, ...contracts: string[]) => {
    messages.editSudoers(ctx, { action, contracts, sender: root })
    return queries.querySudoers(ctx, {}).sudoers!.contracts
  }
  expect(edit('add_contracts', other.toUpperCase(), `0x${formatHex(otherBytes)}`, contract)).toEqual([contract, other])
  expect(edit('remove_contracts', `0x${formatHex(otherBytes)}`)).toEqual([contract])
  expect(edit('remove_contracts', contract.toUpperCase())).toEqual([])
  expect(edit('add_contracts', '0xaef9437ff23d48d73271a41a8a094dec9ac71477')).toEqual([
    '0xAEf9437FF23D48D73271a41a8A094DEc9ac71477',
  ])
})

test('without a root only governance can set one', () => {
  genesis.init(ctx, { sudoers: { root: '', contracts: [] } })
  expect(sudo.root(ctx)).toBeUndefined()
  expect(() => messages.changeRoot(ctx, { sender: root, newRoot: root })).toThrow(unauthorized)
  messages.changeRoot(ctx, { sender: gov, newRoot: root })
  expect(sudo.isAuthority(ctx, rootBytes)).toBe(true)
})

test('calls are free from listed senders to listed contracts, and from any sender to always-free contracts', () => {
  genesis.init(ctx, { sudoers: { root, contracts: [] } })
  const free = '0xAEf9437FF23D48D73271a41a8A094DEc9ac71477'
  const freeBytes = hex('aef9437ff23d48d73271a41a8a094dec9ac71477')
  expect(sudo.isZeroGas(ctx, otherBytes, freeBytes)).toBe(false)
  messages.editZeroGasActors(ctx, { sender: root, actors: { alwaysZeroGasContracts: [free] } })
  expect(formatHex(ctx.store.get('sudo', hex('020000000000000000'))!)).toBe(
    '1a2a307841456639343337464632334434384437333237316134316138413039344445633961633731343737',
  )
  expect(sudo.isZeroGas(ctx, otherBytes, freeBytes)).toBe(true)
  messages.editZeroGasActors(ctx, { sender: root, actors: { senders: [other], contracts: [free] } })
  expect(sudo.isZeroGas(ctx, otherBytes, freeBytes)).toBe(true)
  expect(sudo.isZeroGas(ctx, rootBytes, freeBytes)).toBe(false)
  expect(() => messages.editZeroGasActors(ctx, { sender: root, actors: { contracts: ['0x12'] } })).toThrow(
    'invalid address',
  )
})

test('hexadecimal addresses of the lists have the checksum of EIP-55, and the given letters under the reference profile', () => {
  const digits = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
  const listed = (profile: string) => {
    const context = testContext({ identity: identityOf(profile) })
    sudo.setZeroGasActors(context, create(ZeroGasActorsSchema, { contracts: [digits] }))
    return sudo.zeroGasActors(context).contracts
  }
  expect(listed('almanac')).toEqual(['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])
  expect(listed('nibiru')).toEqual([digits])
})
